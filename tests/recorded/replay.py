"""Replay a recorded game with the code of this checkout, and find the first event that differs.

Only the events and their order are compared, not the entry that each of them follows. That entry may change, for
example if the game no longer pauses where nobody could say anything. Only a game's first difference matters, because
all later ones follow from it. Its *sign* is what it shares with differences in other games: the phase, the order, and
the kinds of the expected and actual events.

Views, questions and refusals are compared too, if they were recorded. Again, only a game's first difference is
reported. It counts only if no event differs, so the events determine a game's sign.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from tests.recorded.engine import EngineGame
from tests.recorded.games import Look, RecordedGame

OPENING = -1
MOST_SILENCES = 5
MOST, CONTEXT = 1000, 120
"""The maximum length of a reported text, and the number of characters shown before the first difference."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The point at which a replayed game departs from its record.

    ``entry`` is the index of the log entry (OPENING is before the first), and ``order`` is that entry. ``before`` and
    ``after`` are the first event that differs, as recorded and as replayed, or "" if there is none. ``phase`` is its
    phase. ``asked`` lists the questions that are open now. ``refused`` is why the entry was refused, if it was.
    """

    game: str
    entry: int
    order: str
    before: str = ""
    after: str = ""
    phase: str = ""
    asked: tuple[str, ...] = ()
    refused: str = ""
    section: str = ""
    """The section or try that differs, with its texts in ``before`` and ``after``, or "" for an event."""
    sight: Difference | None = None
    """For a difference between events, the first difference in what is seen."""

    @property
    def sign(self) -> str:
        """Return the sign, such as "battle: Plan: battle-won, was leader-killed"."""
        cause = f"{self.phase}: {_kind_of_entry(self.order)}: "
        if self.section:
            return cause + f"{self.section.partition(' {')[0]} is seen otherwise"
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
        if self.section:
            lines += [f"  {self.section}", *_both(self.before, self.after)]
        else:
            lines += [f"  before: {self.before or 'no event'}", f"  after:  {self.after or 'no event'}"]
        if self.sight:
            lines.append(f"what is seen {str(self.sight).removeprefix(f'{self.game} ')}")
        if self.asked:
            lines.append(f"  asked now: {', '.join(self.asked)}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a replay. ``difference`` is None if there is none. ``moved`` is true if some of the events followed
    a different entry. ``unasked`` counts the entries that name questions which are no longer asked. ``silent`` lists
    questions not in the record that took their default: "discards of fremen"."""

    game: str
    difference: Difference | None = None
    moved: bool = False
    unasked: int = 0
    silent: tuple[str, ...] = ()


def replay(recorded: RecordedGame, silence: bool = False) -> Replayed:
    """Run the log of a recorded game, and compare every event. With ``silence``, a question that is not in the record
    takes its default, so that later events can be compared."""
    try:
        game = recorded.began()
    except Exception as error:
        return Replayed(recorded.game, Difference(recorded.game, OPENING, "", phase="setup", refused=_said(error)))
    run, unasked = _Run(recorded.game, game), 0
    run.said, run.ends = recorded.said, recorded.ends
    run.compare(recorded.opening)
    run.see(recorded.look)
    for number, step in enumerate(recorded.steps):
        entry = bytes(step.entry)
        if silence:
            run.answer_what_is_new(entry)
        if run.found:
            break
        run.entry, run.order = number, entry.decode()
        try:
            unasked += not game.take(entry)
        except Exception as error:  # any failure of an old log is a difference, and must not stop the comparison
            before = bytes(step.events[0]) if step.events else b""
            run.found = run.late or run.difference(before, b"", _said(error))
            break
        run.compare(step.events)
        run.see(step.look)
    if silence:
        run.answer_what_is_new()
    found = run.found or run.late or run.at_the_end()
    if found and run.sight:
        found = replace(found, sight=run.sight)
    return Replayed(recorded.game, found or run.sight, run.moved, unasked, tuple(run.silent))


