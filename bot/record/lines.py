"""The lines of a record, `game.jsonl`: their content, how they follow from a game, and their JSON Schema.

A line is one JSON object with the SHA-256 of the line before. The first line is the ``Head``. Then come decisions
(``Decided``), draws (``Drawn``), events (``Told``) and acts of the game master (``Act``), in the order in which they
happened: the draws and events of the set-up, then each entry of the log, followed by the draws and events that it led
to. The last line of a finished game is its ``End``, with the seed. ``t`` says which line it is. Each line has a salt of
its own, derived from the seed (``salt``). It keeps anybody from guessing a line by a hash that was published during the
game. Fields may be added to a line, and none is ever removed.

A record is a function of the log, the acts and the game's own key. It has the same bytes whether it was kept entry by
entry over months (``Recorder``) or is made at once (``whole_record``).

The words of an offered deal are between two players, so the record holds a digest instead. The digest is keyed with a
number of the game's own that is never published, so nobody can try words against it. When the deal is made, everybody
can read it: the event has the text, and its line the digest. So a reader can put the text back into the log and replay
it (``made_deals``, ``restore_words``). An offer that came to nothing replays with the digest as its words: they decide
nothing.

The schema in `data/schema/` is made from the types of the lines, including names and doc strings of classes. A reader
of records accepts fields that the schema does not name: a newer Mentat may have added them.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from rules.components import Faction
from rules.components.facts import data_folder
from rules.engine.log import Before, Entry, Submitted, Withdrawn
from rules.orders import AnyOrder, Deal, PhaseName
from rules.state.events import Event

if TYPE_CHECKING:
    from rules.engine.play import Play
    from rules.rulesets.ruleset import RuleSet

FORMAT = 1
"""The number of the format. A file with a greater number was written by a newer Mentat."""


class Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="t"):
    """Any line. The chain sets ``salt`` and ``prev``."""

    salt: str = ""
    prev: str = ""


class Head(Line, frozen=True, kw_only=True, tag="head"):
    """How the game began: its rule set and options, the dot of each faction, the digest of the rules that began it
    and the commitment to its seed. ``record`` is the number of the format."""

    record: int = FORMAT
    game: str
    ruleset: str
    options: Mapping[str, Any]
    seats: Mapping[Faction, int]
    rules: str = ""
    commitment: str
    day: date | None = None


class Decided(Line, frozen=True, kw_only=True, tag="entry"):
    """An entry of the log: accepted orders, questions that took their default, withdrawn orders. ``n`` counts the
    entries of the game from 0. ``day`` is the day of the entry in UTC, if known. ``turn`` and ``phase`` are those
    of the game then."""

    n: int
    day: date | None = None
    turn: int = 0
    phase: PhaseName | None = None
    entry: Entry


class Drawn(Line, frozen=True, kw_only=True, tag="draw"):
    """A random number: ``got`` of 0 to ``size - 1``, from the seed and the ``label`` (``rules.components.chance``).
    The label ends with the number of earlier draws of its kind."""

    label: str
    size: int
    got: int


class Told(Line, frozen=True, kw_only=True, tag="event"):
    """An event, with what everybody knows and what only some know about it. For a deal that was made, ``words`` is
    the digest that replaced its text in the offer (``bot.record.lines``)."""

    event: Event
    words: str | msgspec.UnsetType = msgspec.UNSET


class Act(Line, frozen=True, kw_only=True, tag="act"):
    """An act of the game master or the calendar. After a ``rollback`` the game continues from its first ``entries``
    of the log: later entries above were rolled back."""

    what: str
    why: str = ""
    day: date | None = None
    entries: int | None = None


class End(Line, frozen=True, kw_only=True, tag="end"):
    """How the game ended, and the seed to which the head is committed. No later line can hold the SHA-256 of this
    line, so it holds its own: ``sum`` is that of its bytes with an empty ``sum``."""

    turn: int
    winners: tuple[Faction, ...]
    day: date | None = None
    seed: str
    sum: str = ""


AnyLine = Head | Decided | Drawn | Told | Act | End

_encoder = msgspec.json.Encoder(order="deterministic")
_decoder: msgspec.json.Decoder[AnyLine] = msgspec.json.Decoder(AnyLine)


def encode(line: AnyLine) -> bytes:
    """Encode a line as JSON without its line end, with the same bytes each time."""
    return _encoder.encode(line)


def decode(data: bytes | str) -> AnyLine:
    return _decoder.decode(data)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def own_sum(row: bytes) -> str:
    return digest(_SUM.sub(b'"sum":""', row))


_SUM = re.compile(rb'"sum":"[0-9a-f]*"')

FIRST = digest(b"")
"""The digest before the first line."""


def salt(seed: str, number: int) -> str:
    """Return the salt of line ``number``, from 0.

    >>> salt("spice", 0)
    '83df6b61c356585de6f8cb6e4362bcdc'
    """
    return hmac.digest(seed.encode(), f"salt#{number}".encode(), "sha256").hex()[:32]


class Chain:
    """Adds salt and digest to each line in turn. ``head`` is the digest of the last line, ``lines`` the count.

    >>> chain = Chain("spice")
    >>> chain.add(Drawn(label="storm#0", size=20, got=3))  # doctest: +SKIP
    b'{"t":"draw",…}'
    """

    __slots__ = ("_seed", "head", "lines")

    def __init__(self, seed: str, head: str = FIRST, lines: int = 0) -> None:
        self._seed = seed
        self.head = head
        self.lines = lines

    def add(self, line: AnyLine) -> bytes:
        line = msgspec.structs.replace(line, salt=salt(self._seed, self.lines), prev=self.head)
        data = encode(msgspec.structs.replace(line, sum=own_sum(encode(line))) if isinstance(line, End) else line)
        self.head = digest(data)
        self.lines += 1
        return data


KEY_BYTES = 32
HIDDEN_WORDS = re.compile(r"words:[0-9a-f]{32}")
"""What replaces words."""


class MadeDeal(NamedTuple):
    giver: Faction
    receiver: Faction
    text: str


class Words:
    """Replaces words by digests. ``key`` is the game's own. Without a key only ``known`` words (of deals that were
    made) are replaced, and all others stay.

    >>> Words(bytes(32)).hidden("guild", "fremen", "no  attack in turn 4")
    'words:1c184a964d83c770b5a4bcce34d01c99'
    """

    __slots__ = ("_key", "_known")

    def __init__(self, key: bytes | None = None, known: Mapping[str, MadeDeal] | None = None) -> None:
        self._key = key
        self._known = {made: digest for digest, made in (known or {}).items()}

    def hidden(self, giver: Faction, receiver: Faction, text: str) -> str:
        """Return the digest for these words. An empty text and a digest are returned unchanged."""
        text = " ".join(text.split())
        if not text or HIDDEN_WORDS.fullmatch(text):
            return text
        if found := self._known.get(MadeDeal(giver, receiver, text)):
            return found
        if self._key is None:
            return text
        said = json.dumps([giver, receiver, text]).encode()
        return f"words:{hmac.digest(self._key, said, 'sha256').hex()[:32]}"

    def entry(self, entry: Entry) -> Entry:
        if isinstance(entry, Submitted) and any(isinstance(order, Deal) for order in entry.orders):
            return replace(entry, orders=tuple([self._order(entry.faction, order) for order in entry.orders]))
        if isinstance(entry, Withdrawn) and isinstance(entry.order, Deal):
            return replace(entry, order=self._order(entry.faction, entry.order))
        return entry

    def _order(self, giver: Faction, order: AnyOrder) -> AnyOrder:
        if not isinstance(order, Deal):
            return order
        hidden = self.hidden(giver, order.faction, order.text)
        return replace(order, text=hidden) if HIDDEN_WORDS.fullmatch(hidden) else order

    def told(self, event: Event) -> Told:
        """Return the line of an event. An offer loses its words. A deal that was made keeps them and gets their
        digest."""
        facts = event.facts
        if event.kind == "offer-made" and facts["what"] == "deal":
            hidden = self.hidden(facts["giver"], facts["receiver"], facts["text"])
            return Told(event=replace(event, facts={**facts, "text": hidden}))
        if event.kind == "deal-made":
            giver, receiver = facts["parties"]
            hidden = self.hidden(giver, receiver, facts["text"])
            if HIDDEN_WORDS.fullmatch(hidden):
                return Told(event=event, words=hidden)
        return Told(event=event)


def made_deals(lines: Iterable[AnyLine]) -> dict[str, MadeDeal]:
    made = {}
    for line in lines:
        if isinstance(line, Told) and line.words is not msgspec.UNSET:
            giver, receiver = line.event.facts["parties"]
            made[line.words] = MadeDeal(giver, receiver, line.event.facts["text"])
    return made


def restore_words(entry: Entry, made: Mapping[str, MadeDeal]) -> Entry:
    if isinstance(entry, Submitted) and any(isinstance(order, Deal) and order.text in made for order in entry.orders):
        return replace(entry, orders=tuple([_with_words(order, made) for order in entry.orders]))
    if isinstance(entry, Withdrawn) and isinstance(entry.order, Deal):
        return replace(entry, order=_with_words(entry.order, made))
    return entry


def _with_words(order: AnyOrder, made: Mapping[str, MadeDeal]) -> AnyOrder:
    return replace(order, text=made[order.text].text) if isinstance(order, Deal) and order.text in made else order


class Recorder:
    """Adds what happened in a game since the last call to the chain.

    ``entries``, ``events`` and ``draws`` count what is recorded of the whole game. If nobody counted the draws, all
    draws before the first unrecorded entry are taken as recorded. ``key`` hides the words of offers
    (``bot.record.lines``).

    >>> recorder = Recorder(Chain(seed), 0, 0, key)  # doctest: +SKIP
    >>> lines = [recorder.begin(head), *recorder.fresh(play, day)]  # doctest: +SKIP
    """

    __slots__ = ("_draws", "_events", "_words", "chain", "entries")

    def __init__(
        self, chain: Chain, entries: int, events: int, key: bytes | Words | None, draws: int | None = None
    ) -> None:
        self.chain = chain
        self.entries = entries
        self._words = key if isinstance(key, Words) else Words(key)
        self._events: int | None = events
        self._draws = 0 if entries == events == 0 else draws

    def begin(self, head: Head) -> bytes:
        return self.chain.add(head)

    def fresh(self, play: Play, day: date | None) -> list[bytes]:
        """Return the lines of what is not recorded yet. ``day`` is the day of the new entries. Raises ValueError if
        the play no longer holds some of them."""
        self._find_start(play)
        lines: list[AnyLine] = []
        for number in range(self.entries, play.entries_before + len(play.log)):
            place = number - play.entries_before
            before = play.before[place]
            lines += self._upto(play, before)
            entry = self._words.entry(_as_stored(play.log[place]))
            lines.append(Decided(n=number, day=day, turn=before.turn, phase=before.phase, entry=entry))
            self.entries += 1
        lines += self._upto(play, play.so_far)
        return [self.chain.add(line) for line in lines]

    def act(self, act: Act) -> bytes:
        """Return the line of an act. After a rollback ``fresh`` continues from the rollback's target."""
        if is_rollback(act):
            assert act.entries is not None
            self.entries, self._events, self._draws = act.entries, None, None
        return self.chain.add(act)

    def end(self, end: End) -> bytes:
        return self.chain.add(end)

    def _find_start(self, play: Play) -> None:
        place = self.entries - play.entries_before
        if place < 0:
            raise ValueError(
                f"entry {self.entries} of the log is to be recorded, and {play.entries_before} came before"
            )
        before = play.before[place] if place < len(play.before) else play.so_far
        self._events = before.events if self._events is None else self._events
        self._draws = before.draws if self._draws is None else self._draws

    def _upto(self, play: Play, upto: Before) -> Iterator[AnyLine]:
        assert self._events is not None
        assert self._draws is not None
        draws, told = play.game.draws, play.events
        place = self._draws - (play.so_far.draws - len(draws))
        drawn = draws[place : place + upto.draws - self._draws]
        first = self._events - (play.state.events - len(told))
        events = told[first : first + upto.events - self._events]
        if place < 0 or first < 0:
            raise ValueError("what is to be recorded is no longer in memory")
        self._events, self._draws = upto.events, upto.draws
        drawn.reverse()
        for event in events:
            while drawn and drawn[-1].events <= event.number:
                yield _drawn(*drawn.pop()[1:])
            yield self._words.told(event)
        while drawn:
            yield _drawn(*drawn.pop()[1:])


