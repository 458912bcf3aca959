"""The reader and checker of records: is `game.jsonl` (packed or not) well formed, is its chain intact, and do the rules
confirm it?

Reading a record checks everything that needs no replay: each line is valid, the chain is intact, nothing is missing or
out of order, and the seed, the salts and the draws agree. If a record is damaged, the error says which line is wrong,
what it contains, and what it should contain.

A record with an intact chain may still belong to another game, and a game master could have built a chain of invented
lines. So the log is replayed, and each line that has not been rolled back is compared with the replay. Lines that were
rolled back may come from faulty rules, which may be the reason for the rollback. They stay in the record, protected
only by the chain.

``outcome_of`` returns the outcome of a game, for results, ratings and statistics. It uses only public events, so the
events in the database and the lines of a record give the same outcome. ``Cast`` and ``FiledLine`` hold the published
data about a game besides its record.
"""

from __future__ import annotations

import gzip
import hashlib
import hmac
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from io import BytesIO
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from bot.competition.outcomes import Kind, SeatOutcome, TableOutcome, Tenure
from bot.record.lines import (
    FIRST,
    FORMAT,
    Act,
    AnyLine,
    Chain,
    Decided,
    Drawn,
    End,
    Head,
    Recorder,
    Told,
    Words,
    decode,
    digest,
    encode,
    is_rollback,
    made_deals,
    own_sum,
    restore_words,
    salt,
    whole_record,
)
from rules.components import Faction
from rules.components.chance import commitment
from rules.state.events import Event

if TYPE_CHECKING:
    from rules.engine.play import Play

PACKED = b"\x1f\x8b"
"""The first bytes of a gzip file."""
LONGEST_QUOTE = 80  # the maximum number of characters of a line that an error quotes
_MOST_UNPACKED = 20_000_000  # in bytes; the longest games have fewer than one million


class NotARecord(ValueError):
    """Raised if a file is not the record of a game. ``line`` is the number of the faulty line, counted from 1, or 0 if
    the problem concerns the whole file."""

    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(f"Line {line}: {why}" if line else why)
        self.line = line


@dataclass(frozen=True, slots=True)
class ReadRecord:
    data: Sequence[bytes]
    lines: Sequence[AnyLine]

    @property
    def head(self) -> Head:
        head = self.lines[0]
        assert isinstance(head, Head), "a record begins with a head"
        return head

    @property
    def end(self) -> End | None:
        last = self.lines[-1]
        return last if isinstance(last, End) else None

    @property
    def chain_head(self) -> str:
        return digest(self.data[-1])

    def story(self) -> Iterator[Decided | Act]:
        return (line for line in self.lines if isinstance(line, Decided | Act))


def read_record(data: bytes) -> ReadRecord:
    found = read_running_record(data)
    if found.end is None:
        raise NotARecord(
            "the record has no last line of kind `end`: the game was still running when this was written, or the "
            "file was cut off.",
            len(found.lines),
        )
    return found


def read_running_record(data: bytes) -> ReadRecord:
    rows = _rows(unpacked(data))
    lines: list[AnyLine] = []
    before = FIRST
    for number, row in enumerate(rows, 1):
        lines.append(_line(row, number, len(rows)))
        if lines[-1].prev != before:
            named = f"the SHA-256 of line {number - 1}" if number > 1 else "the SHA-256 of nothing"
            raise NotARecord(
                f"the chain is broken. Its `prev` should be {before}, {named}, but is {lines[-1].prev or 'missing'}. "
                f"{f'Line {number - 1} was changed' if number > 1 else 'It was changed'}, or a line was taken out, put "
                "in or moved.",
                number,
            )
        before = digest(row)
    _check_order(lines)
    end = lines[-1]
    if isinstance(end, End):
        if end.sum != (expected := own_sum(rows[-1])):
            raise NotARecord(
                f"its `sum` should be {expected}, the SHA-256 of this line with an empty `sum`, but is "
                f"{end.sum or 'missing'}. The line was changed.",
                len(rows),
            )
        _check_seed(lines, end.seed)
    return ReadRecord(rows, lines)


