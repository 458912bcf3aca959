"""The way of the Hidden Mobile Stronghold over the board: from area to area, up to so many territories (IT.HMS.5 to 7,
IT.HMS.12 to 15).

A way is given by its end and, if its player likes, by areas that it passes. What lies between two of them is found
here: the fewest territories, then the fewest areas, then the most spice. Inside a territory of several sectors it
passes those that lie between, and that costs no territory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush
from itertools import pairwise

from rules.components.board import (
    PRINTED_AREAS,
    TERRITORIES,
    Area,
    area_name,
    neighbours,
    territory_of,
)
from rules.decisions.under_storm import in_storm
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

Way = tuple[Area, ...]
"""The areas of a way in their order, from where it begins to where it ends."""

THROUGH_STRONGHOLDS = Option("hms_through_strongholds", {"no": False, "yes": True})
"""Whether a way may lead through the territory of a stronghold; it never ends in one."""

_Cost = tuple[int, int, int]  # territories entered, areas entered, spice passed (less is better, so below 0)


def is_stronghold(area: Area) -> bool:
    """Whether the area is one of a printed stronghold."""
    return TERRITORIES[territory_of(area)].kind == "stronghold"


def territories_entered(way: Way) -> int:
    """How many territories the way enters; from sector to sector inside one it enters none."""
    return sum(territory_of(one) != territory_of(other) for one, other in pairwise(way))


def find(game: Game, start: Area, via: Iterable[Area], target: Area) -> Way | None:
    """The best way through these areas in their order; None where there is none."""
    way: list[Area] = [start]
    for goal in (*via, target):
        part = _ways_from(game, way[-1]).get(goal)
        if part is None:
            return None
        way += part[1:]
    return tuple(way)


def reachable(game: Game, start: Area, limit: int) -> Mapping[Area, Way]:
    """Where the stronghold can end with at most so many territories, and the best way there."""
    ways = _ways_from(game, start)
    return {
        goal: way
        for goal, way in ways.items()
        if goal != start and not is_stronghold(goal) and territories_entered(way) <= limit
    }


def refusal(game: Game, start: Area, via: Way, target: Area, limit: int) -> Refusal | None:
    """Why the stronghold, which may move, does not go that way, or None."""
    if is_stronghold(target):
        return Refusal(
            f"{area_name(target)} is a stronghold; the Hidden Mobile Stronghold stops outside them.", "hms.end"
        )
    if target == start and not via:
        return Refusal(f"It points at {area_name(start)} already.", "hms.end")
    for area in (*via, target):
        if in_storm(game, area):
            return Refusal(f"{area_name(area)} is under the storm; it does not move into or through it.", "hms.storm")
        if is_stronghold(area) and not THROUGH_STRONGHOLDS(game.rules):
            return Refusal(f"{area_name(area)} is a stronghold; its way leads through none.", "hms.way")
    way = find(game, start, via, target)
    if way is None:
        return Refusal(f"There is no way from {area_name(start)} to {area_name(target)} now.", "hms.way")
    if (length := territories_entered(way)) > limit:
        there = f"from {area_name(start)} to {area_name(target)}{' that way' if via else ''}"
        return Refusal(f"It is {length} territories {there}; it goes at most {limit}.", "hms.distance")
    return None


def _ways_from(game: Game, start: Area) -> Mapping[Area, Way]:
    """The best way from an area to every other that can be reached at all."""
    through = THROUGH_STRONGHOLDS(game.rules)
    open_areas = {area for area in PRINTED_AREAS if not in_storm(game, area) and (through or not is_stronghold(area))}
    found: dict[Area, Way] = {}
    heap: list[tuple[_Cost, Way]] = [((0, 0, 0), (start,))]
    while heap:
        (territories, areas, spice), way = heappop(heap)
        here = way[-1]
        if here in found:
            continue
        found[here] = way
        for near in neighbours(here):
            if near in open_areas and near not in found:
                entered = territories + (territory_of(near) != territory_of(here))
                passed = spice - game.state.spice.get(near, 0)
                heappush(heap, ((entered, areas + 1, passed), (*way, near)))
    return found


OPTIONS = (THROUGH_STRONGHOLDS,)
