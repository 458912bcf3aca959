"""Everybody gets one faction, at the least cost: exactly, and ties in drawn order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from bot.competition.outcomes import Handle
from rules.components import Faction

Costs = Mapping[Handle, Mapping[Faction, int]]


def cheapest(entrants: Sequence[Handle], factions: Sequence[Faction], costs: Costs) -> dict[Handle, Faction]:
    """One faction for each entrant so that the sum of the costs is the least.

    Of several such assignments it is the one in which the first entrant has the least cost, then the second, and so on;
    and where that too is the same, the one whose factions come first in the order given. A faction without a cost for
    an entrant cannot be theirs. ValueError where nobody can be served so.
    """

    @cache
    def least(number: int, taken: int) -> int | None:
        """What the entrants from this one on cost at least."""
        if number == len(entrants):
            return 0
        found = [rest + own for rest, own, _ in _choices(number, taken)]
        return min(found, default=None)

    def _choices(number: int, taken: int) -> list[tuple[int, int, int]]:
        own = costs[entrants[number]]
        choices = []
        for bit, faction in enumerate(factions):
            if taken >> bit & 1 or faction not in own:
                continue
            rest = least(number + 1, taken | 1 << bit)
            if rest is not None:
                choices.append((rest, own[faction], bit))
        return choices

    if least(0, 0) is None:
        raise ValueError("There is no assignment of a faction to everybody.")
    assigned, taken = {}, 0
    for number, entrant in enumerate(entrants):
        best = least(number, taken)
        _, bit = min((own, bit) for rest, own, bit in _choices(number, taken) if rest + own == best)
        assigned[entrant] = factions[bit]
        taken |= 1 << bit
    return assigned