_entries: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


def _as_stored(entry: Entry) -> Entry:
    """Return the entry as decoded from the log: a computed dial may be 3, a decoded one is 3.0."""
    return _entries.decode(msgspec.json.encode(entry))


def _drawn(label: str, size: int, got: int) -> Drawn:
    return Drawn(label=label, size=size, got=got)


def is_rollback(act: Act) -> bool:
    return act.what == "rollback" and act.entries is not None


def rules_of(head: Head) -> RuleSet:
    """Return the rule set of a game with its options. Raises LookupError or ValueError if it cannot be played here."""
    from rules.engine.catalogue import load_rule_set

    return load_rule_set(head.ruleset).with_options(head.options)


def whole_record(
    head: Head, seed: str, story: Iterable[Decided | Act], key: bytes | Words | None, ended: date | None = None
) -> Iterator[bytes]:
    """Yield the lines of a game's record from its log and the acts between the entries, with the end if the game is
    over. Raises ValueError or another error of the rules if the log does not play.

    >>> record = b"".join(line + b"\\n" for line in whole_record(head, seed, story, key))  # doctest: +SKIP
    """
    from rules.engine.play import Play

    recorder = Recorder(Chain(seed), 0, 0, key)
    yield recorder.begin(head)
    rules, seats = rules_of(head), dict(head.seats)
    play = Play.start(rules, seed, seats)
    yield from recorder.fresh(play, None)
    log: list[Entry] = []
    for part in story:
        if isinstance(part, Decided):
            log.append(part.entry)
            play.replay([part.entry])
            yield from recorder.fresh(play, part.day)
            continue
        if is_rollback(part):
            del log[part.entries :]
            play = Play.start(rules, seed, seats)
            play.replay(log)
        yield recorder.act(part)
    if play.over:
        yield recorder.end(End(turn=play.state.turn, winners=tuple(play.state.winners), day=ended, seed=seed))


def published_schema() -> bytes:
    return (data_folder() / "schema" / f"game-{FORMAT}.json").read_bytes()
