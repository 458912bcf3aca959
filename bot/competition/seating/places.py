"""Factions and dots at a table: each to one player, so that nobody has one again who need not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, TypeVar

from bot.competition.outcomes import Handle
from bot.competition.seating.sizes import SEATS
from rules.components import FACTIONS, Faction
from rules.components.board import DOTS
from rules.components.chance import Chance

Missing = Literal["drawn", "bene-gesserit"]
AGAIN = 100
NONE_YET: Mapping[Faction, int] = {}
T = TypeVar("T")


def fairest(players: Sequence[Handle], things: Sequence[T], times: Mapping[Handle, Mapping[T, int]]) -> list[T]:
    """One thing for each player, exactly so that the sum of ``100 * (2 * times + 1)`` is the least, where ``times`` is
    how often they had it. Of several such ways the first by the order of players and things."""
    costs = [[AGAIN * (2 * times[player].get(thing, 0) + 1) for thing in things] for player in players]
    if all(cost == AGAIN for row in costs for cost in row):
        return list(things[: len(players)])
    least = [0] * (1 << len(things))
    for taken, seated, left in _ways(len(things), len(players)):
        row = costs[seated]
        least[taken] = min([row[thing] + least[then] for thing, then in left])
    given, taken = [], 0
    for row in costs:
        free = [(thing, taken | 1 << thing) for thing in range(len(things)) if not taken >> thing & 1]
        chosen, taken = next((thing, then) for thing, then in free if row[thing] + least[then] == least[taken])
        given.append(things[chosen])
    return given


@cache
def _ways(things: int, players: int) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """Every set of things that are taken while a player has none, the fullest first: the set as a mask, how many
    players have one by then, and what the next can take with the set that it makes."""
    return [
        (taken, taken.bit_count(), [(one, taken | 1 << one) for one in range(things) if not taken >> one & 1])
        for taken in reversed(range(1 << things))
        if taken.bit_count() < players
    ]


def allowed(size: int, missing: Missing, box: Sequence[Faction] = FACTIONS) -> list[Faction]:
    """The factions of the box that may be played at a table, in its order: all, or at five all but the Bene Gesserit
    (GF9.SETUP.3), and at four all but them and the Guild."""
    gone: tuple[Faction, ...] = ("bene-gesserit", "guild")[: SEATS - size] if missing == "bene-gesserit" else ()
    return [faction for faction in box if faction not in gone]


def to_spare(box: Sequence[Faction]) -> bool:
    """Whether even a full table leaves factions of the box unplayed, as with an expansion (IT.GEN.2)."""
    return len(box) > SEATS


def played(
    size: int, missing: Missing, chance: Chance, label: str, box: Sequence[Faction] = FACTIONS,
    times: Mapping[Faction, int] = NONE_YET,
) -> list[Faction]:  # fmt: skip
    """The factions of a table, in drawn order; who is missing is drawn (WBC.HR.1) among those that may be played. Where
    the box has some to spare, those come first that were played at the fewest tables so far (``times``), so that all
    are played equally often."""
    found = allowed(size, missing, box)
    chance.shuffle(f"{label}/factions", found)
    if to_spare(box):
        found.sort(key=lambda faction: times.get(faction, 0))
    return found[:size]


def dots(size: int, chance: Chance, label: str) -> list[int]:
    """The dots of a table, in drawn order."""
    found = list(DOTS)
    chance.shuffle(f"{label}/dots", found)
    return found[:size]
