"""Parse the conditions that players write into trees, and refuse any other text with a reason.

Mentat never guesses: for an unknown word, the answer suggests complete conditions that would be valid. A condition is
refused if it asks for something that the player cannot know (AH.XIII.A), can never come true, or concerns the past.

lark builds the parser from the table of facts. As in the order grammar, a name ends before any word that can follow it.
All facts that begin with a name share one rule for that name; the words after the name decide which sort of name it is.

Deals use the same language. A sheet's condition can ask for things that only its player knows. A deal's condition
cannot, because the other players could not tell whether it has come true. So a deal can use only those facts for which
the rules have a name (`rules.orders.readings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, cast

from lark import Lark, Token, Tree, UnexpectedInput

from bot.effort import Exhausted, built_outside, charge
from bot.language.conditions import (
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    Fact,
    Negation,
    all_of,
    alternatives,
    any_of,
    can_be,
    may_still_come,
    negation,
    turns_of,
    write_condition,
)
from bot.language.facts import FACTS, PARTS, Measure
from bot.language.lines import Context, Line, Misread, Node, Reading, parser_of, tidy
from bot.language.names import similar
from bot.wording import say
from bot.wording.filters import either
from rules.components import Faction
from rules.orders import readings as of_deals
from rules.orders.readings import FactName, PublicFact

MOST_FACTS = 16
MOST_SUGGESTIONS = 4
MOST_FORMS = 4
MOST_WORDS = 16  # Mentat does not search longer texts for misspelt words
NEAR = 0.6  # minimum similarity to a word of the language, 0 to 1


@dataclass(frozen=True, slots=True)
class Unfit:
    reason: str
    instead: tuple[Condition, ...] = ()


def read_condition(text: str, context: Context) -> Condition | Unfit:
    """Read a text as a condition.

    >>> read_condition("price < 5 and not guild has passed", Context("harkonnen"))  # doctest: +SKIP
    """
    line = tidy(text)
    try:
        condition = _understood(line, context)
        return _unparsed(line, context) if condition is None else _sensible(condition, context) or condition
    except Misread as wrong:
        try:
            if not wrong.instead and wrong.span == (0, len(line.text)):
                return _unparsed(line, context)  # these words could be a name, but do not resemble any name
            return Unfit(wrong.reason, _mended(line, wrong, context))
        except Exhausted:
            return Unfit(wrong.reason)
    except Exhausted:
        return Unfit(say("unread.no-condition", text=text))


def _understood(line: Line, context: Context) -> Condition | None:
    charge(1 + len(line.plain) // 50)
    tree = parse_condition(line.plain)
    return None if tree is None else _tree(tree, Reading(line.text, context))


def _tree(node: Node, reading: Reading) -> Condition:
    rule = str(node.data)
    children = [child for child in node.children if isinstance(child, Tree)]
    match rule:
        case "negation":
            return negation(_tree(children[0], reading))
        case "all":
            return all_of(*(_tree(child, reading) for child in children))
        case "any":
            return any_of(*(_tree(child, reading) for child in children))
    fact = _fact(rule, children, reading)
    return negation(fact) if rule.startswith("d") else fact


def _fact(rule: str, children: list[Node], reading: Reading) -> Condition:
    number, *blanks = rule[1:].split("_")
    values: dict[str, Any] = {}
    for blank, child in zip((blank for blank in blanks if blank), children, strict=True):
        values[blank] = PARTS[blank].read(reading, child)
    form = FACTS[int(number)]
    test = cast(Measure | None, values.pop("test", None))
    args = tuple(values[name] for name in form.blanks)
    if form.why_not and (why := form.why_not(reading.context, *args)):
        first, last = reading.words(children[0]).span if children else (0, 0)
        raise Misread(why, (first, last))
    return Fact(int(number), args) if test is None else Comparison(int(number), args, test)


# --- refusals --------------------------------------------------------------------------------------------------------


def _sensible(condition: Condition, context: Context) -> Unfit | None:
    cases = alternatives(condition, MOST_FACTS)
    if cases is None:
        return Unfit(say("unread.condition-too-long", most=MOST_FACTS))
    if not any(map(can_be, cases)):
        return Unfit(say("unread.never-holds", condition=write_condition(condition)))
    if context.turn is not None and not any(may_still_come(case, context.turn, context.phase) for case in cases):
        over = turns_of(cases)
        sentence = "unread.phase-over" if context.turn in over else "unread.turn-over"
        return Unfit(say(sentence, turn=over[-1], now=context.turn, phase=context.phase))
    return None


def _mended(line: Line, wrong: Misread, context: Context, corrections: int = 2) -> tuple[Condition, ...]:
    first, last = wrong.span
    found: list[Condition] = []
    for words in wrong.instead:
        found += _meant(tidy(f"{line.text[:first]}{words}{line.text[last:]}"), context, corrections)
    return tuple(dict.fromkeys(found))[:MOST_SUGGESTIONS]


def _meant(line: Line, context: Context, corrections: int) -> tuple[Condition, ...]:
    try:
        condition = _understood(line, context)
    except Misread as wrong:
        return _mended(line, wrong, context, corrections - 1) if corrections else ()
    return () if condition is None or _sensible(condition, context) else (condition,)


def _unparsed(line: Line, context: Context) -> Unfit:
    near = tuple(dict.fromkeys(meant for text in _corrected(line.text) for meant in _meant(tidy(text), context, 1)))
    if near:
        return Unfit(say("unread.near-condition"), near[:MOST_SUGGESTIONS])
    alike = _forms_like(line.plain)
    if alike:
        return Unfit(
            say("unread.wrong-condition", text=line.text, forms=either([f"“{form}”" for form in alike[:MOST_FORMS]]))
        )
    return Unfit(say("unread.no-condition", text=line.text))


def _corrected(text: str) -> Iterator[str]:
    words = text.split()
    if len(words) > MOST_WORDS:
        return
    yield from (" ".join([*words[:place], "is", *words[place:]]) for place in range(1, min(len(words), 8)))
    for place, written in enumerate(words):
        word = written.strip("(),").lower()
        if word in condition_keywords() or not word.isalpha() or len(word) < 3:
            continue
        for known in _like(word):
            yield " ".join([*words[:place], written.lower().replace(word, known), *words[place + 1 :]])


@lru_cache(maxsize=1024)
def _like(word: str) -> Sequence[str]:
    return [known for known, _ in similar(word, sorted(condition_keywords()), NEAR)[:3]]


def _forms_like(plain: str) -> list[str]:
    words = set(plain.replace("(", " ").replace(")", " ").split())
    scored = [(len(words & fixed), shown) for fixed, shown in _listed_forms()]
    best = max(score for score, _ in scored)
    return [shown for score, shown in scored if score == best] if best else []


def condition_forms() -> list[str]:
    return [shown for _, shown in _listed_forms()]  # ["turn N", "phase PHASE", …]


@cache
def _listed_forms() -> Sequence[tuple[frozenset[str], str]]:
    fixed = ((frozenset(word for word in form.pattern.split() if word[0] != "{"), form) for form in FACTS)
    return [(words, form.with_placeholders()) for words, form in fixed if form.listed]


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
    def __init__(self) -> None:
        self._alternatives: list[str] = []
        self._names: dict[tuple[str, ...], str] = {}
        self._keywords: dict[str, str] = {}
        self._keyword("is")

    def add(self, rule: str, pattern: str) -> None:
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


def condition_grammar() -> str:
    """Return the grammar in lark's notation. Rule f7 reads fact 7 of the table, and rule d7 reads the negation of that
    fact."""
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
def condition_keywords() -> frozenset[str]:
    patterns = (pattern for form in FACTS for pattern in (form.pattern, *form.also, *form.denied))
    words = {word for pattern in patterns for part in pattern.split() if part[0] != "{" for word in part.split("_")}
    return frozenset(words | {"and", "or", "not", "least", "most", "between", "more", "less", "than"})


@cache
def _parser() -> Lark:
    return parser_of(condition_grammar(), __file__, maybe_placeholders=False)


@lru_cache(maxsize=1024)  # each condition is parsed whole, without its end, and corrected
def parse_condition(plain: str) -> Tree[Token] | None:
    try:
        return built_outside(_parser).parse(plain)
    except UnexpectedInput:
        return None


PUBLIC_FACTS: Mapping[str, FactName] = {
    "turn {test}": "turn",
    "phase {phase}": "phase",
    "storm {test}": "storm",
    "worms {test}": "worms",
    "{territory} is destroyed": "wall-destroyed",
    "tokens of {faction} in {territory} {test}": "tokens",
    "{faction} is in {territory}": "stands-in",
    "{territory} is empty": "empty",
    "spice in {territory} {test}": "spice-in",
    "{faction} has {test} strongholds": "strongholds",
    "tanks of {faction} {test}": "tanks",
    "{leader} is dead": "dead",
    "{faction} is allied": "allied",
    "{faction} is allied with {other}": "allied-with",
    "{faction} has ornithopters": "ornithopters",
    "{faction} has {test} cards": "hand-count",
    "{card} is discarded": "discarded",
    "{faction} is fighting": "fighting",
    "{faction} is fighting {other}": "fighting-with",
    "battle in {territory}": "battle-in",
    "{faction} is attacking": "attacking",
    "{faction} is defending": "defending",
    "{faction} has bought a_card": "has-bought",
    "{faction} has bought {test} cards": "bought",
    "{faction} has broken an_alliance": "broke-alliance",
    "{faction} has taken charity": "charity",
    "{faction} has played {card}": "played",
    "nexus": "nexus",
    "worm appeared": "worm",
    "worm appeared in {territory}": "worm-in",
    "{faction} has shipped": "shipped",
    "{faction} has shipped to {territory}": "shipped-to",
    "{faction} has shipped {test} tokens": "tokens-shipped",
    "{faction} has shipped {test} to {territory}": "tokens-shipped-to",
    "{faction} has moved": "moved",
    "{faction} has moved to {territory}": "moved-to",
    "after {faction}": "past-move",
    "after shipment of {faction}": "past-shipment",
    "{faction} has won {test} battles": "battles-won",
    "{faction} has won in {territory}": "won-in",
    "{faction} has lost in {territory}": "lost-in",
    "{faction} was asked": "asked",
    "{faction} answered yes": "answered-yes",
    "{faction} answered no": "answered-no",
    "{faction} answered unknown": "answered-unknown",
}
"""The facts of sheets that a deal can also ask for: the pattern of each fact, and its name in the rules."""

OF_ONESELF: Mapping[str, FactName] = {
    "tokens in {territory} {test}": "tokens",
    "tanks {test}": "tanks",
    "allied with {faction}": "allied-with",
    "fighting {faction}": "fighting-with",
    "attacking": "attacking",
    "defending": "defending",
}
"""Facts that players write about themselves without naming their faction."""


def read_deal_condition(text: str, context: Context) -> of_deals.DealCondition:
    """Read the condition of a deal. Raise Misread for the whole text if it is not a condition, or if it asks for
    something that not everybody can see."""
    read = read_condition(text, context)
    if isinstance(read, Unfit):
        raise Misread(read.reason, (0, len(text)), tuple(map(write_condition, read.instead)))
    return _public(read, context.faction)


def public_condition_forms() -> list[str]:
    return [form.with_placeholders() for form in FACTS if form.pattern in PUBLIC_FACTS]


def _public(condition: Condition, me: Faction) -> of_deals.DealCondition:
    match condition:
        case Fact(args=args):
            return PublicFact(*_named(condition, args, me))
        case Comparison(args=args, test=test):
            least, most = test.bounds
            return PublicFact(*_named(condition, args, me), least, most)
        case Negation(part):
            return of_deals.NotSo(_public(part, me))
        case AllOf(parts):
            return of_deals.EachOf(tuple(_public(part, me) for part in parts))
        case AnyOf(parts):
            return of_deals.OneOf(tuple(_public(part, me) for part in parts))
    raise TypeError(f"{condition} is not a condition")


def _named(fact: Fact | Comparison, args: tuple[Any, ...], me: Faction) -> tuple[FactName, tuple[str, ...]]:
    pattern = fact.form.pattern
    if name := OF_ONESELF.get(pattern):
        return name, (me, *map(str, args))
    if pattern not in PUBLIC_FACTS:
        raise Misread(say("unread.not-public", condition=write_condition(fact)), (0, 0))
    return PUBLIC_FACTS[pattern], () if PUBLIC_FACTS[pattern] == "wall-destroyed" else tuple(map(str, args))
