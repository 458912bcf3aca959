"""The lines of a mail: orders, lines for the sheet, commands about the mail, and talk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bot.orders.context import Context
from bot.orders.forms import Written
from bot.orders.language import Unread, read_line, understood
from bot.orders.lines import LONGEST, tidy
from bot.sheets.reading import SheetLine, read_sheet_line
from bot.wording.sentences import say


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line as it came and what it says."""

    text: str
    result: Written | SheetLine | Unread


def read_lines(lines: Iterable[str], context: Context) -> list[ReadLine]:
    """What the lines of a mail say, in their order. Empty lines and comments vanish; everything that is mere talk is
    answered once, as one entry where the first of it stood."""
    read: list[ReadLine] = []
    talk: list[str] = []
    place = 0
    for text in lines:
        if tidy(text[:LONGEST]).empty:
            continue
        result = read_any(text, context)
        if isinstance(result, Unread) and result.chatter:
            place = place if talk else len(read)
            talk.append(text.strip())
        else:
            read.append(ReadLine(text, result))
    if talk:
        read.insert(place, ReadLine("\n".join(talk), Unread(say("unread.no-order"), chatter=True)))
    return read


def read_any(text: str, context: Context) -> Written | SheetLine | Unread:
    """What one line says: an order, a line for the sheet, or a command about the mail."""
    return understood(text, context) or read_sheet_line(text, context) or read_line(text, context)
