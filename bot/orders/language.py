"""The order language for other rooms: a line in, a typed order out, and orders in canonical words.

A line is read in three steps: tidied (``lines``), parsed by the grammar made from the forms (``grammar``), and its
blanks read as values with what the writer may know (``slots``, ``context``). Nothing is guessed: a line that could mean
two things, or nearly means one, is ``Unread`` with complete lines that would be right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, takewhile
from typing import Any

from bot.mail.words.free_text import most_chars
from bot.orders.blanks import Misread, Reading, SaidTwice
from bot.orders.commands import MailCommand
from bot.orders.context import Context
from bot.orders.forms import FORMS, Blank, Form, Written, answer_forms, pieces, write
from bot.orders.grammar import parse
from bot.orders.lines import LONGEST, Line, tidy
from bot.orders.names import CARD_NAMES, LEADER_NAMES, TERRITORY_NAMES
from bot.orders.other_boxes import told_of_other_box
from bot.orders.slots import SPREAD
from bot.orders.spelling import corrected
from bot.orders.truthtrance import with_reading
from bot.wording.filters import either
from bot.wording.sentences import say
from rules.components.terms import orders_of
from rules.orders import Deal, Order, QuestionKind, Truthtrance

__all__ = ["Context", "MailCommand", "Unread", "form_lines", "help_for", "read_line", "write"]

MOST_SUGGESTIONS = 4
MOST_FORMS = 4  # forms named in a reason
LONGEST_NAME = 80  # characters in which a name is looked for, many times what it has


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that is no order. ``reason`` is one sentence with what would be right; ``suggestions`` are complete
    lines that can be sent as they are. ``chatter``: it does not even look like an order."""

    reason: str
    suggestions: tuple[str, ...] = ()
    chatter: bool = False


def read_line(text: str, context: Context) -> Written | Unread:
    """What one line says.

    >>> read_line("mv 3 from carthag to imp basin/10", Context("harkonnen"))  # doctest: +SKIP
    Move(forces=Forces(ordinary=3, elite=0), source='carthag/11', target='imperial-basin/10')
    """
    if len(text) > (most := most_chars(text, LONGEST)):
        return Unread(say("unread.too-long", length=len(text), most=most))
    line = tidy(text)
    if line.empty or not line.plain:
        return Unread(say("unread.empty"), chatter=True)
    return _read(line, context)


def understood(text: str, context: Context) -> Written | None:
    """What one line says if it can be read as it stands; nothing is looked for that it could have meant."""
    line = _not_too_long(text)
    try:
        return None if line.empty or not line.plain else _understood(line, context)
    except Misread:
        return None


def _not_too_long(text: str) -> Line:
    """The line tidied; an empty one for what is too long to be read."""
    return tidy(text if len(text) <= most_chars(text, LONGEST) else "")


def has_form(text: str) -> bool:
    """Whether a line has the form of an order, whatever stands in its blanks."""
    line = _not_too_long(text)
    return bool(line.plain) and parse(line.plain) is not None


def is_deal(text: str) -> bool:
    """Whether a line has the form of a deal, whatever its terms."""
    line = _not_too_long(text)
    parsed = parse(line.plain) if line.plain else None
    return parsed is not None and parsed[0].makes is Deal


def _read(line: Line, context: Context) -> Written | Unread:
    try:
        return _understood(line, context) or _unparsed(line, context)
    except Misread as wrong:
        return Unread(wrong.reason, _mended(line, wrong, context))


def _understood(line: Line, context: Context) -> Written | None:
    """The order of a line, a question with what it says; None if it has no form of any; Misread if something in it
    cannot be read."""
    parsed = parse(line.plain)
    if parsed is None:
        return None
    form, nodes = parsed
    _in_this_edition(line, context)
    reading = Reading(line.text, context)
    values: dict[str, Any] = {}
    for blank, node in zip(_blanks(form), nodes, strict=True):
        value = blank.slot.read(reading, node)
        values.update(value if blank.slot_name in SPREAD else {blank.field: value})
    made = form.make(values)
    if line.text.endswith("?") and isinstance(made, Order) and not isinstance(made, Truthtrance | Deal):
        end = len(line.text)
        raise Misread(say("unread.question"), (end - 1, end), ("",))
    return with_reading(made, context.faction) if isinstance(made, Truthtrance) else made


