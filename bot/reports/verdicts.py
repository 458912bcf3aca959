"""What became of the lines of a mail: the verdict on each, and on all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from bot.reports.document import Verdict
from bot.reports.given import LineRead, Position
from bot.reports.wanted import buttons
from bot.wording.sentences import say
from bot.wording.spoken import ordered

SHORT_REASON = 60
"""Characters that stand on one line of the text part, behind the verdict."""
TAKEN = ("accepted", "held", "done")
"""What became of lines that count as taken."""


def verdict(position: Position, line: LineRead) -> Verdict:
    """What became of one line, why, and what would be right."""
    line = replace(line, suggestions=tuple(map(ordered, line.suggestions)))
    details: list[str] = []
    if line.status in ("accepted", "held"):
        details.append(say(f"verdict.{line.status}-line", canonical=ordered(line.canonical), kept=line.kept))
    details += [piece for piece in line.reason.split("\n") if piece.strip()]
    if line.clause:
        details.append(say("verdict.clause", clause=line.clause, rule=line.rule))
    shown = () if _stands_in(line.reason, line.suggestions) else line.suggestions
    if shown:
        details.append(say("verdict.right", number=len(shown)))
    tone: Literal["good", "bad", "plain"] = (
        "plain" if line.status == "talk" else "good" if line.status in TAKEN else "bad"
    )
    complete = [suggestion for suggestion in line.suggestions if "__" not in suggestion]
    ready = buttons(position, complete) if len(complete) == len(line.suggestions) else ()
    return Verdict(
        line.text,
        say(f"verdict.{line.status}"),
        tone,
        tuple(details),
        shown,
        order=line.status == "accepted",
        buttons=ready,
    )


def verdict_of_all(lines: Sequence[LineRead]) -> str:
    """What became of a mail, as the headline of its answer."""
    orders = [line for line in lines if line.status != "talk"]
    taken = [line for line in orders if line.status in TAKEN]
    if not orders:
        return say("reply.title-nothing")
    if all(line.status == "done" for line in orders):
        return say("reply.title-answer")
    if len(orders) == len(taken) == 1:
        return say("reply.title-one")
    key = "all" if len(taken) == len(orders) else "some" if taken else "none"
    return say(f"reply.title-{key}", taken=len(taken), lines=len(orders))


def _stands_in(reason: str, suggestions: Sequence[str]) -> bool:
    """Whether the reason itself shows the one line that would be right, whole, so that it can be copied from there."""
    return len(suggestions) == 1 and f"“{suggestions[0]}”" in reason and len(reason) <= SHORT_REASON
