"""The form of a letter: orders as lines that the player ticks or fills in where they stand in the quoted mail.

Between the marks of ``bot.mail.form`` each question has a comment that names it, one box for each legal order, and the
blank lines of its other forms. A line counts only where it comes back changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import cast

from bot.mail.form import FORM_BEGIN, FORM_END
from bot.orders.language import form_lines as forms_to_fill
from bot.reports.document import FormBlock
from bot.reports.given import Wanted
from bot.reports.plain import wrapped
from bot.reports.questions import short, silent
from bot.reports.wording import listed, say
from rules.orders import QuestionKind

WIDTH = 68  # mail programs leave shorter lines alone when they quote
BOX = "[ ] "
ALL_LISTED = frozenset(("bg-status", "intrusion", "battle-order", "prescience", "traitor"))  # no other answers
MOST_BLANKS = 4  # lines to fill in, of one question


def form_block(code: str, wanted: Sequence[Wanted], faction: str) -> FormBlock | None:
    """The form for these questions; None where there is nothing to ask or no code to know it by."""
    lines = form_lines(wanted, faction) if code else ()
    return FormBlock(FORM_BEGIN.format(code=code), lines, FORM_END.format(code=code)) if lines else None


def form_lines(wanted: Iterable[Wanted], faction: str) -> tuple[str, ...]:
    """The lines between the marks."""
    lines: list[str] = []
    for asked in wanted:
        lines += _comment(say("form.question", short=short(asked, faction), silent=silent(asked, faction)))
        if asked.answered:
            lines += _comment(say("form.answered", orders=listed(asked.answered)))
        lines += [BOX + choice for choice in asked.choices]
        if asked.kind not in ALL_LISTED:
            lines += [blank for blank in _blanks(asked.kind) if blank not in lines][:MOST_BLANKS]
    return tuple(lines)


def _comment(text: str) -> list[str]:
    return wrapped(text, "# ", width=WIDTH)


@cache
def _blanks(kind: str) -> tuple[str, ...]:
    return tuple(line for line in forms_to_fill(cast(QuestionKind, kind)) if "_" in line)
