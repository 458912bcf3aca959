"""The proof of a game: play it again from its seed and its log and compare every byte.

A record (``bot.store.record``) is one JSON document that needs nothing else. ``verify`` plays the log again and says
the first thing that differs; a changed byte anywhere in the log, the events, the seed or a stored snapshot shows. Of
the snapshots of past phases only digests are stored, and each is compared with the position that the log leads to
there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bot.games.kept_chain import compare_chain
from bot.record.reading import NotARecord, unpacked
from bot.store import games, owner_only
from bot.store.games import KeptSnapshot
from bot.store.record import Record, record
from rules.components import as_faction
from rules.components.chance import commitment
from rules.engine.log import Entry, Snapshot
from rules.engine.play import Play
from rules.orders import PhaseName
from rules.rulesets.ruleset import RuleSet
from rules.state import events
from rules.state.older import as_written_before, as_written_lately
from rules.state.state import State

__all__ = ["NotARecord", "Proof", "Record", "read_record", "record", "verify", "write_record"]


@dataclass(frozen=True, slots=True)
class Proof:
    """What a verification found. ``difference`` is empty if the game holds."""

    id: str
    entries: int
    events: int
    difference: str = ""

    @property
    def holds(self) -> bool:
        """Whether every byte was found again."""
        return not self.difference


def verify(kept: Record) -> Proof:
    """Play the game again; the first difference, or none."""

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
            return found(f"The snapshot of turn {turn}, {phase}, was changed since it was stored.")
    try:
        log = [games.decode(data) for data in kept.log]
    except msgspec.MsgspecError as error:
        return found(f"The log cannot be read: {error}")
    for number, data in enumerate(kept.log):
        if not games.is_as_written(data):
            return found(f"Entry {number} of the log is not as it was written.")
    try:
        play = _Watched.start(games.rule_set(kept.ruleset, kept.options), kept.seed, dict(kept.dots))
    except Exception as error:  # likewise: an unknown rule set, a seat that cannot be
        return found(f"The game cannot be set up: {error}")
    difference = _compare(play, log, kept)
    if not difference and kept.chain:
        difference = compare_chain(kept, play)
    return found(difference)


class _Watched(Play):
    """A game that keeps the snapshot of every phase as it is played again."""

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
    except Exception as error:  # what was changed may lead anywhere
        return f"The log does not play: {type(error).__name__}: {error}"
    for event, data in zip(play.events, kept.events, strict=False):
        told = events.encode(event)
        if told != data:
            where = f"Event {event.number} (turn {event.turn}, {event.phase})"
            return f"{where} should be {told.decode()} and is {data.decode(errors='replace')}."
    if len(play.events) != len(kept.events):
        return f"The log gives {len(play.events)} events; {len(kept.events)} are stored."
    return _compare_snapshots(play, kept)


def _compare_snapshots(play: _Watched, kept: Record) -> str:
    """Whether the snapshot that the game goes on from, and those of which only a digest is kept, are the positions that
    the log leads to."""
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
    """Whether it is the same position; it may have been written before some of its fields existed."""
    counted = (stored.entries, stored.events) == (made.entries, made.events)
    ways = (bytes, as_written_lately, as_written_before)
    return counted and any(stored.digest == hashlib.sha256(write(made.state)).hexdigest() for write in ways)


RECORD_BEGINS = b'{\n "mentat": '


def write_record(kept: Record, path: Path) -> None:
    """Write the record as JSON, for its owner alone: it holds the seed, and what players did in secret."""
    owner_only.write(path, kept.as_json())


def read_record(path: Path) -> Record:
    """The record in a file, compressed as it is mailed or not. NotARecord, with a sentence, if it is none."""
    try:
        document = json.loads(unpacked(path.read_bytes()))
        if document["mentat"] != 1:
            raise NotARecord(f"{path} was written by a newer Mentat; use that one to verify it.")
        return Record(
            document["id"],
            document["ruleset"],
            document["options"],
            document["seed"],
            document["commitment"],
            {as_faction(faction): int(dot) for faction, dot in document["dots"].items()},
            [games.encode(msgspec.convert(entry, Entry)) for entry in document["log"]],
            [events.encode(msgspec.convert(event, events.Event)) for event in document["events"]],
        )
    except NotARecord:
        raise
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise NotARecord(f"{path} is not the record of a game: {type(error).__name__} {error}") from error
