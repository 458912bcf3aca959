"""Conditions as trees of facts. This module evaluates a condition from a seat's knowledge, and lists the cases in which
it can come true.

A fact is true, false or unknown. It is unknown if it is about something that does not exist now (the price when nothing
is for sale) or that the seat cannot see. An unknown fact satisfies neither the condition nor its negation: Mentat then
asks the player.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import Any, get_args

from bot.language.facts import FACTS, LAST_TURN, PARTS, FactForm, Measure, number_of
from bot.language.knowledge import Knowledge
from rules.orders import PhaseName


@dataclass(frozen=True, slots=True)
class Condition:
    pass


@dataclass(frozen=True, slots=True)
class Fact(Condition):
    """A statement about the game: `number` is the number of its form in the table of facts, and `args` fill the form's
    blanks."""

    number: int
    args: tuple[Any, ...] = ()

    @property
    def form(self) -> FactForm:
        return FACTS[self.number]


@dataclass(frozen=True, slots=True)
class Comparison(Condition):
    number: int
    args: tuple[Any, ...]
    test: Measure

    @property
    def form(self) -> FactForm:
        return FACTS[self.number]


@dataclass(frozen=True, slots=True)
class Negation(Condition):
    """The negation of a condition. It holds only if the seat knows that `part` does not hold; if `part` is unknown, so
    is the negation."""

    part: Condition


@dataclass(frozen=True, slots=True)
class AllOf(Condition):
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf(Condition):
    parts: tuple[Condition, ...]


def all_of(*parts: Condition) -> Condition:
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, AllOf) else (part,))]
    return flat[0] if len(flat) == 1 else AllOf(tuple(flat))


def any_of(*parts: Condition) -> Condition:
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, AnyOf) else (part,))]
    return AnyOf(tuple(flat))


def negation(part: Condition) -> Condition:
    return part.part if isinstance(part, Negation) else Negation(part)


def holds(condition: Condition, knowledge: Knowledge) -> bool:
    return truth(condition, knowledge) is True


def truth(condition: Condition, knowledge: Knowledge) -> bool | None:
    match condition:
        case Fact(_, args):
            value = condition.form.value(knowledge, *args)
            return None if value is None else bool(value)
        case Comparison(_, args, test):
            value = condition.form.value(knowledge, *args)
            return None if value is None else test.passes(value)
        case Negation(part):
            value = truth(part, knowledge)
            return None if value is None else not value
        case AllOf(parts):
            return _combined(parts, knowledge, decisive=False)
        case AnyOf(parts):
            return _combined(parts, knowledge, decisive=True)
    raise TypeError(f"{condition} is not a condition")


def _combined(parts: Sequence[Condition], knowledge: Knowledge, *, decisive: bool) -> bool | None:
    """Evaluate an "and" (`decisive` is false) or an "or" (`decisive` is true) of these parts.

    The result is `decisive` if any part has that value; else None if any part is unknown; else the opposite of
    `decisive`. Evaluation stops at the first decisive part, so parts that can be evaluated without the seat's view
    should come first.
    """
    untold = False
    for part in parts:
        value = truth(part, knowledge)
        if value is decisive:
            return decisive
        untold = untold or value is None
    return None if untold else not decisive


# --- in words --------------------------------------------------------------------------------------------------------


def write_condition(condition: Condition) -> str:
    """Write the condition in canonical words, which read back as the same condition.

    >>> write_condition(all_of(Comparison(0, (), Measure("=", 3)), Fact(1, ("bidding",))))
    'turn 3 and phase bidding'
    """
    match condition:
        case Fact(_, args):
            return _filled(condition.form.pattern, args)
        case Comparison(_, args, test):
            return _filled(condition.form.pattern, (*args, test))
        case Negation(Fact(_, args) as fact) if fact.form.denied:
            return _filled(fact.form.denied[0], args)
        case Negation(AllOf() | AnyOf() as part):
            return f"not ({write_condition(part)})"
        case Negation(part):
            return f"not {write_condition(part)}"
        case AllOf(parts):
            return " and ".join(_in_brackets(part) for part in parts)
        case AnyOf(parts):
            return " or ".join(map(write_condition, parts))
    raise TypeError(f"{condition} is not a condition")


def _in_brackets(part: Condition) -> str:
    return f"({write_condition(part)})" if isinstance(part, AnyOf) else write_condition(part)


def _filled(pattern: str, args: Sequence[Any]) -> str:
    values = list(args)
    words: list[str] = []
    after_word = True
    for piece in pattern.split():
        if piece == "{test}":
            test = values.pop()
            words.append(_bare(test) if after_word else str(test))
        elif piece.startswith("{"):
            words.append(PARTS[piece[1:-1]].write(values.pop(0)))
        else:
            words.append(piece.replace("_", " "))
        after_word = not piece.startswith("{")
    return " ".join(words)


def _bare(test: Measure) -> str:
    return str(test.number) if test.operator == "=" else str(test)


Case = tuple[tuple[Fact | Comparison, bool], ...]
"""One case in which a condition can come true: its facts, and for each whether it must be true or false."""

_TURNS = frozenset(range(1, LAST_TURN + 1))
_PHASES: tuple[PhaseName, ...] = get_args(PhaseName)
_TURN, _PHASE = number_of("turn {test}"), number_of("phase {phase}")


@lru_cache(maxsize=256)  # parsed for a condition alone and again for its line
def alternatives(condition: Condition, most: int) -> Sequence[Case] | None:
    """Return all cases in which the condition can come true (at most 324 for sixteen facts), or None if the condition
    contains more than `most` facts."""
    return _cases(condition, True) if _size(condition) <= most else None


def _size(condition: Condition) -> int:
    match condition:
        case AllOf(parts) | AnyOf(parts):
            return sum(map(_size, parts))
        case Negation(part):
            return _size(part)
    return 1


def _cases(condition: Condition, wanted: bool) -> list[Case]:
    match condition:
        case Negation(part):
            return _cases(part, not wanted)
        case AllOf(parts) | AnyOf(parts):
            each = [_cases(part, wanted) for part in parts]
            if isinstance(condition, AllOf) is not wanted:
                return [case for cases in each for case in cases]
            joined: list[Case] = [()]
            for cases in each:
                joined = [one + other for one, other in product(joined, cases)]
            return joined
        case Fact() | Comparison():
            return [((condition, wanted),)]
    raise TypeError(f"{condition} is not a condition")


def can_be(case: Case) -> bool:
    tests: dict[tuple[int, tuple[Any, ...]], list[tuple[Measure, bool]]] = {}
    facts: dict[int, list[tuple[Fact, bool]]] = {}
    for fact, wanted in case:
        if isinstance(fact, Comparison):
            tests.setdefault((fact.number, fact.args), []).append((fact.test, wanted))
        else:
            facts.setdefault(fact.number, []).append((fact, wanted))
    if any(_clash(one, other) for alike in facts.values() for one, other in combinations(alike, 2)):
        return False
    return all(_some_number_passes(number, tuple(asked)) for (number, _), asked in tests.items())


@lru_cache(maxsize=4096)  # most cases of one condition ask the same questions
def _some_number_passes(form: int, tests: Sequence[tuple[Measure, bool]]) -> bool:
    edges = {0, *(edge for test, _ in tests for bound in test.bounds if bound is not None
                  for edge in (bound - 1, bound, bound + 1))}  # fmt: skip
    least, most = FACTS[form].least, FACTS[form].most
    return any(
        all(test.passes(number) is wanted for test, wanted in tests)
        for number in edges
        if number >= least and (most is None or number <= most)
    )


def _clash(one: tuple[Fact, bool], other: tuple[Fact, bool]) -> bool:
    (fact, wanted), (another, wanted_too) = one, other
    if wanted is not wanted_too:
        return fact.args == another.args
    clash = fact.form.clash
    return wanted and clash is not None and clash(fact.args, another.args)


def turns_of(cases: Sequence[Case]) -> tuple[int, ...]:
    found: set[int] = set()
    for case in cases:
        named = _named_turns(case)
        if not named <= found and can_be(case):
            found |= named
        if len(found) == LAST_TURN:
            break
    return tuple(sorted(found))


def _named_turns(case: Case) -> frozenset[int]:
    asked = [(fact.test, wanted) for fact, wanted in case if fact.number == _TURN and isinstance(fact, Comparison)]
    return _turns_passing(tuple(asked))


@lru_cache(maxsize=1024)
def _turns_passing(asked: Sequence[tuple[Measure, bool]]) -> frozenset[int]:
    return frozenset(turn for turn in _TURNS if all(test.passes(turn) is wanted for test, wanted in asked))


def may_still_come(case: Case, turn: int, phase: PhaseName | None) -> bool:
    turns = _named_turns(case) if can_be(case) else frozenset[int]()
    later = any(other > turn for other in turns)
    if later or turn not in turns or phase is None:
        return later or turn in turns
    named = [fact.args[0] for fact, wanted in case if fact.number == _PHASE and wanted]
    return not named or _PHASES.index(named[0]) >= _PHASES.index(phase)
