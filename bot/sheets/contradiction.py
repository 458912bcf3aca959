"""Whether a condition can hold at all, and in which turns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, get_args

from bot.sheets.conditions import AllOf, AnyOf, Comparison, Condition, Fact, Negation
from bot.sheets.facts import LAST_TURN, number_of
from rules.orders import PhaseName

Way = tuple[tuple[Fact | Comparison, bool], ...]
"""One way in which a condition can come true: facts, and whether each is to be so or not."""

MOST_WAYS = 512
_PHASES: tuple[PhaseName, ...] = get_args(PhaseName)
_TURN, _PHASE = number_of("turn {test}"), number_of("phase {phase}")


def alternatives(condition: Condition, most: int) -> list[Way] | None:
    """All ways in which it can come true; None where it asks for more than ``most`` facts or has too many ways."""
    if _size(condition) > most:
        return None
    ways = _ways(condition, True)
    return ways if len(ways) <= MOST_WAYS else None


def _size(condition: Condition) -> int:
    match condition:
        case AllOf(parts) | AnyOf(parts):
            return sum(map(_size, parts))
        case Negation(part):
            return _size(part)
    return 1


def _ways(condition: Condition, wanted: bool) -> list[Way]:
    match condition:
        case Negation(part):
            return _ways(part, not wanted)
        case AllOf(parts) | AnyOf(parts):
            each = [_ways(part, wanted) for part in parts]
            if isinstance(condition, AllOf) is not wanted:
                return [way for ways in each for way in ways][: MOST_WAYS + 1]
            joined: list[Way] = [()]
            for ways in each:
                joined = [one + other for one, other in product(joined, ways)][: MOST_WAYS + 1]
            return joined
        case Fact() | Comparison():
            return [((condition, wanted),)]
    raise TypeError(f"{condition} is no condition")


def can_be(way: Way) -> bool:
    """Whether its facts can be true together."""
    return all(_possible_number(way, fact) for fact, _ in way if isinstance(fact, Comparison)) and not any(
        _clash(one, other) for place, one in enumerate(way) for other in way[place + 1 :]
    )


def _possible_number(way: Way, asked: Comparison) -> bool:
    """Whether a number passes all comparisons that the way makes of the same quantity."""
    tests = [
        (fact.test, wanted)
        for fact, wanted in way
        if isinstance(fact, Comparison) and (fact.number, fact.args) == (asked.number, asked.args)
    ]
    edges = {0, *(edge for test, _ in tests for bound in test.bounds if bound is not None
                  for edge in (bound - 1, bound, bound + 1))}  # fmt: skip
    most = asked.form.most
    return any(
        all(test.passes(number) is wanted for test, wanted in tests)
        for number in edges
        if number >= asked.form.least and (most is None or number <= most)
    )


def _clash(one: tuple[Any, bool], other: tuple[Any, bool]) -> bool:
    (fact, wanted), (another, wanted_too) = one, other
    if not isinstance(fact, Fact) or not isinstance(another, Fact) or fact.number != another.number:
        return False
    if wanted is not wanted_too:
        return fact.args == another.args
    clash = fact.form.clash
    return wanted and clash is not None and clash(fact.args, another.args)


def turns_of(ways: Sequence[Way]) -> tuple[int, ...]:
    """The turns in which one of the ways can come true."""
    return tuple(turn for turn in range(1, LAST_TURN + 1) if any(_in_turn(way, turn) for way in ways))


def _in_turn(way: Way, turn: int) -> bool:
    asked = [(fact, wanted) for fact, wanted in way if fact.number == _TURN and isinstance(fact, Comparison)]
    return can_be(way) and all(fact.test.passes(turn) is wanted for fact, wanted in asked)


def may_still_come(way: Way, turn: int, phase: PhaseName | None) -> bool:
    """Whether it can come true from this phase of this turn on."""
    if not can_be(way):
        return False
    later = any(_in_turn(way, other) for other in range(turn + 1, LAST_TURN + 1))
    if later or not _in_turn(way, turn) or phase is None:
        return later or (_in_turn(way, turn) and phase is None)
    named = [fact.args[0] for fact, wanted in way if fact.number == _PHASE and wanted]
    return not named or _PHASES.index(named[0]) >= _PHASES.index(phase)
