"""Sheet lines: orders that stand, or that wait for a condition, as players write them.

    standing: ORDER · when CONDITION: ORDER · ORDER if CONDITION · ORDER unless CONDITION

A line is tried as a plain order first, so that an "if" in a player's own words (a Truthtrance, a bargain) is left
alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from bot.orders.context import Context
from bot.orders.language import Unread, is_deal, read_line, understood, write
from bot.orders.lines import LONGEST, Line, tidy
from bot.sheets.condition_reading import MOST_FACTS, Unfit, read_condition
from bot.sheets.conditions import Condition, all_of, negation, write_condition
from bot.sheets.contradiction import alternatives, turns_of
from bot.sheets.facts import LAST_TURN
from bot.wording.sentences import say
from rules.orders import ANSWERS, Order


@dataclass(frozen=True, slots=True)
class AskMe:
    """``ask me``: the sheet hands this decision back to its player."""


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One line of a sheet. ``condition`` None is always. A ``standing`` line counts every turn until it is withdrawn,
    another until the end of the turn it is filed for. ``turns`` are those in which it can act (empty: any);
    ``times`` is how often it acts, in a turn if it stands; -1 is as often as it can. Unless written, an answer is given
    as often as it is asked for, and a card or power is played once."""

    order: Order | AskMe
    condition: Condition | None = None
    standing: bool = False
    turns: tuple[int, ...] = ()
    times: int = -1


MOST_PLACES = 6
"""So many commas, ifs and whens of a line are tried as the place where its condition ends or begins."""

MOST_WORDS = 12
"""So many words of a condition are looked behind for an order where the colon between them is missing."""

_STANDING = re.compile(r"(?:standing(?: orders?)?|always|every turn) ?[:,]? ?(?=\S)")
_WHEN = re.compile(r"(?P<word>whenever|when|if|unless|as soon as|once) (?=\S)")
_TAIL_WORD = re.compile(r" (?P<word>if|unless|whenever|when|as soon as|once) (?=\S)")
_TIMES = re.compile(r",? (?:(?P<word>once|twice|thrice)|(?P<number>[0-9]{1,2}) ?(?:times?|x))$")
_ASK_ME = re.compile(r"ask(?: me)?(?: first)?")
_IN_WORDS = {"once": 1, "twice": 2, "thrice": 3}


def read_sheet_line(text: str, context: Context) -> SheetLine | Unread | None:
    """What a line puts on its writer's sheet; None if it is no sheet line but a plain order, a command or talk.

    >>> read_sheet_line("bid 5 if card 2 and price < 5", Context("guild"))  # doctest: +SKIP
    """
    if len(text) > LONGEST:
        return None
    line = tidy(text)
    if line.empty or not line.plain:
        return None
    if match := _STANDING.match(line.plain):
        rest = _rest(line, match.end())
        result = _conditional(rest, context) or _order(rest, context)
        if isinstance(result, Unread):
            return None if result.chatter else _marked(result)
        return replace(result, standing=True)
    if _ASK_ME.fullmatch(line.plain):
        return Unread(say("unread.bare-ask-me"))
    if understood(text, context):
        return None
    return _conditional(line, context) or _counted(line, context) or _without_colon(line, context)


def write_sheet_line(line: SheetLine) -> str:
    """The line in canonical words, which read back as the same."""
    parts = ["standing: "] if line.standing else []
    if line.condition:
        parts.append(f"when {write_condition(line.condition)}: ")
    parts.append("ask me" if isinstance(line.order, AskMe) else write(line.order))
    bare = not line.standing and line.condition is None  # without its number it would be a plain order
    if line.times > 0 and (bare or line.times != _usual_times(line.order)):
        parts.append(f" {line.times} times" if line.times > 2 else (" once", " twice")[line.times - 1])
    return "".join(parts)


# --- the parts of a line ---------------------------------------------------------------------------------------------


def _conditional(line: Line, context: Context, inside: bool = False) -> SheetLine | Unread | None:
    """A line with a condition before or behind its order, or one of each; None if it has none."""
    refused: Unread | None = None
    for word, condition, order, sure in islice((*_before(line), *_behind(line)), MOST_PLACES):
        read = (None if inside else _conditional(order, context, inside=True)) or _as_it_stands(order, context)
        if not isinstance(read, SheetLine):
            wanted = refused is None and sure
            read = read or (_why_not(order, context) if wanted else None)
            if read and wanted and not read.chatter:
                refused = _with_condition(read, word, condition, context)
            continue
        result = _bound(read, word, condition, context, sure=sure)
        if isinstance(result, SheetLine):
            return result
        refused = refused or result
    return refused


def _before(line: Line) -> Iterator[tuple[str, Line, Line, bool]]:
    """``when CONDITION: ORDER``; a comma may stand for the colon."""
    match = _WHEN.match(line.plain)
    if match is None:
        return
    start = match.end()
    colon = line.plain.find(":", start)
    commas = [place for place, sign in enumerate(line.plain) if sign == "," and (place < colon or colon < 0)]
    for place in ([colon] if colon > 0 else []) + commas:
        condition, order = line.text[start:place].strip(), line.text[place + 1 :].strip()
        if condition and order:
            order = re.sub(r"^then[ ,:]+", "", order, flags=re.IGNORECASE)
            yield match["word"], tidy(condition), tidy(order), place == colon


