"""Telling moments apart by what one player knows: the conditions under which a deputy does what they did at each.

A *moment* is a stop at which a player decided something, with the value of every fact that they can ask for. From all
moments of a phase come lines in an order such that at each moment the first line whose condition holds is the one for
it. Moments at which they did different things although nothing that they know tells them apart have no line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

from bot.orders.context import Context
from bot.sheets.blanks import Measure
from bot.sheets.conditions import AllOf, Comparison, Condition, Fact, Negation, all_of, negation
from bot.sheets.facts import FACTS, number_of
from bot.sheets.knowledge import Knowledge
from bot.sheets.reading import AskMe
from rules.components import Faction, leaders_of
from rules.components.board import STRONGHOLDS
from rules.orders import Element, Order, VoiceKind

_TOLD = [(number, form, form.blanks) for number, form in enumerate(FACTS)]
_MEASURED = frozenset(number for number, form in enumerate(FACTS) if "{test}" in form.pattern)
_COUNT = number_of("question number {test}")
_ONLY_NOW = frozenset({"why", "asking", "card"})
"""Blanks for which only what there is at a moment is looked at: what is not there could be anything."""

Asked = tuple[int, tuple[Any, ...]]
Values = Mapping[Asked, int]


@dataclass(frozen=True, slots=True)
class Line:
    """When to do what; ``moments`` are those at which it is what is done."""

    condition: Condition | None
    order: Order | AskMe
    moments: tuple[Moment, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """What a player did at one stop, and what they knew. ``number`` is the place of the decision in the phase;
    ``order`` is None where they could have done what they did later, and had not yet, and ``ask me`` where they wanted
    to be asked."""

    number: int
    order: Order | AskMe | None
    values: Values


def facts_of(knowledge: Knowledge, factions: Sequence[Faction], territories: Iterable[str]) -> dict[Asked, int]:
    """The value of every fact that can be told, by its form and what stands in its blanks."""
    faction = knowledge.faction
    context = Context(faction=faction, factions=frozenset(factions))
    domains: dict[str, Sequence[Any]] = {
        "faction": factions, "other": factions, "territory": tuple(dict.fromkeys((*STRONGHOLDS, *territories))),
        "leader": leaders_of(faction), "kind": get_args(VoiceKind), "element": get_args(Element),
        "why": [knowledge.window] if knowledge.window else [],
        "card": sorted({facts["card"] for facts in knowledge.told("karama-played")}),
        "asking": sorted({kind for _, kind in knowledge.waited_for} | {kind for kind in [knowledge.asked_for] if kind}),
    }  # fmt: skip
    values: dict[Asked, int] = {}
    filled: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
    for number, form, blanks in _TOLD:
        if any(blank not in domains for blank in blanks):
            continue
        if blanks not in filled:
            filled[blanks] = _filled([domains[blank] for blank in blanks])
        only_now = not _ONLY_NOW.isdisjoint(blanks)
        for args in filled[blanks]:
            if form.why_not and form.why_not(context, *args):
                continue
            value = form.value(knowledge, *args)
            if value is not None and (value or not only_now):
                values[number, args] = value if number in _MEASURED else bool(value)
    return values


def _filled(domains: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    filled: list[tuple[Any, ...]] = [()]
    for domain in domains:
        filled = [(*args, value) for args in filled for value in domain]
    return filled


def lines_for(moments: Sequence[Moment], *, one_by_one: bool = False) -> tuple[list[Line], list[int]]:
    """The lines for these moments, in the order in which they are to be filed; and the numbers of the moments that
    nothing tells apart. ``one_by_one``: lines that hold together would act together, so each must hold at its own
    moments alone."""
    lines: list[Line] = []
    live: list[int] = []
    left = list(moments)
    while any(moment.order is not None for moment in left):
        found = _next_line(left, moments if one_by_one else left)
        if found is None:
            lost = next(moment for moment in left if moment.order is not None)
            live.append(lost.number)
            left = [Moment(m.number, None, m.values) if m is lost else m for m in left]
            continue
        condition, order = found
        done = tuple(m for m in left if m.order == order and _holds(condition, m.values))
        lines.append(Line(condition, order, done))
        left = [m for m in left if m not in done]
    return lines, live


def _next_line(left: Sequence[Moment], others: Sequence[Moment]) -> tuple[Condition | None, Order | AskMe] | None:
    for moment in left:
        if moment.order is None:
            continue
        against = [other.values for other in others if other.order != moment.order]
        parts = _parts(moment.values, against)
        if parts is not None:
            return (all_of(*parts) if parts else None), moment.order
    return None


def _parts(values: Values, against: Sequence[Values]) -> list[Condition] | None:
    """Facts that are so here and together nowhere else; None if there are none. How many-th the question is counts
    only where nothing else tells them apart."""
    telling = {asked: value for asked, value in values.items() if asked[0] != _COUNT}
    found = _telling(telling, against)
    return found if found is not None else _telling(values, against)


def _telling(values: Values, against: Sequence[Values]) -> list[Condition] | None:
    parts: list[Condition] = []
    rest = list(against)
    while rest:
        if not values:
            return None
        best = max(values, key=partial(_apart, values, rest))
        kept = [other for other in rest if other.get(best) == values[best]]
        if len(kept) == len(rest):
            return None
        parts.append(_as_condition(best, values[best], [other[best] for other in rest if best in other]))
        rest = kept
    return parts


def _apart(values: Values, others: Sequence[Values], asked: Asked) -> int:
    """At how many other moments a fact is not what it is here."""
    return sum(asked not in other or other[asked] != values[asked] for other in others)


def _as_condition(asked: Asked, value: int, others: Sequence[int]) -> Condition:
    """That a fact is as it is here, as people say it: under 5 where it is otherwise 5 or more."""
    number, args = asked
    if number in _MEASURED:
        different = [other for other in others if other != value]
        if different and min(different) > value:
            return Comparison(number, args, Measure("<", min(different)))
        if different and max(different) < value:
            return Comparison(number, args, Measure(">", max(different)))
        return Comparison(number, args, Measure("=", value))
    return Fact(number, args) if value else negation(Fact(number, args))


def _holds(condition: Condition | None, values: Values) -> bool:
    match condition:
        case None:
            return True
        case AllOf(parts):
            return all(_holds(part, values) for part in parts)
        case Comparison(number, args, test):
            return (number, args) in values and test.passes(values[number, args])
        case Fact(number, args):
            return values.get((number, args)) == 1
        case Negation(Fact(number, args)):
            return values.get((number, args)) == 0
    raise TypeError(f"{condition} is not made here")
