"""The lines of a mail: orders, lines for the sheet, commands about the mail, and talk."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.orders.context import Context
from bot.orders.forms import Written, write
from bot.orders.language import Unread, has_form, read_line, understood
from bot.orders.lines import LONGEST, tidy
from bot.orders.plain.courtesies import without_greetings
from bot.orders.plain.reader import Setting, read_plain
from bot.orders.wishes import answer_to_talk
from bot.sheets.overturned import overturned, takes_back
from bot.sheets.reading import SheetLine, read_sheet_line
from bot.wording.sentences import say
from rules.orders import Order

WRAPPED = 55
"""A line of so many characters that ends with no stop goes on in the next."""

MOST_SIGNED = 4
"""Below an answer of one bare word or number stand at most so many words a line: a name, a greeting."""

_ENDS = ".!?:;"
_GREETS = re.compile(r"(?:[^\W\d_]+ ){0,2}[^\W\d_]+[,!.:]", re.UNICODE)


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
    written = list(lines)
    for number, text in enumerate(written):
        if tidy(text[:LONGEST]).empty:
            continue
        result = read_any(text, context, setting_of(written, number))
        if isinstance(result, Order) and _in_doubt(written, number, context):
            result = Unread(say("unread.overturned"), (write(result),))
        if isinstance(result, Unread) and result.chatter:
            place = place if talk else len(read)
            talk.append(text.strip())
        else:
            read.append(ReadLine(text, result))
    if talk:
        read.insert(place, ReadLine("\n".join(talk), Unread(answer_to_talk(talk), chatter=True)))
    return read


def read_any(text: str, context: Context, setting: Setting = "alone") -> Written | SheetLine | Unread:
    """What one line says: an order, a line for the sheet, or a command about the mail; else an order in plain words.
    What the grammar has to say of a line of one of its forms goes before what plain words could mean."""
    exact = understood(text, context) or read_sheet_line(text, context)
    if exact:
        return exact
    plain = read_plain(text, context, setting)
    if isinstance(plain, Order) or (plain and not has_form(text)):
        return plain
    read = read_line(text, context)
    return plain if plain and isinstance(read, Unread) and not read.suggestions else read


def _in_doubt(lines: Sequence[str], number: int, context: Context) -> bool:
    """Whether the lines next to an order, which are no orders themselves, overturn it."""
    before, after = lines[number - 1] if number else "", lines[number + 1] if number + 1 < len(lines) else ""
    rest = (line for line in lines[number + 1 :] if line.strip())
    if takes_back(next(rest, "")):
        return True
    if not overturned(before, after):
        return False
    alone = ("" if understood(line, context) or read_sheet_line(line, context) else line for line in (before, after))
    return overturned(*alone)


def setting_of(lines: Sequence[str], number: int) -> Setting:
    """Where a line stands in its mail, which decides how much is taken of what it says in plain words."""
    before = lines[number - 1].strip() if number else ""
    after = lines[number + 1].strip() if number + 1 < len(lines) else ""
    if len(before) > WRAPPED and before[-1] not in _ENDS:
        return "broken"
    if after and (after[0].islower() or lines[number].rstrip().endswith((",", "-", "–"))) and len(after.split()) > 1:
        return "broken"
    above = without_greetings([line.strip() for line in lines[:number] if line.strip()])
    if any(not _GREETS.fullmatch(line) for line in above):
        return "among"
    others = [line.strip() for line in lines[number + 1 :] if line.strip()]
    brief = all(len(line.split()) <= MOST_SIGNED and "?" not in line and not line.isdigit() for line in others)
    return "alone" if brief and not lines[number].rstrip().endswith(",") else "among"
