"""Factions and dots at a table: each to one player, so that nobody has one again who need not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from bot.competition.outcomes import Handle
from bot.competition.seating.sizes import SEATS
from rules.components import FACTIONS, Faction
from rules.components.board import DOTS
from rules.components.chance import Chance

Missing = Literal["drawn", "bene-gesserit"]
AGAIN = 100
T = TypeVar("T")


def fairest(players: Sequence[Handle], things: Sequence[T], times: Mapping[Handle, Mapping[T, int]]) -> list[T]:
    """One thing for each player, exactly so that the sum of ``100 * (2 * times + 1)`` is the least, where ``times`` is
    how often they had it. Of several such ways the first by the order of players and things."""
    size = len(things)
    costs = [[AGAIN * (2 * times[player].get(thing, 0) + 1) for thing in things] for player in players]
    if all(cost == AGAIN for row in costs for cost in row):
        return list(things[: len(players)])
    least: list[dict[int, int]] = [{} for _ in range(len(players) + 1)]
    least[len(players)] = {}

    def rest(number: int, taken: int) -> int:
        if number == len(players):
            return 0
        known = least[number].get(taken)
        if known is None:
            row = costs[number]
            known = min(row[i] + rest(number + 1, taken | 1 << i) for i in range(size) if not taken >> i & 1)
            least[number][taken] = known
        return known

    given, taken = [], 0
    for number, row in enumerate(costs):
        best = rest(number, taken)
        chosen = next(
            i for i in range(size) if not taken >> i & 1 and row[i] + rest(number + 1, taken | 1 << i) == best
        )
        given.append(things[chosen])
        taken |= 1 << chosen
    return given


def played(size: int, missing: Missing, chance: Chance, label: str) -> list[Faction]:
    """The factions of a table, in drawn order. At five the one that is missing is drawn (WBC.HR.1) or the Bene Gesserit
    (GF9.SETUP.3); at four the Guild is missing as well, or another that is drawn."""
    found = list(FACTIONS)
    if missing == "bene-gesserit":
        gone: tuple[Faction, ...] = ("bene-gesserit", "guild")
        found = [faction for faction in found if faction not in gone[: SEATS - size]]
    chance.shuffle(f"{label}/factions", found)
    return found[:size]


def dots(size: int, chance: Chance, label: str) -> list[int]:
    """The dots of a table, in drawn order."""
    found = list(DOTS)
    chance.shuffle(f"{label}/dots", found)
    return found[:size]
