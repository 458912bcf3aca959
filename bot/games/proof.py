"""The proof of a game: replay it from its seed and its log, and compare every byte.

``verify`` replays a record (``bot.store.archive``) and reports the first difference. It detects a changed byte anywhere
in the log, the events, the seed or a stored snapshot. For past phases, only digests of the snapshots are stored; each
digest is compared with the position that the log leads to. A record that was written line by line during play is also
compared with the log. ``verify_file`` does the same for a file: `game.jsonl`, packed or not, `game.dune`, or the older
JSON document.

In a blind game nobody at the desk may see sealed information until they break the glass (``require_sight`` in
``bot.store.games``). A person who controls the machine can read the database anyway. The rule only helps people who
want to be honest, and the table is told when one of them had to look.

Upgrading the rules must not change a running game. ``check_running_games`` replays every running game with the
installed rules, and puts those that come out differently on hold.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path

import msgspec

import rules
from bot.games import notices
from bot.games.open_games import OpenGames
from bot.language import truthtrance
from bot.record import reader
from bot.record import reader as record_reading
from bot.record.dune_reader import looks_like_dune, read_dune
from bot.record.lines import AnyLine, Decided, End, Head, Told, salt
from bot.record.reader import (
    NotARecord,
    ReadRecord,
    counting_lines,
    difference_from_play,
    read_running_record,
    unpacked,
)
from bot.store import games, glance
from bot.store.archive import KeptChain, Record, full_record
from bot.store.database import Connection, reading, writing
from bot.store.games import KeptSnapshot
from bot.store.record import decode_entry, encode_entry, is_as_written
from bot.wording import say
from rules.components import as_faction
from rules.components.chance import commitment
from rules.components.facts import data_folder
from rules.engine.log import Entry, Snapshot
from rules.engine.play import Play
from rules.orders import PhaseName
from rules.rulesets.ruleset import RuleSet
from rules.state import events
from rules.state.state import State, without_added_fields, without_latest_fields

__all__ = ["NotARecord", "Proof", "Record", "full_record", "read_record", "verify", "write_record"]


@dataclass(frozen=True, slots=True)
class Proof:
    id: str
    entries: int
    events: int
    difference: str = ""

    @property
    def holds(self) -> bool:
        return not self.difference


def verify(kept: Record) -> Proof:
    def found(difference: str) -> Proof:
        return Proof(kept.id, len(kept.log), len(kept.events), difference)

    if commitment(kept.seed) != kept.commitment:
        return found("The seed is not the one whose commitment was published.")
    if kept.counted and kept.counted != (len(kept.log), len(kept.events)):
        entries, told = kept.counted
        lost = f"{len(kept.log)} entries and {len(kept.events)} events are stored"
        return found(f"{lost}; there should be {entries} and {told}.")
    for (turn, phase), snapshot in kept.snapshots.items():
        if not snapshot.unchanged:
            return found(f"The snapshot of turn {turn}, {phase}, has changed since it was stored.")
    try:
        log = [decode_entry(data) for data in kept.log]
    except msgspec.MsgspecError as error:
        return found(f"The log cannot be read: {error}")
    for number, data in enumerate(kept.log):
        if not is_as_written(data):
            return found(f"Entry {number} of the log is not as it was written.")
    try:
        play = _Watched.start(games.rule_set(kept.ruleset, kept.options), kept.seed, dict(kept.dots))
    except Exception as error:  # as above: an unknown rule set, an impossible seat
        return found(f"The game cannot be set up: {error}")
    difference = _compare(play, log, kept)
    if not difference and kept.chain:
        difference = compare_chain(kept, play)
    return found(difference)


class _Watched(Play):
    __slots__ = ("snapshots",)

    def __init__(self, rules: RuleSet, seed: str, state: State, entries_before: int = 0) -> None:
        self.snapshots: dict[tuple[int, str], Snapshot] = {}
        super().__init__(rules, seed, state, entries_before)

    def begin_phase(self, phase: PhaseName) -> None:
        super().begin_phase(phase)
        self.snapshots[self.snapshot.turn, self.snapshot.phase] = self.snapshot


def _compare(play: _Watched, log: Sequence[Entry], kept: Record) -> str:
    try:
        play.replay(log)
    except Exception as error:  # a changed record may fail in any way
        return f"The log cannot be replayed: {type(error).__name__}: {error}"
    for event, data in zip(play.events, kept.events, strict=False):
        told = events.encode(event)
        if told != data:
            where = f"Event {event.number} (turn {event.turn}, {event.phase})"
            return f"{where} should be {told.decode()} but is {data.decode(errors='replace')}."
    if len(play.events) != len(kept.events):
        return f"The log gives {len(play.events)} events; {len(kept.events)} are stored."
    return _compare_snapshots(play, kept)


def _compare_snapshots(play: _Watched, kept: Record) -> str:
    if not kept.snapshots:
        return ""
    last = (play.snapshot.turn, play.snapshot.phase)
    for where in (last, *(where for where, snapshot in kept.snapshots.items() if not snapshot.whole)):
        stored, made = kept.snapshots.get(where), play.snapshots.get(where)
        if stored is None or made is None or not _same(stored, made) or (where == last and not stored.whole):
            turn, phase = where
            return f"The snapshot of turn {turn}, {phase}, is not the position that the log leads to."
    return ""


def _same(stored: KeptSnapshot, made: Snapshot) -> bool:
    # the stored position may have been written before some fields were added
    counted = (stored.entries, stored.events) == (made.entries, made.events)
    ways = (bytes, without_latest_fields, without_added_fields)
    return counted and any(stored.digest == hashlib.sha256(write(made.state)).hexdigest() for write in ways)


RECORD_BEGINS = b'{\n "mentat": '


def write_record(kept: Record, path: Path) -> None:
    """Write the record as JSON into a file that only its owner can read, because it contains the seed and the secret
    orders."""
    glance.write_private_file(path, kept.as_json())


def read_record(path: Path) -> Record:
    """Read the record in a file, packed or not. Raise NotARecord, with a sentence that says why, if the file is not a
    record."""
    try:
        document = json.loads(unpacked(path.read_bytes()))
        if document["mentat"] != 1:
            raise NotARecord(f"{path} was written by a newer Mentat; use that version to verify it.")
        return Record(
            document["id"],
            document["ruleset"],
            document["options"],
            document["seed"],
            document["commitment"],
            {as_faction(faction): int(dot) for faction, dot in document["dots"].items()},
            [encode_entry(msgspec.convert(entry, Entry)) for entry in document["log"]],
            [events.encode(msgspec.convert(event, events.Event)) for event in document["events"]],
        )
    except NotARecord:
        raise
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise NotARecord(f"{path} is not the record of a game: {type(error).__name__} {error}") from error


def compare_chain(kept: Record, play: Play) -> str:
    """Describe the first line of the record that is missing, has been changed or does not follow from the log, and what
    should be there; return "" if the record is correct. ``play`` is the game, replayed from its beginning."""
    chain = kept.chain
    assert chain is not None, "there is a record to compare"
    if chain.trouble:
        return _chain_trouble(chain.trouble)
    try:
        read = read_running_record(b"".join(line + b"\n" for line in chain.lines))
    except NotARecord as error:
        return _chain_trouble(str(error))
    return _chain_trouble(
        _missing_line(chain, read)
        or _wrong_head(kept, read.head)
        or _wrong_salt(read, kept.seed)
        or str(difference_from_play(counting_lines(read.lines), play, chain.words_key) or "")
        or _missing_end(read, play)
    )


def _chain_trouble(trouble: str) -> str:
    return f"The record that was kept does not hold. {trouble[:1].upper() + trouble[1:]}" if trouble else ""


def _missing_line(chain: KeptChain, read: ReadRecord) -> str:
    have = len(read.lines)
    if have < chain.count:
        return f"Line {have + 1} is missing: there should be {chain.count} lines and there are {have}."
    if have > chain.count:
        return f"Line {chain.count + 1} should not be there: there should be {chain.count} lines and there are {have}."
    if read.chain_head != chain.head:
        return f"Line {have}, the last, should have the SHA-256 {chain.head} and has {read.chain_head}: it was changed."
    return ""


def _wrong_head(kept: Record, head: Head) -> str:
    begun = (kept.id, kept.ruleset, dict(kept.options), dict(kept.dots), kept.commitment)
    said = (head.game, head.ruleset, dict(head.options), dict(head.seats), head.commitment)
    return "" if said == begun else f"Line 1 says that the game was begun with {said}; it was begun with {begun}."


def _wrong_salt(read: ReadRecord, seed: str) -> str:
    for number, line in enumerate(read.lines):
        if line.salt != (expected := salt(seed, number)):
            return f"Line {number + 1} should have the salt {expected} and has {line.salt}."
    return ""


def _missing_end(read: ReadRecord, play: Play) -> str:
    last = read.lines[-1]
    if play.over and not isinstance(last, End):
        return f"Line {len(read.lines) + 1} is missing: the game is over, and the end should be there."
    return ""


def verify_file(path: Path) -> Proof:
    """Replay the game in a file and return the proof, with the first difference if there is one. Raise NotARecord if
    the file is not a record."""
    try:
        data = path.read_bytes()
        found = _replay_file(data)
    except OSError as error:
        raise NotARecord(f"{path} cannot be read: {error.strerror}.") from error
    except NotARecord as error:
        if error.line <= 1:
            raise NotARecord(f"{path} is not the record of a game. {error}") from error
        return Proof(path.name, 0, 0, str(error))
    if found is None:
        return verify(read_record(path))
    record, difference = found
    return Proof(record.head.game, _count_lines(record.lines, Decided), _count_lines(record.lines, Told), difference)


def _replay_file(data: bytes) -> tuple[ReadRecord, str] | None:
    start = record_reading.unpacked(data)
    if start.startswith(b'{"') and not start.startswith(b'{"mentat":'):
        record = record_reading.read_record(data)
        return record, reader.difference_from_rules(record)
    if looks_like_dune(start):
        record, _ = read_dune(data)
        return record, "" if record.end else "The game that it records is not over."
    return None


def _count_lines(lines: Iterable[AnyLine], kind: type[AnyLine]) -> int:
    return sum(isinstance(line, kind) for line in lines)


def in_sight(conn: Connection, found: Proof) -> Proof:
    """Return the proof as the desk may see it: for a blind game it says where the difference is, but not what it is."""
    where = _WHERE.match(found.difference)
    if where is None or not games.is_blind(conn, found.id):
        return found
    return replace(found, difference=say("desk-sealed.difference", where=where[0]))


_WHERE = re.compile(r"Event \d+ \([^)]*\)|The log(?= [a-z ]+:)|The game(?= cannot be set up)|The record that was kept")
"""The beginnings of the messages that go on to quote orders or events. All other messages only give numbers."""


@cache
def rules_digest() -> str:
    """Return a hash that identifies the installed rules: their code, the data that they read, and the code that fills
    in what older logs lack."""
    digest = hashlib.sha256()
    code = [(Path(package.__file__ or "").parent, "**/*.py") for package in (rules, truthtrance)]
    for folder, pattern in (*code, (data_folder(), "**/*.toml")):
        for path in sorted(folder.glob(pattern)):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def check_running_games(open_games: OpenGames, now: datetime) -> list[str]:
    """Replay every running game with the installed rules; return a sentence for each game that comes out differently.

    Such a game is put on hold, and the game master is told. If a game on hold comes out right again, it continues.
    Games that have already been checked with the same rules are skipped.
    """
    problems = []
    installed = rules_digest()
    with reading(open_games.engine) as conn:
        unchecked = games.to_check(conn, but_not=installed)
    for game_id in unchecked:
        with open_games.busy, writing(open_games.engine) as conn:
            found = in_sight(conn, verify(full_record(conn, game_id)))
            games.mark_checked(conn, game_id, installed, holds=found.holds)
            if not found.holds:
                problems.append(
                    notices.report_held_game(open_games.writer(conn, now), game_id, found.difference, installed)
                )
    return problems