@dataclass(slots=True)
class _Run:
    """A game being replayed, and the progress of the comparison with its record.

    ``found`` is the first difference. ``late`` is the point at which events first went missing; it is None again if
    they come later. ``known`` are the questions that were open before the last entry. They take their default only if
    no other question is open.
    """

    name: str
    game: EngineGame
    entry: int = OPENING
    order: str = ""
    told: list[bytes] = field(default_factory=list)
    expected: list[bytes] = field(default_factory=list)
    equal: int = 0
    moved: bool = False
    found: Difference | None = None
    late: Difference | None = None
    silent: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    said: Sequence[str] = ()
    ends: bool = True
    seen: dict[str, bytes] = field(default_factory=dict)
    sight: Difference | None = None

    def compare(self, expected: Sequence[bytes | msgspec.Raw] = ()) -> None:
        """Compare the new events with those that the record has for this entry."""
        self.told += self.game.news()
        self.expected += map(bytes, expected)
        while self.equal < min(len(self.told), len(self.expected)):
            before, after = self.expected[self.equal], self.told[self.equal]
            if before != after:
                self.found = self.found or self.late or self.difference(before, after)
                return
            self.equal += 1
        missing = len(self.expected) - len(self.told)
        self.moved = self.moved or missing != 0
        if missing <= 0:
            self.late = None
        elif self.late is None:
            self.late = self.difference(self.expected[self.equal], b"")

    def see(self, look: Look | None) -> None:
        """Compare what is seen and asked now, and the results of tries, unless a difference was found before."""
        if look is None:
            return
        for name in look.gone:
            del self.seen[name]
        self.seen |= {name: bytes(text) for name, text in look.seen.items()}
        if self.found or self.late or self.sight:
            return
        try:
            now, tries = self.game.look(), self.game.tries(self.entry + 1)
        except Exception as error:  # any failure to look is a difference, and must not stop the comparison
            self.sight = replace(self.difference(b"", b"", _said(error)), section="a look")
            return
        if now != self.seen:
            name = next(name for name in [*self.seen, *now] if self.seen.get(name) != now.get(name))
            self.sight = replace(self.difference(b"", b""), section=name, asked=(), before=self._text(self.seen, name),
                                 after=self._text(now, name))  # fmt: skip
        elif [told for _, told in tries] != (before := [self.said[place] for place in look.tried]):
            number = next(n for n in range(len(tries)) if [tries[n][1]] != before[n : n + 1])
            (tried, after), then = tries[number], before[number] if number < len(before) else "not tried"
            self.sight = replace(self.difference(b"", b""), section=tried, asked=(), before=then, after=after)

    @staticmethod
    def _text(sections: Mapping[str, bytes], name: str) -> str:
        return sections[name].decode() if name in sections else "not there"

    def answer_what_is_new(self, entry: bytes = b"") -> None:
        """Let open questions take their default while events are late, or while the next log entry would be refused."""
        for _ in range(MOST_SILENCES):
            if self.found or self.game.over or not (self.late or (entry and self.game.refuses(entry))):
                break
            self.silent += self.game.let_silence_answer(self.known)
            self.compare()
        self.known = self.game.waits_for()

    def at_the_end(self) -> Difference | None:
        """Return a difference if there are more events than recorded, or if only one game has ended."""
        if len(self.told) > len(self.expected):
            return self.difference(b"", self.told[self.equal])
        return None if self.game.over is self.ends else self.difference(b"", b"")

    def difference(self, before: bytes, after: bytes, refused: str = "") -> Difference:
        event = before or after
        phase = str(json.loads(event)["phase"]) if event else self.game.phase
        asked = tuple(self.game.waits_for())
        return Difference(self.name, self.entry, self.order, before.decode(), after.decode(), phase, asked, refused)


def _both(before: str, after: str) -> list[str]:
    """Return two lines with the texts. If they are long, show only the part around the first difference."""
    start = next((n for n, (old, new) in enumerate(zip(before, after, strict=False)) if old != new), 0)
    cut = max(0, start - CONTEXT) if max(len(before), len(after)) > MOST else 0
    dots = "…" if cut else ""
    return [f"  before: {dots}{before[cut : cut + MOST]}", f"  after:  {dots}{after[cut : cut + MOST]}"]


def _said(error: Exception) -> str:
    """Return an error's message without the entry's number and order, which are reported separately."""
    return re.sub(r"^entry \d+: .* was accepted and is now refused: ", "", f"{error}") or type(error).__name__


def _kind(event: str) -> str:
    return str(json.loads(event)["kind"]) if event else "none"


def _kind_of_entry(order: str) -> str:
    """Describe an entry: the kinds of its orders with their effects, or the questions that took their default."""
    if not order:
        return "opening"
    entry = json.loads(order)
    if entry["type"] == "expire":
        return "silence to " + ", ".join(sorted({key[1] for key in entry["keys"]}))
    if entry["type"] == "correct":
        return "correction of " + " and ".join(each["type"] for each in entry["corrections"])
    if entry["type"] in ("last-turn", "stop"):
        return " ".join(filter(None, (entry["type"], entry.get("how"))))
    orders = entry.get("orders") or [entry.get("order") or {"type": "withdrawn"}]
    return " and ".join(" ".join(filter(None, (each["type"], each.get("effect")))) for each in orders)


def _changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return the names of the parts that differ: turn, audience, facts and private parts."""
    found = [part for part in ("turn", "phase", "audience") if before[part] != after[part]]
    for part in ("facts", "private"):
        old, new = before[part], after[part]
        found += [f"{part}.{name}" for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    return found