def _in_this_edition(line: Line, context: Context) -> None:
    """Misread for an order that begins in the words of the other edition."""
    if context.edition == "1979":
        for ours, theirs in orders_of("2019").items():
            if line.plain.startswith(f"{theirs} "):
                start = len(line.text) - len(line.text.lstrip())
                raise Misread(say("unread.of-2019", theirs=theirs, ours=ours), (start, start + len(theirs)), (ours,))


def _flips(line: Line, context: Context) -> Unread | None:
    """A line that speaks of a flip, which the table does and no order does."""
    words = line.plain.split()
    if not words or words[0] not in _FLIPS:
        return None
    ways = orders_of("2019").values() if context.edition == "2019" else orders_of("2019")
    place = " ".join(words[1:])
    lines = [order for way in ways for order in _completed(tidy(f"{way} {place}"), context, 0)] if place else []
    return Unread(say(f"unread.flip-{context.edition}"), tuple(lines))


def _blanks(form: Form) -> list[Blank]:
    return [piece for piece in pieces(form.pattern) if isinstance(piece, Blank)]


# --- lines that are no order -----------------------------------------------------------------------------------------


def _completed(line: Line, context: Context, corrections: int) -> tuple[str, ...]:
    """The canonical orders that a line says, at once or with so many corrections of its blanks; none if it is no
    order, or one about a faction that is not in this game."""
    try:
        order = _understood(line, context)
        there = order is not None and getattr(order, "faction", None) in (None, *context.factions)
        return (write(order),) if order and there else ()
    except Misread as wrong:
        return _mended(line, wrong, context, corrections) if corrections else ()


def _mended(line: Line, wrong: Misread, context: Context, corrections: int = 3) -> tuple[str, ...]:
    """Complete lines with something readable where the misread words stood."""
    first, last = wrong.span
    lines: list[str] = []
    for words in wrong.instead:
        lines += _completed(tidy(f"{line.text[:first]}{words}{line.text[last:]}"), context, corrections - 1)
    return tuple(dict.fromkeys(lines))[:MOST_SUGGESTIONS]


def _unparsed(line: Line, context: Context) -> Unread:
    if flips := _flips(line, context):
        return flips
    heading = line.plain.endswith(":") and " " not in line.plain  # "Orders:"
    if heading or _GREETING.fullmatch(line.plain):
        return Unread(say("unread.no-order"), chatter=True)
    if other_box := told_of_other_box(line.text):
        return Unread(other_box)
    forms = _forms_like(line.plain)
    if forms and _BLANK.search(line.plain):
        return Unread(say("unread.not-filled", forms=_listed(forms)))
    parts = [part for part in _PARTS.split(line.text) if part.strip()]
    orders = list(takewhile(bool, (_completed(tidy(part), context, 0) for part in parts)))
    if len(orders) == len(parts) > 1:
        return Unread(say("unread.two-orders"), tuple(order for part in orders for order in part)[:MOST_SUGGESTIONS])
    if orders:
        rest = parts[len(orders) :]
        more = bool(rest) and rest[0].strip()[0].isdigit()  # "revive 2 and 1" is more than "revive 2"
        return _said_twice(parts, context) or Unread(say("unread.first-part"), () if more else orders[0])
    near = (order for text in corrected(line.text) for order in _completed(tidy(text), context, 2))
    suggestions = tuple(dict.fromkeys(islice(near, 2 * MOST_SUGGESTIONS)))[:MOST_SUGGESTIONS]
    if suggestions:
        return Unread(say("unread.near" if len(suggestions) == 1 else "unread.near-some"), suggestions)
    if not forms:
        return _bare_name(line) or Unread(say("unread.no-order"), chatter=True)
    if len(forms) <= MOST_FORMS:
        return Unread(say("unread.wrong-form", forms=_listed(forms)))
    return Unread(say("unread.wrong-form-of-many", forms=_listed(forms), word=line.plain.split()[0]))


