"""The lines of a mail: orders, lines for the sheet, commands about the mail, and talk.

Lines around an order may overturn it: "Do not / bid 5", "bid 5 / unless the Guild is out". The words that do so are in
`data/plain-words.toml` (`[around]`).

Talk may wish for something for which there is a command: to leave the game, more time, to be away (`[wishes]`). Mentat
does nothing on it, for it may be meant otherwise, and tells its writer the line that would do it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.language.forms import Written, write
from bot.language.lines import LONGEST, Context, tidy
from bot.language.orders import Unread, has_form, read_as_written, read_line
from bot.language.plain_words import Setting, read_plain, without_greetings
from bot.language.sheets import SheetLine, read_sheet_line
from bot.language.vocabulary import fold_words, vocabulary
from bot.wording import say
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
    exact = read_as_written(text, context) or read_sheet_line(text, context)
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
    if not is_overturned(before, after):
        return False
    alone = (
        "" if read_as_written(line, context) or read_sheet_line(line, context) else line for line in (before, after)
    )
    return is_overturned(*alone)


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


LONGEST_CONDITION = 4  # words of a condition that stands alone on its line
_ENDS_OF_CLAUSE = ".!?;,"


def is_overturned(before: str, after: str) -> bool:
    """Whether the line before or behind an order makes it a part of something that is no order. A line that is read by
    itself, or parted from it by an empty one, has no such power: it comes as empty."""
    return _leads(before.strip()) or _limits(after.strip()) or takes_back(after)


def takes_back(after: str) -> bool:
    """Whether a line takes back the one before: "no wait"."""
    words = _words_around(after.strip())
    return bool(words) and vocabulary().around["takes_back"].length(words, 0) > 0


def _leads(before: str) -> bool:
    """Whether a line goes on in the next, and leads it away: a denial, a condition, the words of another."""
    words = _words_around(before)
    if not words or before[-1] in _ENDS_OF_CLAUSE:
        return False
    around = vocabulary().around
    if before[-1] == ":":
        return any(around["reports"].length(words, place) for place in range(len(words)))
    ends = any(around["leads"].length(words, place) == len(words) - place for place in range(len(words)))
    return ends or (len(words) <= LONGEST_CONDITION and around["conditions"].length(words, 0) > 0)


def _limits(after: str) -> bool:
    """Whether a line is the condition of the one before."""
    words = _words_around(after)
    if not words:
        return False
    around = vocabulary().around
    goes_on = after[0].islower() and around["conditions"].length(words, 0)
    return bool(goes_on or around["limits"].length(words, 0))


def _words_around(line: str) -> tuple[str, ...]:
    return fold_words(tidy(line).plain) if 0 < len(line) <= LONGEST else ()


def answer_to_talk(lines: Sequence[str]) -> str:
    """What is answered to lines in which there is no order: how what they wish for is written, if that can be told."""
    for wish, phrases in vocabulary().wishes.items():
        for line in lines:
            words = fold_words(line[:LONGEST])
            if any(phrases.length(words, place) for place in range(len(words))):
                return say(f"unread.wish-{wish}")
    return say("unread.no-order")
