"""The grammar of conditions, made from the table of facts, and the parser made from it by lark.

As in the grammar of orders (``bot.orders.grammar``), a name ends where a word stands that may follow it. All facts that
begin with a name share one rule for it; which sort of name it is, the words after it decide.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from lark import Lark, Token, Tree, UnexpectedInput

from bot.sheets.facts import FACTS

_SPELLINGS = {
    "has": "has|have|'s|had",
    "is": "is|are|am",
    "was": "was|were",
    "holds": "holds|hold",
    "hold": "hold|have in hand",
    "holding": "holding",
    "price": "price",
    "top": "top|highest|high",
    "the_bid": "(?:the )?(?:current )?bid",
    "bidder": "bidder",
    "a_card": "(?:a|any|one) card|cards?(?! (?:is|number))|anything|something",
    "no_card": "no cards?|nothing",
    "an_ally": "an ally|allies",
    "no_ally": "no ally|no allies",
    "an_alliance": "(?:an|the|his|their|its|my) alliance",
    "cards": "cards?(?: in hand)?",
    "cards_left": "cards? left",
    "tokens": "tokens?|forces|troops",
    "strongholds": "strongholds?",
    "battles": "battles?",
    "worms": "worms",
    "worm": "(?:a )?(?:worm|shai-hulud)",
    "tokens_in_the_tanks": "(?:tokens? |forces )?in (?:the )?tanks",
    "dead": "dead|in the tanks|killed",
    "alive": "alive|living",
    "discard": "(?:the )?discards?(?: pile)?",
    "kwisatz_haderach": "(?:the )?kwisatz[ -]?haderach",
    "voice": "(?:the )?voice",
    "truthtrance": "(?:a )?truth[ -]?trance",
    "traitor": "(?:a )?traitor",
    "i_fight": "i fight|i am fighting",
    "i_attack": "i attack|aggressor",
    "i_defend": "i defend|defender",
    "fights": "fights?",
    "attacks": "attacks?",
    "defends": "defends?",
    "plays": "plays|will play",
    "my": "my|mine",
    "don't": "don'?t",
    "nobody": "nobody|no one|no-one|noone",
    "phase": "(?:the )?phase",
    "spice": "spice",
    "and": "and",
}
"""Words with more than one usual spelling, as regular expressions."""

_COMMON = r"""
?start: any
?any: all (_OR all)*
?all: one (_AND one)*
?one: fact
    | _NOT one -> negation
    | "(" any ")"
test: (_EQ | _K_IS | _K_IS _EQ)? INT -> eq
    | _K_IS? _LT INT -> lt
    | _K_IS? _GT INT -> gt
    | _K_IS? _LE INT -> le
    | _K_IS? _GE INT -> ge
    | _K_IS? INT _OR_MORE -> ge
    | _K_IS? INT _OR_LESS -> le
    | _K_IS? _BETWEEN INT _AND INT -> between
_AND.3: /(?:, ?)?(?:and|&&?)(?![a-z])/
_OR.3: /(?:, ?)?(?:or|\|\|?)(?![a-z])/
_OR_MORE.4: /or (?:more|higher|above|over|greater)(?![a-z])|\+/
_OR_LESS.4: /or (?:less|fewer|lower|below|under)(?![a-z])/
_NOT.2: /not(?![a-z])|!/
_EQ.3: /==?|equals(?![a-z])|exactly(?![a-z])/
_LT.3: /<|(?:less|fewer|lower) than(?![a-z])|(?:below|under)(?![a-z])/
_GT.3: />|(?:more|higher|greater) than(?![a-z])|(?:above|over)(?![a-z])/
_LE.4: /<=|=<|≤|at most(?![a-z])|no more than(?![a-z])|up to(?![a-z])/
_GE.4: />=|=>|≥|at least(?![a-z])|no less than(?![a-z])/
_BETWEEN.3: /between(?![a-z])/
INT.2: /[0-9]{1,4}(?![0-9])/
WORD: /[^\s,:;0-9+_()<>=≤≥!|&][^\s,:;()<>=≤≥!|&]*/
%ignore " "
"""


class _Writer:
    """Collects the rules while it goes through the facts."""

    def __init__(self) -> None:
        self._alternatives: list[str] = []
        self._names: dict[tuple[str, ...], str] = {}
        self._keywords: dict[str, str] = {}
        self._keyword("is")

    def add(self, rule: str, pattern: str) -> None:
        """Another way to write a fact; ``rule`` names what it makes."""
        path: list[str] = []
        for word in pattern.split():
            if not word.startswith("{"):
                path.append(self._keyword(word))
            elif word == "{test}":
                path.append("test")
            else:
                path.append(self._names.setdefault(tuple(path), f"n{len(self._names)}"))
        self._alternatives.append(f"{' '.join(path)} -> {rule}")

    def text(self) -> str:
        keywords = [f"{name}.2: /(?:{spelt})(?![a-z])/" for name, spelt in self._keywords.items()]
        names = [f"{name}: WORD WORD*" for name in self._names.values()]
        facts = "\n    | ".join(self._alternatives)
        return "\n".join([f"fact: {facts}", *names, *keywords, _COMMON])

    def _keyword(self, word: str) -> str:
        if word == "not":
            return "_NOT"
        name = f"_K_{re.sub('[^a-z]+', '_', word).upper()}"
        self._keywords[name] = _SPELLINGS.get(word, re.escape(word.replace("_", " ")).replace("\\ ", " "))
        return name


def grammar() -> str:
    """The grammar in lark's notation. Rule f7 is fact 7 of the table, d7 that it is not so."""
    writer = _Writer()
    for number, form in enumerate(FACTS):
        for pattern in (form.pattern, *form.also):
            writer.add(f"f{number}_{_blanks(pattern)}", pattern)
        for pattern in form.denied:
            writer.add(f"d{number}_{_blanks(pattern)}", pattern)
    return writer.text()


def _blanks(pattern: str) -> str:
    return "_".join(re.findall(r"\{([a-z]+)\}", pattern))


@cache
def keywords() -> frozenset[str]:
    """Every fixed word of a condition in its canonical spelling."""
    patterns = (pattern for form in FACTS for pattern in (form.pattern, *form.also, *form.denied))
    words = {word for pattern in patterns for part in pattern.split() if part[0] != "{" for word in part.split("_")}
    return frozenset(words | {"and", "or", "not", "least", "most", "between", "more", "less", "than"})


@cache
def _parser() -> Lark:
    return Lark(grammar(), parser="lalr", lexer="contextual", maybe_placeholders=False)


@lru_cache(maxsize=1024)  # a condition is tried with its end and without, and as what a misspelt one means
def parse(plain: str) -> Tree[Token] | None:
    """The tree of a condition in plain letters; None if it is none."""
    try:
        return _parser().parse(plain)
    except UnexpectedInput:
        return None
