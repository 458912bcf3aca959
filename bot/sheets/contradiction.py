"""Whether a condition can hold at all, and in which turns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import Any, get_args

from bot.sheets.blanks import Measure
from bot.sheets.conditions import AllOf, AnyOf, Comparison, Condition, Fact, Negation
from bot.sheets.facts import FACTS, LAST_TURN, number_of
from rules.orders import PhaseName

Case = tuple[tuple[Fact | Comparison, bool], ...]
"""One case in which a condition can come true: facts, and whether each is to be so or not."""

_TURNS = frozenset(range(1, LAST_TURN + 1))
_PHASES: tuple[PhaseName, ...] = get_args(PhaseName)
_TURN, _PHASE = number_of("turn {test}"), number_of("phase {phase}")


@lru_cache(maxsize=256)  # asked for a condition by itself and again for the line that it stands in
def alternatives(condition: Condition, most: int) -> Sequence[Case] | None:
    """All cases in which it can come true, at most 324 of sixteen facts; None where it asks for more than ``most``."""
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
    raise TypeError(f"{condition} is no condition")


def can_be(case: Case) -> bool:
    """Whether its facts can be true together."""
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


@lru_cache(maxsize=4096)  # the cases of one condition ask mostly the same
def _some_number_passes(form: int, tests: Sequence[tuple[Measure, bool]]) -> bool:
    """Whether a number that the form can have passes all comparisons of the same quantity."""
    edges = {0, *(edge for test, _ in tests for bound in test.bounds if bound is not None
                  for edge in (bound - 1, bound, bound + 1))}  # fmt: skip
    least, most = FACTS[form].least, FACTS[form].most
    return any(
        all(test.passes(number) is wanted for test, wanted in tests)
        for number in edges
        if number >= least and (most is None or number <= most)
    )


def _clash(one: tuple[Fact, bool], other: tuple[Fact, bool]) -> bool:
    """Whether two facts of the same form cannot be true together."""
    (fact, wanted), (another, wanted_too) = one, other
    if wanted is not wanted_too:
        return fact.args == another.args
    clash = fact.form.clash
    return wanted and clash is not None and clash(fact.args, another.args)


def turns_of(cases: Sequence[Case]) -> tuple[int, ...]:
    """The turns in which one of the cases can come true."""
    found: set[int] = set()
    for case in cases:
        named = _named_turns(case)
        if not named <= found and can_be(case):
            found |= named
        if len(found) == LAST_TURN:
            break
    return tuple(sorted(found))


def _named_turns(case: Case) -> frozenset[int]:
    """The turns that pass what a case asks of the turn."""
    asked = [(fact.test, wanted) for fact, wanted in case if fact.number == _TURN and isinstance(fact, Comparison)]
    return _turns_passing(tuple(asked))


@lru_cache(maxsize=1024)
def _turns_passing(asked: Sequence[tuple[Measure, bool]]) -> frozenset[int]:
    return frozenset(turn for turn in _TURNS if all(test.passes(turn) is wanted for test, wanted in asked))


def may_still_come(case: Case, turn: int, phase: PhaseName | None) -> bool:
    """Whether it can come true from this phase of this turn on."""
    turns = _named_turns(case) if can_be(case) else frozenset[int]()
    later = any(other > turn for other in turns)
    if later or turn not in turns or phase is None:
        return later or turn in turns
    named = [fact.args[0] for fact, wanted in case if fact.number == _PHASE and wanted]
    return not named or _PHASES.index(named[0]) >= _PHASES.index(phase)
