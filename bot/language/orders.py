"""Read one line as a typed order, and list the forms of orders for the help.

A line is read in three steps. `lines` reduces it to plain characters. The grammar that lark builds from the table of
`forms` parses it. `slots` turns its blanks into values, using what the writer may know. Mentat never guesses: a line
that could mean two things, or that nearly matches one form, is `Unread` and comes with complete lines that would be
valid. To find misspelt keywords, Mentat tries the line with one word, then with two words, replaced by similar
keywords.

The parser is LALR with a contextual lexer: a word counts as a keyword only where a keyword can occur. So "Trip to
Gamont" and "Hole in the Rock" are names although they contain "to" and "in". What may follow a name depends on where
the name occurs. Therefore each place in the forms has its own rule for names, shared only by forms that are identical
up to that place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice, takewhile
from typing import Any, TypeVar

from lark import Lark, Tree, UnexpectedInput
from lark.lexer import Token
from rapidfuzz.distance import OSA

from bot.effort import Exhausted, built_outside, charge
from bot.language.commands import MailCommand
from bot.language.forms import FORMS, Blank, Form, Written, answer_forms, pieces, write
from bot.language.lines import LONGEST, Context, Line, Misread, Reading, parser_of, tidy
from bot.language.names import CARD_NAMES, LEADER_NAMES, TERRITORY_NAMES, similar, told_of_other_box
from bot.language.slots import SPREAD
from bot.mail.lines import most_chars
from bot.wording import say
from bot.wording.filters import either
from rules.components import Faction
from rules.components.board import Area, area_name
from rules.components.terms import orders_of
from rules.orders import Deal, Order, QuestionKind, Truthtrance

__all__ = ["Context", "MailCommand", "Unread", "form_lines", "help_for", "read_line", "write"]

AnyWritten = TypeVar("AnyWritten", bound=Written)

MOST_SUGGESTIONS = 4
MOST_FORMS = 4  # forms named in a reason
LONGEST_NAME = 80  # characters searched for a name, far more than any name has
LONGEST_COMMAND = 4  # words; a longer line that begins like a command is talk


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that is not an order. `reason` is a sentence that says what would be right. `suggestions` are complete
    lines that can be sent as they are: all of them in one mail if `together`, else one of them. `chatter` is true if
    the line does not even resemble an order. `guess` is true if the suggestions are about the same subject, but none of
    them is a reading of the line. `open` are lines in which the player must replace the words in capitals."""

    reason: str
    suggestions: tuple[str, ...] = ()
    chatter: bool = False
    together: bool = False
    guess: bool = False
    open: tuple[str, ...] = ()


def read_line(text: str, context: Context) -> Written | Unread:
    """Read one line as an order or a command.

    >>> read_line("mv 3 from carthag to imp basin/10", Context("harkonnen"))  # doctest: +SKIP
    Move(forces=Forces(ordinary=3, elite=0), source='carthag/11', target='imperial-basin/10')
    """
    if len(text) > (most := most_chars(text, LONGEST)):
        return Unread(say("unread.too-long", length=len(text), most=most))
    line = tidy(text)
    if line.empty or not line.plain:
        return Unread(say("unread.empty"), chatter=True)
    return _read(line, context)


def read_as_written(text: str, context: Context) -> Written | None:
    line = _not_too_long(text)
    try:
        return None if line.empty or not line.plain else _order_as_written(line, context)
    except Misread:
        return None


def _not_too_long(text: str) -> Line:
    return tidy(text if len(text) <= most_chars(text, LONGEST) else "")


def has_form(text: str) -> bool:
    line = _not_too_long(text)
    return bool(line.plain) and parse_order(line.plain) is not None


def is_deal(text: str) -> bool:
    line = _not_too_long(text)
    parsed = parse_order(line.plain) if line.plain else None
    return parsed is not None and parsed[0].makes is Deal


