"""The grammar of a line, made from the table of forms, and the parser made from it by lark.

LALR with a contextual lexer: a word is a keyword only where one may stand, so "Trip to Gamont" and "Hole in the Rock"
are names although they hold "to" and "in". What may follow a name depends on where it stands; therefore each place in
the forms has a name rule of its own, shared only by forms that are alike up to there.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from lark import Lark, Tree, UnexpectedInput
from lark.lexer import Token

from bot.orders.forms import FORMS, Blank, Form, pieces

SPELLINGS = {
    "move": "move|mv",
    "defense": "defen[cs]e|def",
    "weapon": "(?<!basilia )weapon|wpn",  # that one is part of a card's name
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
    "to": "to|->|=>|→",
}
"""Keywords with more than one usual spelling, as regular expressions."""

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
    """Collects the rules of a grammar while it goes through the forms."""

    def __init__(self) -> None:
        self._alternatives: list[str] = []
        self._rules: list[str] = []
        self._keywords: dict[str, str] = {}
        self._places: dict[tuple[str, ...], str] = {}
        for word in ("and", "with", *_PLAN_KEYWORDS):
            self._keyword(word)

    def add(self, number: int, pattern: str) -> None:
        """Another way to write the form of this number."""
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
        """The rule of the slot that stands at this place of a form."""
        place = (*before, blank.slot_name)
        if place not in self._places:
            number = str(len(self._places))
            self._places[place] = f"s{number}"
            rule = _PLAN if blank.slot.rule == "PLAN" else f"s{number}: {blank.slot.rule}"
            self._rules.append(rule.replace("#", number).replace("NAME", f"n{number}"))
            if "NAME" in rule:
                self._rules.append(f"n{number}: WORD (WORD | INT)*")
        return self._places[place]


def grammar() -> str:
    """The grammar in lark's notation. Rule f7 is form 7 of the table; the s rules are slots, the n rules names."""
    writer = _Writer()
    for number, form in enumerate(FORMS):
        for pattern in (form.pattern, *form.also) if form.read else ():
            writer.add(number, pattern)
    return writer.text()


@cache
def keywords() -> frozenset[str]:
    """Every fixed word of the language in its canonical spelling."""
    patterns = (pattern for form in FORMS if form.read for pattern in (form.pattern, *form.also))
    words = {piece.lower() for pattern in patterns for piece in pieces(pattern) if isinstance(piece, str)}
    return frozenset(word for word in words | set(_PLAN_KEYWORDS) if word.isalpha())


@cache
def _parser() -> Lark:
    return Lark(grammar(), parser="lalr", lexer="contextual")


@cache
def _first_words() -> re.Pattern[str]:
    """The keywords with which a form begins; most lines that are no order have none of them."""
    words = {str(pieces(pattern)[0]).lower() for form in FORMS for pattern in (form.pattern, *form.also)}
    return re.compile(rf" *(?:{'|'.join(SPELLINGS.get(word, re.escape(word)) for word in sorted(words))})(?![a-z])")


@lru_cache(maxsize=1024)  # a line is tried several times: whole, with its end cut off, as what a misspelt one means
def _parsed(plain: str) -> tuple[Form, list[Tree[Token]]] | None:
    try:
        tree = _parser().parse(plain)
    except UnexpectedInput:
        return None
    return FORMS[int(str(tree.data)[1:])], [child for child in tree.children if isinstance(child, Tree)]


def parse(plain: str) -> tuple[Form, list[Tree[Token]]] | None:
    """The form that a line has and what stands in its slots; None if it has none."""
    return _parsed(plain) if _first_words().match(plain) else None
