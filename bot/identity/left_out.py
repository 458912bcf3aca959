"""What a player is told of lines in their mail that were left out, where one could have been meant as an order."""

from __future__ import annotations

from collections.abc import Sequence

from bot.orders.language import Context, Unread
from bot.sheets.lines import read_any
from bot.wording.sentences import say
from rules.components import Faction

MOST_LINES = 3
MOST_LETTERS = 60


def left_out(ignored: Sequence[str], faction: Faction) -> list[str]:
    """One sentence about those lines below a signature, in a footer or the like that could have been meant as orders;
    none if there are no such. Nobody needs to be told in every answer that they sign their name."""
    told = [line for line in ignored if _like_an_order(line, Context(faction))]
    lines = [f"“{line[:MOST_LETTERS]}”" for line in told[:MOST_LINES]]
    return [say("reading.ignored", lines=lines, more=len(told) - len(lines))] if told else []


def _like_an_order(line: str, context: Context) -> bool:
    read = read_any(line, context)
    return not (isinstance(read, Unread) and (read.chatter or len(line.split()) == 1))
