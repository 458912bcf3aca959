"""The lines of a mail: orders, lines for the sheet, commands about the mail, and talk.

Lines around an order may overturn it: "Do not / bid 5", "bid 5 / unless the Guild is out". The words that do so are in
`data/plain-words.toml` (`[around]`).

Talk may express a wish for which there is a command: to leave the game, to get more time, to be away (`[wishes]`).
Mentat does not act on it, since it may be meant otherwise, and answers with the line that would do it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.language.forms import Written, write
from bot.language.lines import LONGEST, Context, tidy
from bot.language.orders import Unread, has_form, read_as_written, read_line
from bot.language.plain_words import Setting, at_open_question, read_plain, without_greetings
from bot.language.sheets import SheetLine, read_sheet_line
from bot.language.vocabulary import fold_words, vocabulary
from bot.wording import say
from rules.orders import Order

WRAPPED = 55
"""A line of at least so many characters without a stop at its end continues in the next one."""

MOST_SIGNED = 4
"""The most words a line below a bare answer (one word or number) may have to pass as a name or greeting."""

_ENDS = ".!?:;"
_GREETS = re.compile(r"(?:[^\W\d_]+ ){0,2}[^\W\d_]+[,!.:]", re.UNICODE)


@dataclass(frozen=True, slots=True)
class ReadLine:
    text: str
    result: Written | SheetLine | Unread


def read_lines(lines: Iterable[str], context: Context) -> list[ReadLine]:
    """Read the lines of a mail in order.

    Empty lines and comments vanish. All talk gets one answer, at the place of its first line.
    """
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
    """Read one line as an order, a sheet line or a command, else as an order in plain words.

    If the line has one of the grammar's forms, the grammar's complaint takes precedence over plain words.
    """
    exact = read_as_written(text, context) or read_sheet_line(text, context)
    if exact:
        return at_open_question(text, exact, context, setting)
    plain = read_plain(text, context, setting)
    if isinstance(plain, Order) or (plain and not has_form(text)):
        return plain
    read = read_line(text, context)
    return plain if plain and isinstance(read, Unread) and not read.suggestions else read


def _in_doubt(lines: Sequence[str], number: int, context: Context) -> bool:
    before, after = lines[number - 1] if number else "", lines[number + 1] if number + 1 < len(lines) else ""
    rest = (line for line in lines[number + 1 :] if line.strip())
    if takes_back(next(rest, "")):
        return True
    if not is_overturned(before, after):
        return False
    alone = (
        "" if read_as_written(line, context) or read_sheet_line(line, context) else line for line in (before, after)
    )
    return is_overturned(*alone)


def setting_of(lines: Sequence[str], number: int) -> Setting:
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


LONGEST_CONDITION = 4  # words of a condition alone on its line
_ENDS_OF_CLAUSE = ".!?;,"


def is_overturned(before: str, after: str) -> bool:
    """Do the lines before and after an order make it part of something that is no order?

    Pass "" for a neighbour that is an order itself or is set apart by an empty line.
    """
    return _leads(before.strip()) or _limits(after.strip()) or takes_back(after)


def takes_back(after: str) -> bool:
    words = _words_around(after.strip())
    return bool(words) and vocabulary().around["takes_back"].length(words, 0) > 0


def _leads(before: str) -> bool:
    words = _words_around(before)
    if not words or before[-1] in _ENDS_OF_CLAUSE:
        return False
    around = vocabulary().around
    if before[-1] == ":":
        return any(around["reports"].length(words, place) for place in range(len(words)))
    ends = any(around["leads"].length(words, place) == len(words) - place for place in range(len(words)))
    return ends or (len(words) <= LONGEST_CONDITION and around["conditions"].length(words, 0) > 0)


def _limits(after: str) -> bool:
    words = _words_around(after)
    if not words:
        return False
    around = vocabulary().around
    goes_on = after[0].islower() and around["conditions"].length(words, 0)
    return bool(goes_on or around["limits"].length(words, 0))


def _words_around(line: str) -> tuple[str, ...]:
    return fold_words(tidy(line).plain) if 0 < len(line) <= LONGEST else ()


def answer_to_talk(lines: Sequence[str]) -> str:
    for wish, phrases in vocabulary().wishes.items():
        for line in lines:
            words = fold_words(line[:LONGEST])
            if any(phrases.length(words, place) for place in range(len(words))):
                return say(f"unread.wish-{wish}")
    return say("unread.no-order")