def _read(line: Line, context: Context) -> Written | Unread:
    try:
        return _order_as_written(line, context) or _unparsed(line, context)
    except Misread as wrong:
        parsed = parse_order(line.plain)
        try:
            if parsed and not wrong.instead and not _is_near(parsed[0], line.plain.split(), context):
                return _unparsed(line, context)  # "take the first" names no tech token
            return Unread(wrong.reason, _mended(line, wrong, context))
        except Exhausted:
            return Unread(wrong.reason)
    except Exhausted:
        return Unread(say("unread.no-order"), chatter=True)


def _order_as_written(line: Line, context: Context) -> Written | None:
    parsed = parse_order(line.plain)
    if parsed is None:
        return None
    form, nodes = parsed
    _in_this_edition(line, context)
    reading = Reading(line.text, context)
    values: dict[str, Any] = {}
    for blank, node in zip(_blanks(form), nodes, strict=True):
        try:
            value = blank.slot.read(reading, node)
        except Misread as wrong:
            value = _where_they_stand(blank, wrong, context)
        values.update(value if blank.slot_name in SPREAD else {blank.field: value})
    made = form.make(values)
    if line.text.endswith("?") and isinstance(made, Order) and not isinstance(made, Truthtrance | Deal):
        end = len(line.text)
        declined = line.plain.startswith("no ")  # "no charity?" rather asks for it
        raise Misread(say("unread.question"), (end - 1, end), () if declined else ("",))
    return with_question_read(made, context.faction)


def with_question_read(order: AnyWritten, asker: Faction) -> AnyWritten:
    if not isinstance(order, Truthtrance):
        return order
    from bot.language.truthtrance import with_reading  # it compiles sixty patterns, which only one card needs

    return with_reading(order, asker)


def _where_they_stand(blank: Blank, wrong: Misread, context: Context) -> Area:
    if blank.field != "source" or context.known is None or not wrong.instead:
        raise wrong
    standing = [area for area, there in context.known().forces.items() if there and area_name(area) in wrong.instead]
    if len(standing) != 1:
        raise Misread(wrong.reason, wrong.span, [area_name(area) for area in standing]) from wrong
    return standing[0]


def _in_this_edition(line: Line, context: Context) -> None:
    if context.edition == "1979":
        for ours, theirs in orders_of("2019").items():
            if line.plain.startswith(f"{theirs} "):
                start = len(line.text) - len(line.text.lstrip())
                raise Misread(say("unread.of-2019", theirs=theirs, ours=ours), (start, start + len(theirs)), (ours,))


def _flips(line: Line, context: Context) -> Unread | None:
    """Refuse a line with "flip", a word that players use at the table, and suggest the order that does the same."""
    words = line.plain.split()
    if not words or words[0] not in _FLIPS:
        return None
    ways = orders_of("2019").values() if context.edition == "2019" else orders_of("2019")
    place = " ".join(words[1:])
    lines = [order for way in ways for order in _completed(tidy(f"{way} {place}"), context, 0)] if place else []
    return Unread(say(f"unread.flip-{context.edition}"), tuple(lines))


def _blanks(form: Form) -> list[Blank]:
    return [piece for piece in pieces(form.pattern) if isinstance(piece, Blank)]


# --- lines that are not orders ---------------------------------------------------------------------------------------


