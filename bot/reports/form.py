"""The form of a letter: orders as lines that the player ticks or fills in where they stand in the quoted mail.

Between the marks of ``bot.mail.words.form`` each question has a comment that names it, one box for each legal order,
and the blank lines of its other forms. A line counts only where it comes back changed. Who is asked for a reaction is
reminded that they can be left in peace for the rest of the turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import cast

from bot.mail.words.form import FORM_BEGIN, FORM_END
from bot.orders.language import form_lines as forms_to_fill
from bot.orders.language import write
from bot.reports.document import FormBlock
from bot.reports.given import Call, Position, Wanted
from bot.reports.plain import wrapped
from bot.reports.questions import short, silent
from bot.wording.filters import listed
from bot.wording.sentences import say
from rules.orders import Predict, QuestionKind, Waive

WIDTH = 68  # mail programs leave shorter lines alone when they quote
BOX = "[ ] "
ALL_LISTED = frozenset(("bg-status", "intrusion", "battle-order", "prescience", "traitor"))  # no other answers
MOST_BLANKS = 4  # lines to fill in, of one question


def form_block(position: Position) -> FormBlock | None:
    """The form of a letter; None where there is nothing to ask or no code to know it by."""
    code = position.form_code
    lines = form_lines(position) if code else ()
    return FormBlock(FORM_BEGIN.format(code=code), lines, FORM_END.format(code=code)) if lines else None


def form_lines(position: Position) -> tuple[str, ...]:
    """The lines between the marks."""
    lines: list[str] = []
    faction = position.reader.viewer
    for asked in position.wanted:
        lines += _comment(say("form.question", short=short(asked, faction), silent=silent(asked, faction)))
        if asked.answered:
            lines += _comment(say("form.answered", orders=listed(asked.answered)))
        lines += [BOX + choice for choice in asked.choices]
        if asked.kind == "karama-window" and position.view["phase"] != "mentat":
            lines.append(BOX + write(Waive("mentat")))
        if asked.kind not in ALL_LISTED:
            blanks = [line for line in _blanks(asked.kind) if _of_use(line, position, asked) and line not in lines]
            lines += _of_each_player(asked) if asked.kind == "prediction" else blanks[:MOST_BLANKS]
    return (*lines, *_call_lines(position, lines))


def _of_each_player(asked: Wanted) -> list[str]:
    """A prediction of each player who can be predicted, its turn to be filled in."""
    turns = [write(Predict(faction, 1)) for faction in asked.about["factions"]]
    return [line.removesuffix("1") + "_" for line in turns]


def _call_lines(position: Position, before: Sequence[str]) -> list[str]:
    """The lines that are prepared for a sheet, the same for everybody."""
    if position.call is None:
        return []
    return [*_comment(say("call.form")), *(line for line in _prepared(position.call) if line not in before)]


def boxes_of_call(call: Call) -> tuple[str, ...]:
    """The lines prepared for a sheet that are ticked, and complete as they are: a button can send them."""
    return tuple(line.removeprefix(BOX) for line in _prepared(call) if line.startswith(BOX))


def _prepared(call: Call) -> list[str]:
    return say(f"call.lines-{call.round}").split(" | ")


def _of_use(line: str, position: Position, asked: Wanted) -> bool:
    """Whether the reader can have use for a blank: no card that they do not hold, no Guild's ways without the Guild."""
    faction = position.reader.viewer
    player = position.view["players"].get(faction, {})
    hand, allies = player.get("hand") or (), (player.get("ally") or "").split(", ")
    if line.startswith("hajr "):
        return "Hajr" in hand
    if line.endswith(" with karama"):
        return "Karama" in hand or faction == "bene-gesserit"
    if line.endswith(" to reserves") and not asked.about.get("returns", True):
        return False
    return not line.startswith("ship _ from ") or "guild" in (faction, *allies)


def _comment(text: str) -> list[str]:
    return wrapped(text, "# ", width=WIDTH)


@cache
def _blanks(kind: str) -> tuple[str, ...]:
    return tuple(line for line in forms_to_fill(cast(QuestionKind, kind)) if "_" in line)
