"""Conditions as players write them become trees; what cannot be one is refused with the reason.

Nothing is guessed: an unknown word gets complete conditions that would be right. Refused is what the player cannot know
(AH.XIII.A), what can never be, and what is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, cast

from lark import Tree
from rapidfuzz import process
from rapidfuzz.distance import OSA

from bot.orders.blanks import Misread, Node, Reading
from bot.orders.context import Context
from bot.orders.lines import Line, tidy
from bot.sheets.blanks import PARTS, Measure
from bot.sheets.conditions import Comparison, Condition, Fact, all_of, any_of, negation, write_condition
from bot.sheets.contradiction import alternatives, can_be, may_still_come, turns_of
from bot.sheets.facts import FACTS
from bot.sheets.grammar import keywords, parse
from bot.wording.filters import either
from bot.wording.sentences import say

MOST_FACTS = 16
MOST_SUGGESTIONS = 4
MOST_FORMS = 4
MOST_WORDS = 16  # a longer text is not searched for misspelt words
NEAR = 0.6  # how alike a word must be to a word of the language, 0 to 1


@dataclass(frozen=True, slots=True)
class Unfit:
    """A condition that cannot be taken: why, and conditions that could be meant."""

    reason: str
    instead: tuple[Condition, ...] = ()


def read_condition(text: str, context: Context) -> Condition | Unfit:
    """The condition that a text says.

    >>> read_condition("price < 5 and not guild has passed", Context("harkonnen"))  # doctest: +SKIP
    """
    line = tidy(text)
    try:
        condition = _understood(line, context)
    except Misread as wrong:
        if not wrong.instead and wrong.span == (0, len(line.text)):
            return _unparsed(line, context)  # words that could be a name, and are like none
        return Unfit(wrong.reason, _mended(line, wrong, context))
    if condition is None:
        return _unparsed(line, context)
    return _sensible(condition, context) or condition


def _understood(line: Line, context: Context) -> Condition | None:
    tree = parse(line.plain)
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


# --- what cannot be taken --------------------------------------------------------------------------------------------


def _sensible(condition: Condition, context: Context) -> Unfit | None:
    """Why a condition that can be read is of no use."""
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
    """Conditions with something readable where the misread words stood."""
    first, last = wrong.span
    found: list[Condition] = []
    for words in wrong.instead:
        found += _meant(tidy(f"{line.text[:first]}{words}{line.text[last:]}"), context, corrections)
    return tuple(dict.fromkeys(found))[:MOST_SUGGESTIONS]


def _meant(line: Line, context: Context, corrections: int) -> tuple[Condition, ...]:
    """The conditions that a text says, at once or with so many corrections of its names; none if it is no use."""
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
    """The text with one misspelt word of the language put right, or with an "is" that was left out."""
    words = text.split()
    if len(words) > MOST_WORDS:
        return
    yield from (" ".join([*words[:place], "is", *words[place:]]) for place in range(1, min(len(words), 8)))
    for place, written in enumerate(words):
        word = written.strip("(),").lower()
        if word in keywords() or not word.isalpha() or len(word) < 3:
            continue
        for known in _like(word):
            yield " ".join([*words[:place], written.lower().replace(word, known), *words[place + 1 :]])


@lru_cache(maxsize=1024)
def _like(word: str) -> Sequence[str]:
    """The words of the language that a misspelt one is most like."""
    known_words = sorted(keywords())
    hits = process.extract(word, known_words, scorer=OSA.normalized_similarity, score_cutoff=NEAR - 0.01, limit=3)
    return [known for known, likeness, _ in hits if likeness >= NEAR]


def _forms_like(plain: str) -> list[str]:
    """The forms that share most words with this text."""
    words = set(plain.replace("(", " ").replace(")", " ").split())
    scored = [(len(words & fixed), shown) for fixed, shown in _listed_forms()]
    best = max(score for score, _ in scored)
    return [shown for score, shown in scored if score == best] if best else []


def condition_forms() -> list[str]:
    """Everything that a condition can ask for: ["turn N", "phase PHASE", …]."""
    return [shown for _, shown in _listed_forms()]


@cache
def _listed_forms() -> Sequence[tuple[frozenset[str], str]]:
    """The fixed words of each form and how it is shown."""
    fixed = ((frozenset(word for word in form.pattern.split() if word[0] != "{"), form) for form in FACTS)
    return [(words, form.with_placeholders()) for words, form in fixed if form.listed]