def _completed(line: Line, context: Context, corrections: int) -> tuple[str, ...]:
    charge(1 + len(line.plain) // 50)
    try:
        order = _order_as_written(line, context)
        there = order is not None and getattr(order, "faction", None) in (None, *context.factions)
        return (write(order),) if order and there else ()
    except Misread as wrong:
        return _mended(line, wrong, context, corrections) if corrections else ()


def _mended(line: Line, wrong: Misread, context: Context, corrections: int = 3) -> tuple[str, ...]:
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
    forms = [] if line.plain.split()[0].endswith(",") else _forms_like(line.plain, context)  # "No, not now"
    if forms and _BLANK.search(line.plain):
        return Unread(say("unread.not-filled", forms=_listed(forms)))
    spelt = [] if _ASSENTS.fullmatch(line.plain) else corrected(line.text)  # "hell yes" is not a misspelt "help yes"
    near = (order for text in spelt for order in _completed(tidy(text), context, 2))
    suggestions = tuple(dict.fromkeys(islice(near, 2 * MOST_SUGGESTIONS)))[:MOST_SUGGESTIONS]
    if suggestions:
        return Unread(say("unread.near" if len(suggestions) == 1 else "unread.near-some"), suggestions)
    if not forms:
        return _bare_name(line) or Unread(say("unread.no-order"), chatter=True)
    if len(forms) <= MOST_FORMS:
        return Unread(say("unread.wrong-form", forms=_listed(forms)))
    return Unread(say("unread.wrong-form-of-many", forms=_listed(forms), word=line.plain.split()[0]))


def _bare_name(line: Line) -> Unread | None:
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
_ASSENTS = re.compile(r"[a-z]+,? (?:yes|no)")
_BLANK = re.compile(r"(?<!\w)_+(?!\w)")


def _forms_like(plain: str, context: Context) -> list[Form]:
    words = re.findall(r"[^\s:,;.!?]+", plain)
    if TERRITORY_NAMES.whole(re.sub(r"\W*\d+$", "", plain)):  # "False Wall South: 2" is not a misspelt "false readers"
        return []
    alike: dict[int, list[Form]] = {}
    for form in _beginning_with().get(words[0], ()) if words else ():
        if _is_near(form, words, context) or (words[0] in _WITH_COLON and ":" in plain):
            alike.setdefault(_agreed(form, words), []).append(form)
    return alike[max(alike)] if alike else []


def _agreed(form: Form, words: Sequence[str]) -> int:
    pairs = zip(pieces(form.pattern), words, strict=False)
    return sum(1 for _ in takewhile(lambda pair: isinstance(pair[0], str) and pair[0].lower() == pair[1], pairs))


def _is_near(form: Form, words: Sequence[str], context: Context) -> bool:
    """Return True if the words could be an attempt at this form. Starting with the form's first word is not enough."""
    agreed = _agreed(form, words)
    is_command = issubclass(form.makes, MailCommand) and words[0] != "no"  # "No comment." is not "no absence"
    if agreed != 1 or len(words) == 1 or (len(words) <= LONGEST_COMMAND and is_command):
        return agreed > 0
    following = next(iter(pieces(form.pattern)[1:]), None)
    if not isinstance(following, Blank):
        return False
    asked = context.known().asked if context.known else ()
    return not context.known or any(each.kind in form.kinds for each in asked) or any(w[0].isdigit() for w in words)


@cache
def _beginning_with() -> Mapping[str, Sequence[Form]]:
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
    """Return the forms that answer this kind of question, with blanks to fill in: ["ship _ to ______", …, "no
    shipment"]."""
    return list(dict.fromkeys(form.to_fill() for form in answer_forms(kind)))


def help_for(word: str = "") -> list[str]:
    """Return the forms that answer a kind of question or that contain a word; without a word, return all listed
    forms."""
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


SPELLINGS = {
    "move": "move|mv",
    "defense": "defen[cs]e|def",
    "weapon": "(?<!basilia )weapon|wpn",  # "basilia weapon" is a card
    "leader": "leader|ldr",
    "kwisatz_haderach": "(?:the )?kwisatz[ -]?haderach|kwisatz|kh",
    "game_master": "game[ -]?master",
    "coexist": "co-?exist",
    "truthtrance": "truth[ -]?trance",
    "don't": "don'?t",
    "shipment": "shipment|shipping",
    "prescience": "prescience|prescien[ct]e",
    "family": "family|fam",
    "and": "and|&",
    "to": "(?<!trip )to|->|=>|→",  # "trip to gamont" is a card
}

_COMMON = r"""
forces: FORCES (_UNIT | ELITE)? | INT _UNIT? | INT _UNIT? _PLUS INT ELITE | INT ELITE
_next: "," | _K_AND | "," _K_AND
FORCES.3: /[0-9]{1,3} ?\+ ?[0-9]{1,3}(?![0-9])/
DIAL.3: /[0-9]{0,3}[.,][0-9](?![0-9])|[0-9]{1,3}(?![0-9])/
INT.2: /[0-9]{1,4}(?![0-9])/
BLANK.2: /_+/
_PLUS.2: /\+|(?:and|&)(?![a-z])/
_UNIT.2: /(?:ordinary )?(?:tokens?|forces?|troops?|men|units?|suboids?)(?![a-z])|(?:ordinary|normal)(?![a-z])/
ELITE.2: /(?:elites?|fedaykins?|sardaukars?|cyborgs?|starred)(?: (?:tokens?|forces?))?(?![a-z])/
WORD: /[^\s,:;0-9+_][^\s,:;]*/
TEXT: /\S.*/
%ignore " "
"""

_PLAN = """
s#: _first#? _item#*
_first#: bare# ","?
bare#: DIAL -> dial
_item#: part# ("," | _K_AND | _K_WITH)?
part#: _K_DIAL DIAL -> dial
    | _K_SPICE (INT | BLANK) -> spice
    | _K_LEADER NAME -> leader
    | _K_NO _K_LEADER -> leader
    | _K_KWISATZ_HADERACH -> kwisatz_haderach
    | _K_WEAPON (NAME | BLANK) -> weapon
    | _K_NO _K_WEAPON -> weapon
    | _K_DEFENSE (NAME | BLANK) -> defense
    | _K_NO _K_DEFENSE -> defense
"""
_PLAN_KEYWORDS = ("dial", "spice", "leader", "no", "kwisatz_haderach", "weapon", "defense", "and", "with")


class _Writer:
    def __init__(self) -> None:
        self._alternatives: list[str] = []
        self._rules: list[str] = []
        self._keywords: dict[str, str] = {}
        self._places: dict[tuple[str, ...], str] = {}
        for word in ("and", "with", *_PLAN_KEYWORDS):
            self._keyword(word)

    def add(self, number: int, pattern: str) -> None:
        path: list[str] = []
        for piece in pieces(pattern):
            path.append(self._keyword(piece) if isinstance(piece, str) else self._place(tuple(path), piece))
        self._alternatives.append(f"{' '.join(path)} -> f{number}")

    def text(self) -> str:
        keywords = [f"{name}.2: /(?:{spelt})(?![a-z])/" for name, spelt in self._keywords.items()]
        return "\n".join([f"start: {' | '.join(self._alternatives)}", *self._rules, *keywords, _COMMON])

    def _keyword(self, word: str) -> str:
        if not word[0].isalpha():
            return f'"{word}"'
        name = f"_K_{re.sub('[^a-z]+', '_', word.lower()).upper()}"
        self._keywords[name] = SPELLINGS.get(word.lower(), re.escape(word.lower()))
        return name

    def _place(self, before: tuple[str, ...], blank: Blank) -> str:
        place = (*before, blank.slot_name)
        if place not in self._places:
            number = str(len(self._places))
            self._places[place] = f"s{number}"
            rule = _PLAN if blank.slot.rule == "PLAN" else f"s{number}: {blank.slot.rule}"
            self._rules.append(rule.replace("#", number).replace("NAME", f"n{number}"))
            if "NAME" in rule:
                self._rules.append(f"n{number}: WORD (WORD | INT)*")
        return self._places[place]


def order_grammar() -> str:
    """Return the grammar in lark's notation. Rule f7 is for form 7 of the table; the s rules are for slots, and the n
    rules for names."""
    writer = _Writer()
    for number, form in enumerate(FORMS):
        for pattern in (form.pattern, *form.also) if form.read else ():
            writer.add(number, pattern)
    return writer.text()


@cache
def order_keywords() -> frozenset[str]:
    patterns = (pattern for form in FORMS if form.read for pattern in (form.pattern, *form.also))
    words = {piece.lower() for pattern in patterns for piece in pieces(pattern) if isinstance(piece, str)}
    return frozenset(word for word in words | set(_PLAN_KEYWORDS) if word.isalpha())


@cache
def _parser() -> Lark:
    return parser_of(order_grammar(), __file__)


@cache
def _first_words() -> re.Pattern[str]:
    words = {str(pieces(pattern)[0]).lower() for form in FORMS for pattern in (form.pattern, *form.also)}
    return re.compile(rf" *(?:{'|'.join(SPELLINGS.get(word, re.escape(word)) for word in sorted(words))})(?![a-z])")


@lru_cache(maxsize=1024)  # a line is parsed several times: whole, without its end, and corrected
def _parsed(plain: str) -> tuple[Form, list[Tree[Token]]] | None:
    try:
        tree = built_outside(_parser).parse(plain)
    except UnexpectedInput:
        return None
    return FORMS[int(str(tree.data)[1:])], [child for child in tree.children if isinstance(child, Tree)]


def parse_order(plain: str) -> tuple[Form, list[Tree[Token]]] | None:
    return _parsed(plain) if _first_words().match(plain) else None


NEAR = 0.6  # minimum similarity to a word of the language, 0 to 1
NEAR_ALONE = 0.75  # for a one-word line: a name below a mail is not a misspelt order
MOST_LINES = 12
MOST_WORDS = 24  # longer lines are talk
_POLITE = frozenset({"i", "we", "please", "my", "ok", "okay"})
_GREETINGS = frozenset({"hello", "hallo", "helo", "hey", "heya", "hiya", "dear", "cheers"})  # not "help" or "clear"
_WITH_COLON = frozenset({"truthtrance", "deal", "press"})  # their text follows a colon


def corrected(line: str) -> list[str]:
    """Return versions of the line with one misspelt word corrected, then with two, the likeliest first.

    >>> corrected("mvoe 3 from carthag to ib/9")[0]
    'move 3 from carthag to ib/9'
    """
    words = line.split()
    if not words or len(words) > MOST_WORDS:
        return []
    first = words[0].lower()
    shorter = [" ".join(words[1:])] if len(words) > 1 and (first in _POLITE or first.endswith(":")) else []
    with_colon = _with_colon(words) if first in _WITH_COLON and ":" not in line else []
    once = _likeliest(_with_one(words))
    twice = _likeliest(hit for line in once[:4] for hit in _with_one(line.split()))
    return list(dict.fromkeys([*shorter, *with_colon, *once, *twice]))


def resembles_order(line: str) -> bool:
    word = line.split(maxsplit=1)[0].strip(":,").lower() if any(sign.isdigit() for sign in line) else ""
    return word.isalpha() and any(likeness >= NEAR_ALONE for _, likeness in _similar_keywords(word))


def _with_colon(words: Sequence[str]) -> list[str]:
    return [f"{' '.join(words[:place])}: {' '.join(words[place:])}" for place in range(2, min(6, len(words)))]


def _likeliest(hits: Iterable[tuple[float, str]]) -> list[str]:
    return [line for _, line in sorted(hits, key=lambda hit: (-hit[0], hit[1]))[:MOST_LINES]]


def _with_one(words: Sequence[str]) -> Iterator[tuple[float, str]]:
    needed = NEAR if len(words) > 1 else NEAR_ALONE
    for place, written in enumerate(words):
        word = written.rstrip(":,").lower()
        for known, likeness in _similar_keywords(word) if word.isalpha() else ():
            if likeness >= needed:
                yield likeness, " ".join([*words[:place], known + written[len(word) :], *words[place + 1 :]])


@lru_cache(maxsize=1024)
def _similar_keywords(word: str) -> Sequence[tuple[str, float]]:
    if word in order_keywords() or word in _GREETINGS:
        return ()
    hits = similar(word, order_keywords(), NEAR)
    return [hit for hit in hits if hit[0][0] == word[0] or OSA.distance(hit[0], word) < 2]
