"""The lines of a record, `game.jsonl`: their contents, how they follow from a game, and their JSON Schema.

A line is one JSON object that contains the SHA-256 of the line before. The first line is the ``Head``. After it come
decisions (``Decided``), draws (``Drawn``), events (``Told``) and acts of the game master (``Act``), in the order in
which they happened: first the draws and events of the set-up, then each entry of the log, followed by the draws and
events that it caused. The last line of a finished game is its ``End``, which contains the seed. ``t`` is the kind of a
line. Each line has its own salt, derived from the seed (``salt``), so that nobody can guess a line from a hash that was
published during the game. Later versions may add fields to a line, but never remove one.

A record depends only on the log, the acts and the game's own key. It has the same bytes whether it was kept entry by
entry over months (``Recorder``) or made all at once (``whole_record``).

The words of an offered deal are known only to two players, so the record contains a digest instead. The digest is keyed
with a secret number of the game that is never published, so nobody can test guesses against it. Once the deal is made,
everybody can read it: its event contains the text, and the line of the event also contains the digest. So a reader can
put the text back into the log and replay it (``made_deals``, ``restore_words``). An offer that came to nothing is
replayed with the digest in place of its words, which have no effect on the game.

The schema in `data/schema/` is made from the types of the lines, including the names and doc strings of the classes. A
reader of records must accept fields that the schema does not contain, because a newer version may have added them.
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
"""The version number of the format. A file with a higher number was written by a newer Mentat."""


class Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="t"):
    """The fields that every line has. The chain sets ``salt`` and ``prev``."""

    salt: str = ""
    prev: str = ""


class Head(Line, frozen=True, kw_only=True, tag="head"):
    """The start of the game: its rule set and options, the dot of each faction, the digest of the rules with which it
    began, and the commitment to its seed. ``record`` is the number of the format."""

    record: int = FORMAT
    game: str
    ruleset: str
    options: Mapping[str, Any]
    seats: Mapping[Faction, int]
    rules: str = ""
    commitment: str
    day: date | None = None


class Decided(Line, frozen=True, kw_only=True, tag="entry"):
    """An entry of the log: orders that were accepted, questions that were settled by default, or orders that were
    withdrawn. ``n`` is the number of the entry in the game, counted from 0. ``day`` is the day of the entry in UTC, if
    it is known. ``turn`` and ``phase`` say where the game was at that moment."""

    n: int
    day: date | None = None
    turn: int = 0
    phase: PhaseName | None = None
    entry: Entry


class Drawn(Line, frozen=True, kw_only=True, tag="draw"):
    """A random number: ``got`` is between 0 and ``size - 1``, and follows from the seed and the ``label``
    (``rules.components.chance``). The label ends with the number of earlier draws of its kind."""

    label: str
    size: int
    got: int


class Told(Line, frozen=True, kw_only=True, tag="event"):
    """An event, with the facts that everybody knows and those that only some know. For a deal that was made, ``words``
    is the digest that stands for its text in the offer (``bot.record.lines``)."""

    event: Event
    words: str | msgspec.UnsetType = msgspec.UNSET


class Act(Line, frozen=True, kw_only=True, tag="act"):
    """An act of the game master or the calendar. After a ``rollback`` the game goes on from the first ``entries``
    entries of its log; the later entries above this line no longer count."""

    what: str
    why: str = ""
    day: date | None = None
    entries: int | None = None


class End(Line, frozen=True, kw_only=True, tag="end"):
    """The end of the game, and the seed to which the head is committed. No later line can contain the SHA-256 of this
    line, so this line contains its own: ``sum`` is the SHA-256 of this line with an empty ``sum``."""

    turn: int
    winners: tuple[Faction, ...]
    day: date | None = None
    seed: str
    sum: str = ""


AnyLine = Head | Decided | Drawn | Told | Act | End

_encoder = msgspec.json.Encoder(order="deterministic")
_decoder: msgspec.json.Decoder[AnyLine] = msgspec.json.Decoder(AnyLine)


def encode(line: AnyLine) -> bytes:
    """Encode a line as JSON, without a line break at its end. The same line always gives the same bytes."""
    return _encoder.encode(line)


def decode(data: bytes | str) -> AnyLine:
    return _decoder.decode(data)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def own_sum(row: bytes) -> str:
    return digest(_SUM.sub(b'"sum":""', row))


_SUM = re.compile(rb'"sum":"[0-9a-f]*"')

FIRST = digest(b"")
"""The digest in the first line, which has no earlier line."""


def salt(seed: str, number: int) -> str:
    """Return the salt of the line with this number, counted from 0.

    >>> salt("spice", 0)
    '83df6b61c356585de6f8cb6e4362bcdc'
    """
    return hmac.digest(seed.encode(), f"salt#{number}".encode(), "sha256").hex()[:32]


class Chain:
    """Adds a salt and the digest of the previous line to each line in turn. ``head`` is the digest of the last line,
    and ``lines`` is the number of lines.

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
"""The digest that stands in place of the words of a deal."""


class MadeDeal(NamedTuple):
    giver: Faction
    receiver: Faction
    text: str


class Words:
    """Replaces the words of deals with digests. ``key`` is the game's own secret. Without a key, only ``known`` words
    (the words of deals that were made) are replaced.

    >>> Words(bytes(32)).hidden("guild", "fremen", "no  attack in turn 4")
    'words:1c184a964d83c770b5a4bcce34d01c99'
    """

    __slots__ = ("_key", "_known")

    def __init__(self, key: bytes | None = None, known: Mapping[str, MadeDeal] | None = None) -> None:
        self._key = key
        self._known = {made: digest for digest, made in (known or {}).items()}

    def hidden(self, giver: Faction, receiver: Faction, text: str) -> str:
        """Return the digest for these words. A text that is empty, or is already a digest, is returned unchanged."""
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
        """Return the line for an event. The words of an offer are left out. The words of a deal that was made are kept,
        and their digest is added."""
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
    """Adds new entries, events and draws of a game to the chain.

    ``entries``, ``events`` and ``draws`` count those recorded since the beginning of the game. If the draws were never
    counted, all draws before the first unrecorded entry are assumed to have been recorded. ``key`` hides the words of
    offers (``bot.record.lines``).

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
        """Return the lines for everything that has not been recorded yet. ``day`` is the day of the new entries. Raise
        ValueError if some of the entries are no longer part of the play."""
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
        """Return the line for an act. After a rollback, ``fresh`` continues from the entry to which the game was rolled
        back."""
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
                f"entry {self.entries} is not recorded yet, but the play begins at entry {play.entries_before}"
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
            raise ValueError("the draws or events to record are no longer in memory")
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
    """Return an entry as it would be decoded from the log. For example, a computed dial may be 3, but a decoded one is
    3.0."""
    return _entries.decode(msgspec.json.encode(entry))


def _drawn(label: str, size: int, got: int) -> Drawn:
    return Drawn(label=label, size=size, got=got)


def is_rollback(act: Act) -> bool:
    return act.what == "rollback" and act.entries is not None


def rules_of(head: Head) -> RuleSet:
    """Return the rule set of a game with its options. Raise LookupError or ValueError if Mentat cannot play it."""
    from rules.engine.catalogue import load_rule_set

    return load_rule_set(head.ruleset).with_options(head.options)


def whole_record(
    head: Head, seed: str, story: Iterable[Decided | Act], key: bytes | Words | None, ended: date | None = None
) -> Iterator[bytes]:
    """Yield the lines of a game's record, made from its log and the acts between the entries. If the game is over, its
    end is included. Raise ValueError or another error of the rules if the log cannot be replayed.

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
