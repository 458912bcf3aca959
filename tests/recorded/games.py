"""Recorded games, one on each line of a file, as JSON that names no class or module.

A game consists of its rule set, options, seats and seed, the events of its opening, and its log. Each log entry is
stored as the store writes it, with the events that followed. A game that begins late has a ``position``. A game that is
*looked at* also has views, questions and answers to tries, from its opening and after every few entries (``looking``).
Files whose names end in ``.gz`` or ``.xz`` are compressed.
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

import msgspec

from tests.recorded.engine import Begun, EngineGame, RandomGame, Style, Told, seats_of
from tests.recorded.pool import orders_at_random

FEWEST, MOST = 2, 6
MOST_STOPS = 20_000
POOL = "pool"

Json = msgspec.Raw


class Look(msgspec.Struct, omit_defaults=True):
    """The changes since the last look: new or changed sections, and those that are ``gone``. ``tried`` holds the
    answers to the tries, each as an index into the game's ``said``."""

    seen: dict[str, Json] = {}
    gone: list[str] = []
    tried: list[int] = []


class Step(msgspec.Struct, omit_defaults=True):
    """A log entry, and the events that followed until the game waited again."""

    entry: Json
    events: list[Json]
    look: Look | None = None


class RecordedGame(msgspec.Struct, omit_defaults=True):
    """A game with everything that happened in it. ``digest`` is the digest of all its events."""

    game: str
    ruleset: str
    options: dict[str, Any]
    seed: str
    seats: list[tuple[str, int]]
    opening: list[Json]
    steps: list[Step]
    digest: str
    style: str = ""
    position: dict[str, Json] = {}
    pool: list[Json] = []
    said: list[str] = []
    look: Look | None = None
    ends: bool = True
    """True if the game is over after its last entry. Rulings usually are not."""

    def began(self) -> EngineGame:
        """Open this game at its opening, with the code of this checkout."""
        game = EngineGame(self.ruleset, self.options, self.seed, self.seats, _position(self))
        if self.look:
            game.watch([bytes(step.entry) for step in self.steps], list(map(bytes, self.pool)))
        return game


_decoder = msgspec.json.Decoder(RecordedGame)
_encoder = msgspec.json.Encoder()


def record(ruleset: str, seed: str, players: int, style: Style) -> RecordedGame:
    """Play a random game with the code of this checkout. Raise RuntimeError if it does not end."""
    return record_from(Begun(ruleset, {}, seed, seats_of(seed, players)), f"{ruleset} {seed}", style)


def record_from(begun: Begun, name: str, style: Style) -> RecordedGame:
    """Play a random game from this beginning."""
    game = RandomGame(begun, style)
    opening, steps = game.news(), list[Step]()
    _play_on(game, steps, name)
    return as_recorded(begun, name, style, opening, steps)


def record_again(old: RecordedGame) -> RecordedGame:
    """Record the same game with the code of this checkout: replay its entries until one is refused, and play at random
    from there. Raise RuntimeError if the game does not end."""
    begun = Begun(old.ruleset, old.options, old.seed, old.seats, _position(old))
    game = RandomGame(begun, cast(Style, old.style))
    opening, steps = game.news(), list[Step]()
    for step in old.steps:
        try:
            if game.over or not game.take(bytes(step.entry)):
                break
        except ValueError:
            break
        steps.append(Step(step.entry, list(map(Json, game.news()))))
    game = RandomGame(begun, cast(Style, old.style))  # without the entry that was only partly accepted
    for step in steps:
        game.take(bytes(step.entry))
    game.news()
    _play_on(game, steps, old.game)
    again = as_recorded(begun, old.game, cast(Style, old.style), opening, steps)
    return look_at(again, looks(old)) if old.look else again


def _play_on(game: RandomGame, steps: list[Step], name: str) -> None:
    for _ in range(MOST_STOPS):
        if game.over:
            return
        entries, news = game.act(), game.news()
        if len(entries) > 1 or (news and not entries):
            raise RuntimeError(f"{name}: one action made {len(entries)} entries")
        if entries:
            steps.append(Step(Json(entries[0]), list(map(Json, news))))
    raise RuntimeError(f"{name}: the game does not end")


def _position(game: RecordedGame) -> bytes:
    """Return the position of a game that begins late."""
    return _encoder.encode(game.position) if game.position else b""


