"""The door to the order language: lines of a mail in, typed orders out, and orders in canonical words.

A line is read in three steps: tidied (``lines``), parsed by the grammar made from the forms (``grammar``), and its
blanks read as values with what the writer may know (``slots``, ``context``). Nothing is guessed: a line that could mean
two things, or nearly means one, is ``Unread`` with complete lines that would be right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lark import UnexpectedInput

from bot.orders.commands import MailCommand
from bot.orders.context import Context
from bot.orders.forms import FORMS, Blank, Form, Written, answer_forms, pieces, write
from bot.orders.grammar import parse
from bot.orders.lines import LONGEST, Line, tidy
from bot.orders.slots import SPREAD, Misread, Reading
from bot.orders.spelling import corrected
from bot.orders.wording import either, say
from rules.orders import ANSWERS, Order, QuestionKind

__all__ = ["Context", "MailCommand", "ReadLine", "Unread", "form_lines", "help_for", "read_line", "read_lines",
           "summary_forms", "write"]  # fmt: skip

MOST_SUGGESTIONS = 4
MOST_FORMS = 4  # forms named in a reason


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that is no order. ``reason`` is one sentence with what would be right; ``suggestions`` are complete
    lines that can be sent as they are. ``chatter``: it does not even look like an order."""

    reason: str
    suggestions: tuple[str, ...] = ()
    chatter: bool = False


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line as it came and what it says."""

    text: str
    result: Order | MailCommand | Unread


def read_line(text: str, context: Context) -> Order | MailCommand | Unread:
    """What one line says.

    >>> read_line("mv 3 from carthag to imp basin/10", Context("harkonnen"))  # doctest: +SKIP
    Move(forces=Forces(ordinary=3, elite=0), source='carthag/11', target='imperial-basin/10')
    """
    if len(text) > LONGEST:
        return Unread(say("too-long", length=len(text), most=LONGEST))
    line = tidy(text)
    if line.empty or not line.plain:
        return Unread(say("empty"))
    result = _read(line, context)
    if isinstance(result, Unread) and _conditional(line, context):
        return Unread(say("conditional"))
    return result


def read_lines(lines: Iterable[str], context: Context) -> list[ReadLine]:
    """What the lines of a mail say, in their order. Empty lines and comments vanish; everything that is mere talk is
    answered once, as one entry where the first of it stood."""
    read: list[ReadLine] = []
    talk: list[str] = []
    place = 0
    for text in lines:
        if tidy(text[:LONGEST]).empty:
            continue
        result = read_line(text, context)
        if isinstance(result, Unread) and result.chatter:
            place = place if talk else len(read)
            talk.append(text.strip())
        else:
            read.append(ReadLine(text, result))
    if talk:
        read.insert(place, ReadLine("\n".join(talk), Unread(say("no-order"), chatter=True)))
    return read


def _read(line: Line, context: Context) -> Order | MailCommand | Unread:
    try:
        return _understood(line, context)
    except UnexpectedInput:
        return _unparsed(line, context)
    except Misread as wrong:
        return Unread(wrong.reason, _mended(line, wrong, context))


def _understood(line: Line, context: Context) -> Written:
    """The order of a line; UnexpectedInput or Misread if it is none."""
    form, nodes = parse(line.plain)
    reading = Reading(line.text, context)
    values = {}
    for blank, node in zip(_blanks(form), nodes, strict=True):
        value = blank.slot.read(reading, node)
        values.update(value if blank.slot_name in SPREAD else {blank.field: value})
    return form.make(values)


def _blanks(form: Form) -> list[Blank]:
    return [piece for piece in pieces(form.pattern) if isinstance(piece, Blank)]


def _complete(line: Line, context: Context) -> str | None:
    """The canonical order of a corrected line, None if it is still not understood."""
    try:
        return write(_understood(line, context))
    except (UnexpectedInput, Misread):
        return None


def _mended(line: Line, wrong: Misread, context: Context, depth: int = 2) -> tuple[str, ...]:
    """Complete lines with something readable where the misread words stood."""
    first, last = wrong.span
    lines: list[str] = []
    for words in wrong.instead[:MOST_SUGGESTIONS]:
        mended = tidy(f"{line.text[:first]}{words}{line.text[last:]}")
        try:
            lines.append(write(_understood(mended, context)))
        except Misread as next_wrong:
            lines += _mended(mended, next_wrong, context, depth - 1) if depth else ()
        except UnexpectedInput:
            continue
    return tuple(dict.fromkeys(lines))[:MOST_SUGGESTIONS]


def _unparsed(line: Line, context: Context) -> Unread:
    forms = _forms_like(line.plain)
    if forms and re.search(r"(?<![\w])_+(?![\w])", line.plain):
        return Unread(say("not-filled", forms=_listed(forms)))
    suggestions = tuple(dict.fromkeys(filter(None, (_complete(tidy(t), context) for t in corrected(line.plain)))))
    if forms:
        return Unread(say("wrong-form", forms=_listed(forms)), suggestions[:MOST_SUGGESTIONS])
    if suggestions:
        return Unread(say("misspelt-word", text=line.text.split()[0]), suggestions[:MOST_SUGGESTIONS])
    return Unread(say("no-order"), chatter=True)


def _forms_like(plain: str) -> list[Form]:
    """The forms that begin as this line does, as far as their first words agree."""
    words = plain.replace(":", " ").split()
    alike: dict[int, list[Form]] = {}
    for form in FORMS:
        agreed = 0
        for piece, word in zip(pieces(form.pattern), words, strict=False):
            if not isinstance(piece, str) or piece != word:
                break
            agreed += 1
        if agreed:
            alike.setdefault(agreed, []).append(form)
    return alike[max(alike)] if alike else []


def _listed(forms: Sequence[Form]) -> str:
    return either([f"“{form.shown()}”" for form in forms[:MOST_FORMS]])


_CONDITION = re.compile(r"(?P<order>.+?),? (?:if|unless|when|once|as soon as) .+")


def _conditional(line: Line, context: Context) -> bool:
    """Whether a line that is no order is an order with a condition, or one that is to stand."""
    if re.match(r"(?:standing(?: order)?|always|whenever|when\b.*|if\b.*) ?:|standing ", line.plain):
        return True
    match = _CONDITION.fullmatch(line.plain)
    return match is not None and _complete(tidy(match["order"]), context) is not None


# --- forms and help ---------------------------------------------------------------------------------------------------


def summary_forms(kind: QuestionKind) -> list[str]:
    """The forms that answer a question of this kind: ["ship FORCES to AREA", …, "no shipment"]."""
    return list(dict.fromkeys(form.shown() for form in answer_forms(kind)))


def form_lines(kind: QuestionKind) -> list[str]:
    """The same as lines to be filled in: ["ship _ to ______", …, "no shipment"]."""
    return list(dict.fromkeys(form.to_fill() for form in answer_forms(kind)))


def help_for(word: str = "") -> list[str]:
    """The forms of a question kind or those in which a word stands, all of them for no word; [] if there are none."""
    if not word:
        return list(dict.fromkeys(form.shown() for form in FORMS))
    if found := [form.shown() for form in FORMS if word in ANSWERS.get(form.makes, ())]:
        return list(dict.fromkeys(found))
    asked = set(tidy(word).plain.split())
    forms = [form for form in FORMS if asked <= {p for p in pieces(form.pattern) if isinstance(p, str)}]
    return list(dict.fromkeys(form.shown() for form in forms))
