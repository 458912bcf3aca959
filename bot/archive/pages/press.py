"""What players wrote to each other, turn by turn, where that was agreed before the game began."""

from __future__ import annotations

from itertools import groupby

from bot.archive.html import Laid, Part, document
from bot.archive.pages.turns import Told
from bot.archive.pages.words import page_of
from bot.press.archived import Shown
from bot.reports.document import Row, Rows
from bot.wording.sentences import say


def press_page(told: Told) -> bytes:
    """All of it that may be shown."""
    parts: list[Laid] = [
        Part(say("page.turn", turn=turn), [Rows(tuple(map(_row, those)))], f"turn-{turn}", flows=True)
        for turn, those in groupby(told.press, key=lambda each: each.turn)
    ]
    return document(page_of(told, heading=say("page.press"), below=say("page.press-below")), parts)


def _row(each: Shown) -> Row:
    return Row(say("page.press-row", faction=each.faction, readers=each.readers), tuple(each.words.splitlines()))
