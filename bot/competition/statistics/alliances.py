"""By alliance: which factions win together, and how often the alliance of the first nexus is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

import msgspec

from bot.competition.outcomes import TableOutcome
from bot.competition.statistics.shares import Share, decided, share
from rules.components import Faction


class AllianceFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Two or three factions: at how many tables all of them were, how often they were allied at the end (with nobody
    else), and how often that alliance won."""

    factions: tuple[Faction, ...]
    tables: int
    wins: Share


def by_alliance(outcomes: Iterable[TableOutcome], size: int) -> list[AllianceFigures]:
    """Each set of so many factions that was ever allied at the end of a game, those who won most often first."""
    tables: Counter[tuple[Faction, ...]] = Counter()
    allied: Counter[tuple[Faction, ...]] = Counter()
    won: Counter[tuple[Faction, ...]] = Counter()
    for outcome in decided(outcomes):
        tables.update(combinations(sorted(seat.faction for seat in outcome.seats), size))
        for those in _sides(outcome):
            if len(those) == size:
                allied[those] += 1
                won[those] += set(those) <= set(outcome.winners)
    return [
        AllianceFigures(factions=those, tables=tables[those], wins=share(won[those], allied[those]))
        for those in sorted(allied, key=lambda those: (-won[those], -allied[those], those))
    ]


def _sides(outcome: TableOutcome) -> set[tuple[Faction, ...]]:
    """The alliances at the end; winners together are one, also where nobody noted alliances."""
    sides = {tuple(sorted(those)) for those in outcome.alliances}
    if not sides and outcome.how != "prediction":
        sides.add(tuple(sorted(outcome.winners)))
    return sides


def first_nexus_kept(outcomes: Iterable[TableOutcome]) -> Share:
    """How many of the alliances of the first nexus stood at the end, all of their members still together."""
    kept = made = 0
    for outcome in outcomes:
        for those in outcome.first_alliances:
            made += 1
            kept += any(set(those) <= set(last) for last in outcome.alliances)
    return share(kept, made)
