"""Recorded games: a file holds one a line, as JSON that names no class and no module.

A game is its rule set, options, seats and seed, the events of its opening, and then entry by entry of its log what was
ordered (as the store writes it) and which events followed. Names that end in ``.gz`` or ``.xz`` are compressed.
"""

from __future__ import annotations

import gzip
import hashlib
import lzma
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

import msgspec

from tests.recorded.engine import RandomGame, Style, Told, seats_of

FEWEST, MOST = 2, 6
MOST_STOPS = 20_000

Json = msgspec.Raw


class Step(msgspec.Struct):
    """An entry of the log and the events that followed until the game waited again."""

    entry: Json
    events: list[Json]


class RecordedGame(msgspec.Struct):
    """A game with everything that happened in it. ``digest`` is that of all its events."""

    game: str
    ruleset: str
    options: dict[str, Any]
    seed: str
    seats: list[tuple[str, int]]
    opening: list[Json]
    steps: list[Step]
    digest: str
    style: str = ""


_decoder = msgspec.json.Decoder(RecordedGame)
_encoder = msgspec.json.Encoder()


def record(ruleset: str, seed: str, players: int, style: Style) -> RecordedGame:
    """Play a random game with the code of this checkout. RuntimeError if it does not end."""
    seats = seats_of(seed, players)
    game = RandomGame(ruleset, seed, seats, style)
    opening, steps = game.news(), list[tuple[bytes, list[Told]]]()
    for _ in range(MOST_STOPS):
        if game.over:
            break
        entries, news = game.act(), game.news()
        if len(entries) > 1 or (news and not entries):
            raise RuntimeError(f"{ruleset}, seed {seed!r}: one action made {len(entries)} entries")
        if entries:
            steps.append((entries[0], news))
    else:
        raise RuntimeError(f"{ruleset}, seed {seed!r}: the game does not end")
    return RecordedGame(
        f"{ruleset} {seed}", ruleset, {}, seed, seats, [Json(event) for event in opening],
        [Step(Json(entry), [Json(event) for event in news]) for entry, news in steps],
        digest([*opening, *(event for _, news in steps for event in news)]), style,
    )  # fmt: skip


def record_many(ruleset: str, seed: str, games: int, lost: list[str]) -> Iterator[RecordedGame]:
    """So many games, of two to six players in turn, by either random player. One in which the code fails is left out;
    a sentence about it is added to ``lost``."""
    tables = MOST - FEWEST + 1
    for number in range(games):
        style: Style = "daring" if number // tables % 2 == 0 else "plain"
        try:
            yield record(ruleset, f"{seed} {number}", FEWEST + number % tables, style)
        except Exception as error:
            lost.append(f"{ruleset} {seed} {number} ({style}) is left out: {type(error).__name__}: {error}")


def digest(told: Iterable[bytes]) -> str:
    """One digest of many events."""
    return hashlib.sha256(b"\n".join(told)).hexdigest()


def write(games: Iterable[RecordedGame], file: Path) -> Iterator[RecordedGame]:
    """Write the games as they come; each is given on when it is written."""
    with _opened(file, "wb") as out:
        for game in games:
            out.write(_encoder.encode(game) + b"\n")
            yield game


def read(file: Path) -> Iterator[RecordedGame]:
    """The games of a file, one after the other."""
    return map(parse, read_lines(file))


def read_lines(file: Path) -> Iterator[bytes]:
    """The same as they are written."""
    with _opened(file, "rb") as lines:
        yield from lines


def parse(line: bytes) -> RecordedGame:
    """The game in a line."""
    return _decoder.decode(line)


def kinds(game: RecordedGame) -> set[str]:
    """What occurs in a game: the kinds of its events by phase, and of its orders."""
    events = chain(game.opening, *(step.events for step in game.steps))
    told = [msgspec.json.decode(event) for event in events]
    entries = [msgspec.json.decode(step.entry) for step in game.steps]
    orders = [order for entry in entries for order in entry.get("orders", ())]
    return {
        *(f"{event['phase']} {event['kind']} {len(event['private'])} {event['audience'] is None}" for event in told),
        *(f"{order['type']} {order.get('effect')} {order.get('karama')}" for order in orders),
        *(f"silence {key[1]}" for entry in entries for key in entry.get("keys", ())),
    }


def _opened(file: Path, mode: str) -> IO[bytes]:
    opener: Any = {".gz": gzip.open, ".xz": lzma.open}.get(file.suffix, open)
    return cast(IO[bytes], opener(file, mode))