def as_recorded(
    begun: Begun, name: str, style: Style, opening: Sequence[Told], steps: list[Step]
) -> RecordedGame:  # fmt: skip
    events = [*opening, *(bytes(event) for step in steps for event in step.events)]
    position = msgspec.json.decode(begun.position, type=dict[str, Json]) if begun.position else {}
    return RecordedGame(
        name, begun.ruleset, dict(begun.options), begun.seed, list(begun.seats), list(map(Json, opening)), steps,
        digest(events), style, position,
    )  # fmt: skip


def look_at(game: RecordedGame, every: int) -> RecordedGame:
    """Return the same game, looked at after every ``every`` entries. If its events differ now, it has the new ones."""
    pool = list(map(Json, orders_at_random(POOL)))
    watched = msgspec.structs.replace(game, pool=pool, said=[], look=Look())
    played, seen = watched.began(), dict[str, bytes]()
    places: dict[str, int] = {}

    def look(entry: int) -> Look:
        nonlocal seen
        before, seen = seen, played.look()
        return Look(
            {name: Json(text) for name, text in seen.items() if before.get(name) != text},
            [name for name in before if name not in seen],
            [places.setdefault(told, len(places)) for _, told in played.tries(entry)],
        )

    watched.look = look(0)
    steps = list[Step]()
    for number, step in enumerate(game.steps, 1):
        played.take(bytes(step.entry))
        looked = look(number) if number % every == 0 or number == len(game.steps) else None
        steps.append(Step(step.entry, step.events, looked))
    watched.steps, watched.said = steps, list(places)
    return watched


def looks(game: RecordedGame) -> int:
    """Return the number of entries between two looks at a game."""
    return next((number for number, step in enumerate(game.steps, 1) if step.look), 1)


def record_many(ruleset: str, seed: str, games: int, lost: list[str]) -> Iterator[RecordedGame]:
    """Record this many games, with two to six players in turn and both random players. A game in which the code fails
    is left out, and a sentence about it is added to ``lost``."""
    tables = MOST - FEWEST + 1
    for number in range(games):
        style: Style = "daring" if number // tables % 2 == 0 else "plain"
        try:
            yield record(ruleset, f"{seed} {number}", FEWEST + number % tables, style)
        except Exception as error:
            lost.append(f"{ruleset} {seed} {number} ({style}) is left out: {type(error).__name__}: {error}")


def digest(told: Iterable[bytes]) -> str:
    return hashlib.sha256(b"\n".join(told)).hexdigest()


def write(games: Iterable[RecordedGame], file: Path) -> Iterator[RecordedGame]:
    """Write the games as they come, and yield each one once it has been written."""
    with _opened(file, "wb") as out:
        for game in games:
            out.write(_encoder.encode(game) + b"\n")
            yield game


def read(file: Path) -> Iterator[RecordedGame]:
    return map(parse, read_lines(file))


def read_lines(file: Path) -> Iterator[bytes]:
    """Yield the lines of a file of games."""
    with _opened(file, "rb") as lines:
        yield from lines


def parse(line: bytes) -> RecordedGame:
    return _decoder.decode(line)


class _Named(msgspec.Struct):
    game: str


_name_decoder = msgspec.json.Decoder(_Named)


def name_of(line: bytes) -> str:
    """Return the name of the game in a line, without parsing the rest."""
    return _name_decoder.decode(line).game


def kinds(game: RecordedGame) -> set[str]:
    """Return the kinds of a game's events, with their phases, and of its orders."""
    events = chain(game.opening, *(step.events for step in game.steps))
    told = [msgspec.json.decode(event) for event in events]
    entries = [msgspec.json.decode(step.entry) for step in game.steps]
    orders = [order for entry in entries for order in entry.get("orders", ())]
    return {
        *(f"{event['phase']} {event['kind']} {len(event['private'])} {event['audience'] is None}" for event in told),
        *(f"{order['type']} {order.get('effect')} {order.get('karama')}" for order in orders),
        *(f"silence {key[1]}" for entry in entries for key in entry.get("keys", ())),
        *(f"corrected {each['type']}" for entry in entries for each in entry.get("corrections", ())),
        *(f"{entry['type']} {entry.get('how')}" for entry in entries),
    }


def _opened(file: Path, mode: str) -> IO[bytes]:
    if file.suffix == ".xz":
        return cast(IO[bytes], lzma.open(file, mode, preset=7 if mode == "wb" else None))
    opener: Any = {".gz": gzip.open}.get(file.suffix, open)
    return cast(IO[bytes], opener(file, mode))