def _without_colon(line: Line, context: Context) -> Unread | None:
    """``when CONDITION ORDER``: what it would be with its colon; None if it is nothing of the kind."""
    match = _WHEN.match(line.plain)
    if match is None or ":" in line.plain:
        return None
    spaces = [place for place, sign in enumerate(line.plain) if sign == " " and place > match.end()]
    for place in spaces[:MOST_WORDS]:
        order = _as_it_stands(_rest(line, place + 1), context)
        if isinstance(order, SheetLine):
            read = _bound(order, match["word"], tidy(line.text[match.end() : place]), context, sure=True)
            if isinstance(read, SheetLine):
                return Unread(say("unread.near"), (write_sheet_line(read),))
    return None


def _behind(line: Line) -> Iterator[tuple[str, Line, Line, bool]]:
    """``ORDER if CONDITION``; of a deal, whatever stands behind it is its own."""
    if is_deal(line.text):
        return
    for match in _TAIL_WORD.finditer(line.plain):
        yield match["word"], _rest(line, match.end()), tidy(line.text[: match.start()].rstrip(" ,")), True


def _bound(line: SheetLine, word: str, condition: Line, context: Context, *, sure: bool) -> SheetLine | Unread:
    """An order bound to a condition; how often it acts may be written behind either."""
    read = read_condition(condition.text, context)
    if isinstance(read, Unfit) and (match := _TIMES.search(condition.plain)):
        read, line = read_condition(condition.text[: match.start()], context), replace(line, times=_number(match))
        if not line.times:
            return Unread(say("unread.no-times"))
    if isinstance(read, Unfit):
        return _unfit(read, line, word)
    asked = negation(read) if word == "unless" else read
    whole = asked if line.condition is None else all_of(asked, line.condition)
    cases = alternatives(whole, MOST_FACTS)
    if cases is None:
        return Unread(say("unread.condition-too-long", most=MOST_FACTS))
    turns = turns_of(cases)
    if not turns:
        return Unread(say("unread.never-holds", condition=write_condition(whole)))
    return replace(line, condition=whole, turns=turns if len(turns) < LAST_TURN else ())


def _order(line: Line, context: Context) -> SheetLine | Unread:
    """The order of a line, with how often it acts behind it."""
    return _as_it_stands(line, context) or _why_not(line, context)


def _as_it_stands(line: Line, context: Context) -> SheetLine | Unread | None:
    """The order of a line, with how often it acts behind it; None if it is no order, or one that cannot be read. What
    it could have meant is not looked for, which takes ten times as long."""
    return _bare_order(line, context) or _counted(line, context)


def _bare_order(line: Line, context: Context) -> SheetLine | None:
    if _ASK_ME.fullmatch(line.plain):
        return SheetLine(AskMe())
    read = understood(line.text, context)
    return SheetLine(read, times=_usual_times(read)) if isinstance(read, Order) else None


def _why_not(line: Line, context: Context) -> Unread:
    """Why a line is no order for a sheet, and what it could have meant."""
    read = read_line(line.text, context)
    return read if isinstance(read, Unread) else Unread(say("unread.no-command-on-sheets"))


def _counted(line: Line, context: Context) -> SheetLine | Unread | None:
    """``ORDER twice``; None if it has no such end."""
    match = _TIMES.search(line.plain)
    if match is None:
        return None
    read = _bare_order(tidy(line.text[: match.start()]), context)
    if read is None:
        return None
    number = _number(match)
    return replace(read, times=number) if number else Unread(say("unread.no-times"))


def _number(match: re.Match[str]) -> int:
    return _IN_WORDS[match["word"]] if match["word"] else int(match["number"])


def _usual_times(order: Order | AskMe) -> int:
    return -1 if isinstance(order, AskMe) or type(order) in ANSWERS else 1


def _rest(line: Line, start: int) -> Line:
    return tidy(line.text[start:])


# --- refusals --------------------------------------------------------------------------------------------------------


def _unfit(condition: Unfit, line: SheetLine, word: str) -> Unread:
    meant = (negation(other) if word == "unless" else other for other in condition.instead)
    lines = [replace(line, condition=all_of(*(c for c in (other, line.condition) if c))) for other in meant]
    return Unread(condition.reason, tuple(map(write_sheet_line, lines)))


def _with_condition(order: Unread, word: str, condition: Line, context: Context) -> Unread:
    """An order that cannot be read, with what would be right beside the condition that it has."""
    read = read_condition(condition.text, context)
    if isinstance(read, Unfit):
        return Unread(order.reason)
    asked = write_condition(negation(read) if word == "unless" else read)
    return Unread(order.reason, tuple(f"when {asked}: {suggestion}" for suggestion in order.suggestions))


def _marked(read: Unread) -> Unread:
    return Unread(read.reason, tuple(f"standing: {suggestion}" for suggestion in read.suggestions))