def _said_twice(parts: Sequence[str], context: Context) -> Unread | None:
    """What is wrong with an order that names a part once more behind a stop."""
    try:
        _understood(tidy(" ".join(parts)), context)
    except SaidTwice as wrong:
        return Unread(wrong.reason)
    except Misread:
        pass
    return None


def _bare_name(line: Line) -> Unread | None:
    """A line that is only the name of a leader, a territory or a card."""
    if len(line.plain) > LONGEST_NAME:
        return None
    for sort, name in (
        ("leader", LEADER_NAMES.whole(line.text)),
        ("territory", TERRITORY_NAMES.whole(line.text)),
        ("card", CARD_NAMES.whole(line.text)),
    ):
        if name:
            return Unread(say(f"unread.bare-{sort}", text=line.text.strip(), name=name))
    return None


_FLIPS = ("flip", "flips", "flipping")
_GREETING = re.compile(
    r"(?:hello|hallo|hi|hiya|hey|dear|greetings|good (?:day|morning|afternoon|evening)|thanks|thank you|cheers)"
    r"(?: [a-z' -]+)?"
)
_BLANK = re.compile(r"(?<!\w)_+(?!\w)")
_PARTS = re.compile(r"[,;.#(!]|\b(?:and|then)\b", re.IGNORECASE)


def _forms_like(plain: str) -> list[Form]:
    """The forms that begin as this line does, as far as their first words agree."""
    words = re.findall(r"[^\s:,;.!?]+", plain)
    alike: dict[int, list[Form]] = {}
    for form in _beginning_with().get(words[0], ()) if words else ():
        agreed = 0
        for piece, word in zip(pieces(form.pattern), words, strict=False):
            if not isinstance(piece, str) or piece != word:
                break
            agreed += 1
        if agreed:
            alike.setdefault(agreed, []).append(form)
    return alike[max(alike)] if alike else []


@cache
def _beginning_with() -> Mapping[str, Sequence[Form]]:
    """The forms by their first words."""
    found: dict[str, list[Form]] = {}
    for form in FORMS:
        if form.listed:
            found.setdefault(str(pieces(form.pattern)[0]), []).append(form)
    return found


def _listed(forms: Sequence[Form]) -> str:
    shown = [f"“{form.with_placeholders()}”" for form in forms]
    return either(shown) if len(shown) <= MOST_FORMS else ", ".join(shown[:MOST_FORMS])


# --- forms and help ---------------------------------------------------------------------------------------------------


def form_lines(kind: QuestionKind) -> list[str]:
    """The forms that answer this kind of question, as lines to be filled in: ["ship _ to ______", …, "no shipment"]."""
    return list(dict.fromkeys(form.to_fill() for form in answer_forms(kind)))


def help_for(word: str = "") -> list[str]:
    """The forms that answer a kind of question or that hold a word, all of them for no word; [] if there are none."""
    if not word:
        return list(dict.fromkeys(form.with_placeholders() for form in FORMS if form.listed))
    if found := [form.with_placeholders() for form in FORMS if word in form.kinds]:
        return list(dict.fromkeys(found))
    asked = tidy(word).plain.split()
    found = [
        form.with_placeholders() for form in FORMS if all(any(p.startswith(w) for p in _words(form)) for w in asked)
    ]
    return sorted(dict.fromkeys(found), key=lambda form: not form.startswith(asked[0])) if asked else []


def _words(form: Form) -> list[str]:
    return [piece for piece in pieces(form.pattern) if isinstance(piece, str)]