def unpacked(data: bytes) -> bytes:
    if not data.startswith(PACKED):
        return data
    try:
        with gzip.open(BytesIO(data)) as packed:
            made = packed.read(_MOST_UNPACKED + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise NotARecord(f"the file is packed with gzip, but is damaged or cut off ({error}).") from error
    if len(made) > _MOST_UNPACKED:
        raise NotARecord(f"unpacked, the file has more than {_MOST_UNPACKED} bytes; no game has that many.")
    return made


def _rows(data: bytes) -> list[bytes]:
    if not data.strip():
        raise NotARecord("the file is empty; it should be the record of a game, `game.jsonl`.")
    if b"\r\n" in data:
        number = data[: data.index(b"\r\n")].count(b"\n") + 1
        raise NotARecord(
            "it ends with CR LF; lines of a record end with LF alone. The file was changed on its way, perhaps by a "
            "transfer in text mode: fetch the original file again.",
            number,
        )
    rows = data.split(b"\n")
    return rows[:-1] if not rows[-1] else rows


def _line(row: bytes, number: int, last: int) -> AnyLine:
    wanted = "the head, with `record`, `game` and `ruleset`" if number == 1 else "one JSON object"
    try:
        said = json.loads(row)
    except (ValueError, RecursionError) as error:
        cut = " The file seems to be cut off there." if number == last and number > 1 else ""
        raise NotARecord(f"expected {wanted}; found {_quoted(row)} ({error}).{cut}", number) from error
    if not isinstance(said, dict) or not isinstance(said.get("t"), str):
        raise NotARecord(f"expected {wanted}, whose `t` gives its kind; found {_quoted(row)}.", number)
    if number == 1 and said["t"] == "head" and isinstance(said.get("record"), int) and said["record"] > FORMAT:
        raise NotARecord(
            f"the record has format {said['record']}, and this Mentat reads formats up to {FORMAT}; use the newer one "
            "that wrote it.",
            number,
        )
    try:
        line = decode(row)
    except msgspec.MsgspecError as error:
        raise NotARecord(f"it is not a line of kind `{said['t']}`: {error}. Found: {_quoted(row)}.", number) from error
    if (number == 1) != isinstance(line, Head):
        raise NotARecord(f"expected {wanted}; found a line of kind `{said['t']}`.", number)
    if isinstance(line, End) and number != last:
        after = "1 line comes" if last - number == 1 else f"{last - number} lines come"
        raise NotARecord(f"it is the end of the game, and {after} after it.", number)
    return line


def _quoted(row: bytes) -> str:
    text = row.decode(errors="replace")
    return repr(text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "…")


def _check_order(lines: Sequence[AnyLine]) -> None:
    entries, events = 0, 0
    events_before: list[int] = []  # for each remaining entry, the number of events before it
    for number, line in enumerate(lines, 1):
        if isinstance(line, Decided):
            if line.n != entries:
                raise NotARecord(f"expected entry {entries}, found entry {line.n}.", number)
            entries += 1
            events_before.append(events)
        elif isinstance(line, Told):
            if line.event.number != events:
                raise NotARecord(f"expected event {events}, found event {line.event.number}.", number)
            events += 1
        elif isinstance(line, Act) and line.what == "rollback" and line.entries is not None:
            if not 0 <= line.entries <= entries:
                raise NotARecord(f"it takes the game back to {line.entries} entries; there are {entries}.", number)
            if line.entries < entries:
                entries, events = line.entries, events_before[line.entries]
                del events_before[entries:]


def _check_seed(lines: Sequence[AnyLine], seed: str) -> None:
    head = lines[0]
    assert isinstance(head, Head)
    if commitment(seed) != head.commitment:
        raise NotARecord(
            f"the seed is not the one promised in line 1: its SHA-256 should be {head.commitment}, but is "
            f"{commitment(seed)}.",
            len(lines),
        )
    for number, line in enumerate(lines):
        if line.salt != (expected := salt(seed, number)):
            raise NotARecord(f"its `salt` should be {expected}, but is {line.salt or 'missing'}.", number + 1)
        if isinstance(line, Drawn):
            _check_draw(line, seed, number + 1)


def _check_draw(line: Drawn, seed: str, number: int) -> None:
    if line.size < 1:
        raise NotARecord(f"{line.label!r} was drawn from {line.size} things; there must be one or more.", number)
    drawn = int.from_bytes(hmac.digest(seed.encode(), line.label.encode(), hashlib.sha256)[:8], "big") % line.size
    if line.got != drawn:
        raise NotARecord(f"{line.label!r} of {line.size} should draw {drawn} by the seed; found {line.got}.", number)


L = TypeVar("L", bound=AnyLine)


class CountingLine(NamedTuple):
    """A line that was not rolled back, without its salt and digest, and its number in the record, counted from 0."""

    number: int
    line: Decided | Drawn | Told


@dataclass(frozen=True, slots=True)
class Difference:
    """The first line of a record that differs from the replay. ``entry`` is the number of the log entry that caused the
    line, or 0 for lines before the first entry. ``expected`` is empty if the record has an extra line, and ``found`` is
    empty if a line is missing."""

    number: int
    entry: int
    expected: bytes
    found: bytes

    def __str__(self) -> str:
        expected, found = (data.decode(errors="replace") for data in (self.expected, self.found))
        if not expected:
            return f"line {self.number + 1} should not be there: {found}"
        if not found:
            return f"after line {self.number} this is missing: {expected}"
        return f"line {self.number + 1} should be {expected}, but is {found}"


def counting_lines(lines: Iterable[AnyLine]) -> list[CountingLine]:
    found: list[CountingLine] = []
    for number, line in enumerate(lines):
        if isinstance(line, Decided | Drawn | Told):
            found.append(CountingLine(number, bare(line)))
        elif isinstance(line, Act) and is_rollback(line):
            undone = (
                place for place, (_, kept) in enumerate(found) if isinstance(kept, Decided) and kept.n == line.entries
            )
            del found[next(undone, len(found)) :]
    return found


def difference_from_play(kept: Sequence[CountingLine], play: Play, key: bytes) -> Difference | None:
    made = [bare(decode(data)) for data in Recorder(Chain(""), 0, 0, key).fresh(play, None)]
    entry = 0
    for there, line in zip_longest(kept, made):
        expected, found = encode(line) if line else b"", encode(there.line) if there else b""
        if expected != found:
            return Difference(there.number if there else _after(kept), entry, expected, found)
        if isinstance(line, Decided):
            entry = line.n
    return None


def _after(kept: Sequence[CountingLine]) -> int:
    return kept[-1].number + 1 if kept else 0


def bare(line: L) -> L:
    """Return the line without its salt, digest and day, which do not come from the rules."""
    line = replace(line, salt="", prev="")
    if isinstance(line, End):
        return replace(line, day=None, sum="")
    return replace(line, day=None) if isinstance(line, Decided) else line


def played_again(record: ReadRecord, story: Iterable[Decided | Act], seed: str) -> Iterator[bytes]:
    """Replay the log and the acts of a record with the seed, and yield the resulting lines. If the log cannot be
    replayed, the rules may raise any error."""
    made = made_deals(record.lines)
    restoring = (
        replace(part, entry=restore_words(part.entry, made)) if isinstance(part, Decided) else part for part in story
    )
    return whole_record(record.head, seed, restoring, Words(known=made), record.end.day if record.end else None)


def difference_from_rules(record: ReadRecord) -> str:
    """Return a sentence about the first line of a finished game's record that the rules do not confirm, or "" if they
    confirm all lines. The seed, the salts and the chain were already checked when the record was read."""
    end = record.end
    assert end is not None, "only the record of a finished game can be replayed"
    log = [line for _, line in counting_lines(record.lines) if isinstance(line, Decided)]
    made: list[AnyLine] = []
    try:
        for line in played_again(record, log, end.seed):
            made.append(decode(line))
    except Exception as error:  # a changed record may fail in any way
        reached = sum(isinstance(line, Decided) for line in made)
        return _compare(record, made[1:]) or (
            f"Line {_line_of(record, reached)}: entry {reached} cannot be replayed: {type(error).__name__}: {error}"
        )
    return _compare(record, made[1:], whole_game=True)


def _compare(record: ReadRecord, made: Sequence[AnyLine], *, whole_game: bool = False) -> str:
    kept: list[tuple[int, AnyLine]] = [*counting_lines(record.lines)]
    last = record.lines[-1]
    kept.append((len(record.lines) - 1, last))
    for there, line in zip_longest(kept if whole_game else kept[: len(made)], made):
        expected = encode(bare(line)) if line else b""
        found = encode(bare(there[1])) if there else b""
        if expected != found:
            told = str(Difference(there[0] if there else len(record.lines), 0, expected, found))
            return f"{told[0].upper()}{told[1:]}.".replace('"salt":"","prev":"",', "").replace(',"sum":""', "")
    return ""


def _line_of(record: ReadRecord, entry: int) -> int:
    return next(
        number + 1 for number, line in counting_lines(record.lines) if isinstance(line, Decided) and line.n == entry
    )


KINDS: Mapping[str, Kind] = {
    "strongholds": "stronghold",
    "most strongholds": "stronghold",
    "prediction": "prediction",
    "fremen": "default",
    "guild": "default",
    "agreed": "agreed",
    "adjudicated": "adjudicated",
    "void": "void",
}
"""The kind of result for each of the game's words for a victory."""

Alliances = tuple[tuple[Faction, ...], ...]


class Outcome:
    def __init__(self) -> None:
        self.turn = 0
        self.how = ""
        self.winners: tuple[Faction, ...] = ()
        self.held: Mapping[Faction, int] = {}
        self.over_turns: Counter[Faction] = Counter()
        self.alliances: Alliances = ()
        self.first_alliances: Alliances | None = None
        self.traitors: Counter[Faction] = Counter()

    def see(self, event: Event) -> None:
        facts = event.facts
        self.turn = max(self.turn, event.turn)
        if event.kind == "strongholds":
            self.held = {faction: len(places) for faction, places in facts["held"].items()}
            self.over_turns.update(self.held)
        elif event.kind == "nexus-over":
            self.alliances = tuple(tuple(sorted(group)) for group in facts.get("alliances", ()))
            if self.first_alliances is None:
                self.first_alliances = self.alliances
        elif event.kind == "battle-won" and facts.get("by") == "treachery":
            self.traitors[facts["winner"]] += 1
        elif event.kind == "battle-without-winner" and facts.get("why") == "two traitors":
            self.traitors.update(facts["sides"])
        elif event.kind == "game-won":
            self.winners, self.how, self.turn = tuple(facts["winners"]), facts["how"], event.turn

    @property
    def kind(self) -> Kind:
        """Return the kind of result. A game without winners is ``void``."""
        return KINDS.get(self.how, "stronghold") if self.winners else "void"

    def table(
        self, game: str, ruleset: str, dots: Mapping[Faction, int], *, names: Mapping[Faction, str] | None = None,
        began: date | None = None, ended: date | None = None, letters: int = 0, rules: Mapping[str, Any] | None = None,
    ) -> TableOutcome:  # fmt: skip
        return TableOutcome(
            game=game, ruleset=ruleset, kind=self.kind, winners=self.winners, turn=self.turn, how=self.how,
            seats=tuple(
                SeatOutcome(
                    faction=faction, dot=dot,
                    tenures=(Tenure(entrant=names[faction], first=1, last=self.turn),) if names else (),
                    strongholds=self.held.get(faction, 0), strongholds_over_turns=self.over_turns[faction],
                )
                for faction, dot in sorted(dots.items(), key=lambda item: item[1])
            ),
            ended=ended, days=(ended - began).days + 1 if began and ended else 0, letters=letters,
            alliances=self.alliances, first_alliances=self.first_alliances or (), traitors=dict(self.traitors),
            rules=rules or {},
        )  # fmt: skip


def outcome_of(events: Iterable[Event]) -> Outcome:
    outcome = Outcome()
    for event in events:
        outcome.see(event)
    return outcome


@dataclass(frozen=True, slots=True)
class Cast:
    """The player of a faction, under their name in the archive ("Atreides of sietch-7" if they chose none). ``listed``
    is true if they agreed to appear in the list of players. ``caretaker`` is true if the caretaker played the seat at
    the end."""

    faction: Faction
    dot: int
    name: str
    listed: bool = False
    caretaker: bool = False


@dataclass(frozen=True, slots=True)
class FiledLine:
    """A line of a sheet, without private words between two players, and its state: active, used, replaced, withdrawn or
    over. ``turn`` is the last turn in which it was valid, or 0 if it was valid in every turn. ``acted`` is the moment
    of the game at which it last made a play, or empty if it never did."""

    faction: Faction
    number: int
    line: str
    turn: int
    state: str
    acted: str
