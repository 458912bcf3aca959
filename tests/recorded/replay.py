"""Replays a recorded game with the code of this checkout and finds the first event that is another one.

The events count, in their order, and not after which entry each was told: a window that is no longer held where nobody
could say anything moves some. Only the first difference of a game says anything, as all that follows comes of it. Its
*sign* is what it has in common with those of other games: the phase, the order, the kinds of the events before and
after.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.recorded.engine import EngineGame
from tests.recorded.games import RecordedGame

OPENING = -1


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a replayed game leaves its record.

    ``entry`` counts the entries of the log (OPENING is before the first), ``order`` is that entry. ``before`` and
    ``after`` are the first event that differs, "" where there is none, and ``phase`` is its phase. ``asked`` says who
    is asked now, ``refused`` why the entry was not taken, if it was not.
    """

    game: str
    entry: int
    order: str
    before: str = ""
    after: str = ""
    phase: str = ""
    asked: tuple[str, ...] = ()
    refused: str = ""

    @property
    def sign(self) -> str:
        """What groups it with others: "battle: Plan: battle-won, was leader-killed"."""
        cause = f"{self.phase}: {_kind_of_entry(self.order)}: "
        if self.refused:
            return cause + "not taken: " + re.sub(r"\d+", "N", self.refused)
        if self.before and self.after:
            before, after = json.loads(self.before), json.loads(self.after)
            if before["kind"] != after["kind"]:
                return cause + f"{after['kind']}, was {before['kind']}"
            return cause + f"{after['kind']} with other {', '.join(_changed(before, after))}"
        if self.after:
            return cause + f"{_kind(self.after)}, was none"
        asked = ", ".join(sorted({who.partition(" of ")[0] for who in self.asked})) or "nothing"
        return cause + f"no event but waits for {asked}, was {_kind(self.before)}"

    def __str__(self) -> str:
        where = "at its opening" if self.entry == OPENING else f"at entry {self.entry}, {self.order}"
        lines = [f"{self.game} differs {where}"]
        if self.refused:
            lines.append(f"  not taken: {self.refused}")
        lines += [f"  before: {self.before or 'no event'}", f"  after:  {self.after or 'no event'}"]
        if self.asked:
            lines.append(f"  asked now: {', '.join(self.asked)}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay found: a difference or none. ``moved``: the same events, but some with another entry. ``unasked``:
    how many entries name questions that are not asked any more."""

    game: str
    difference: Difference | None = None
    moved: bool = False
    unasked: int = 0


def replay(recorded: RecordedGame) -> Replayed:
    """Run the log of a recorded game, and compare every event."""
    try:
        game = EngineGame(recorded.ruleset, recorded.options, recorded.seed, recorded.seats)
    except Exception as error:
        return Replayed(recorded.game, Difference(recorded.game, OPENING, "", phase="setup", refused=_said(error)))
    told, expected = game.news(), [bytes(event) for event in recorded.opening]
    compared = _Comparison(recorded.game, OPENING, "")
    unasked, difference = 0, compared.look(told, expected, game)
    for number, step in enumerate(recorded.steps):
        if difference:
            break
        compared.entry, compared.order = number, bytes(step.entry).decode()
        try:
            unasked += not game.take(bytes(step.entry))
        except Exception as error:  # whatever comes of an old log is a difference and no end of the comparison
            before = bytes(step.events[0]) if step.events else b""
            difference = compared.late or compared.difference(before, b"", game, _said(error))
            break
        told += game.news()
        expected += [bytes(event) for event in step.events]
        difference = compared.look(told, expected, game)
    if difference is None:
        difference = compared.late or compared.surplus(told, expected, game)
    return Replayed(recorded.game, difference, compared.moved, unasked)


@dataclass(slots=True)
class _Comparison:
    """How far the two lists of events were compared. ``late`` is where events were missing first, if they still are."""

    game: str
    entry: int
    order: str
    equal: int = 0
    moved: bool = False
    late: Difference | None = None

    def look(self, told: Sequence[bytes], expected: Sequence[bytes], game: EngineGame) -> Difference | None:
        """The first event that is another one; events that come early or late are remembered."""
        while self.equal < min(len(told), len(expected)):
            if told[self.equal] != expected[self.equal]:
                return self.late or self.difference(expected[self.equal], told[self.equal], game)
            self.equal += 1
        if len(told) == len(expected):
            self.late = None
            return None
        self.moved = True
        if len(told) < len(expected) and self.late is None:
            self.late = self.difference(expected[self.equal], b"", game)
        return None

    def surplus(self, told: Sequence[bytes], expected: Sequence[bytes], game: EngineGame) -> Difference | None:
        """An event that is told at the end, where the record has none; or a game that goes on where it had ended."""
        if len(told) > len(expected):
            return self.difference(b"", told[self.equal], game)
        if not game.over:
            return self.difference(b"", b"", game)
        return None

    def difference(self, before: bytes, after: bytes, game: EngineGame, refused: str = "") -> Difference:
        """A difference at this entry."""
        event = before or after
        phase = str(json.loads(event)["phase"]) if event else game.phase
        asked = tuple(game.waits_for())
        return Difference(self.game, self.entry, self.order, before.decode(), after.decode(), phase, asked, refused)


def _said(error: Exception) -> str:
    """What an error says, without the number of the entry and without the order, which are told beside it."""
    return re.sub(r"^entry \d+: .* was accepted and is now refused: ", "", f"{error}") or type(error).__name__


def _kind(event: str) -> str:
    return str(json.loads(event)["kind"]) if event else "none"


def _kind_of_entry(order: str) -> str:
    """What sort of entry it is: the orders of a message with what tells them apart, or what silence answered."""
    if not order:
        return "opening"
    entry = json.loads(order)
    if entry["type"] == "expire":
        return "silence to " + ", ".join(sorted({key[1] for key in entry["keys"]}))
    orders = entry.get("orders") or [entry.get("order") or {"type": "withdrawn"}]
    return " and ".join(" ".join(filter(None, (each["type"], each.get("effect")))) for each in orders)


def _changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The names of the parts that are not alike: turn, audience, facts and private parts by name."""
    found = [part for part in ("turn", "phase", "audience") if before[part] != after[part]]
    for part in ("facts", "private"):
        old, new = before[part], after[part]
        found += [f"{part}.{name}" for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    return found
