"""What a table is worth to each seat, from the strongholds they held at the end and who won.

The order in which a system is applied: points of a win or of a place, then for strongholds, then tribute; winners take
all; the sum is scaled; and what winners get is multiplied by the factor of how they won.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from bot.competition.outcomes import TableOutcome
from bot.competition.scoring.entered import Cause
from bot.competition.scoring.system import NOTHING, System
from rules.components import Faction


def seat_points(system: System, outcome: TableOutcome) -> dict[Faction, Fraction]:
    """The points of each seat of a table, whoever sits there. A void one gives nobody any."""
    factions = [seat.faction for seat in outcome.seats]
    if outcome.kind == "void":
        return dict.fromkeys(factions, NOTHING)
    winners = {factions.index(winner): size for winner, size in winning_sides(outcome).items()}
    held = [seat.strongholds for seat in outcome.seats]
    return dict(zip(factions, table_points(system, held, winners, outcome.kind), strict=True))


def winning_sides(outcome: TableOutcome) -> dict[Faction, int]:
    """Each winner with how many share their win: all winners, unless two sides have won at once, as some rule sets let
    them; then those of their own side. What was agreed or adjudicated is shared by all who are named."""
    together = [set(alliance) & set(outcome.winners) for alliance in outcome.alliances]
    if outcome.kind in ("agreed", "adjudicated") or not any(together):
        return dict.fromkeys(outcome.winners, len(outcome.winners))
    return {winner: max([1, *(len(side) for side in together if winner in side)]) for winner in outcome.winners}


def table_points(
    system: System, held: Sequence[int], winners: Mapping[int, int], cause: Cause = "stronghold"
) -> tuple[Fraction, ...]:
    """The points of each seat, from the strongholds of each and the places of the winners among them (none: nobody
    won), each with how many are on their side."""
    given = [one + two for one, two in zip(_places(system, held, winners), _strongholds(system, held), strict=True)]
    if system.survivor is not None:
        given = [one + system.survivor if count else NOTHING for one, count in zip(given, held, strict=True)]
    if system.winners_take_all and winners:
        share = sum(given, NOTHING) / len(winners)
        given = [share if seat in winners else NOTHING for seat in range(len(held))]
    if system.normalise is not None:
        given = _scaled(given, system.normalise, winners if system.winners_take_all and winners else range(len(held)))
    factor = system.factor.get(cause, Fraction(1))
    return tuple(one * factor if seat in winners else one for seat, one in enumerate(given))


def _places(system: System, held: Sequence[int], winners: Mapping[int, int]) -> list[Fraction]:
    """The points of a win, and of a place: winners have the first places, the others follow by strongholds."""
    given = [NOTHING] * len(held)
    levels = _levels(held, [seat for seat in range(len(held)) if seat not in winners])
    place = 0
    if winners and system.win:
        for seat, sharing in winners.items():
            given[seat] = system.win[min(sharing, len(system.win)) - 1]
        place = len(winners)
    elif winners:
        levels.insert(0, list(winners))
    for level in levels:
        worth = [system.rank[one] if one < len(system.rank) else NOTHING for one in range(place, place + len(level))]
        for seat in level:
            given[seat] = _tied(system, worth)
        place += len(level)
    return given


def _levels(held: Sequence[int], seats: Sequence[int]) -> list[list[int]]:
    """Seats by strongholds from the most on, those level with each other together."""
    return [
        [seat for seat in seats if held[seat] == count] for count in sorted({held[it] for it in seats}, reverse=True)
    ]


def _tied(system: System, worth: Sequence[Fraction]) -> Fraction:
    """What each of those gets who are level on these places."""
    if system.tie == "split":
        return sum(worth, NOTHING) / len(worth)
    return worth[0] if system.tie == "high" else worth[-1]


def _strongholds(system: System, held: Sequence[int]) -> list[Fraction]:
    """Points for strongholds, and the tribute to those who hold most: their shares are of the whole table's tribute,
    each divided by their number again, as every one of them is paid by the others."""
    most = max(held, default=0)
    given = [system.per_stronghold * count**system.power - system.tribute * (most - count) for count in held]
    leaders = [seat for seat, count in enumerate(held) if count == most]
    tribute = system.tribute * sum(most - count for count in held)
    for seat in leaders:
        given[seat] += tribute / len(leaders) ** 2
    return given


def _scaled(given: Sequence[Fraction], total: Fraction, sharing: Collection[int]) -> list[Fraction]:
    """Scaled to this sum; where nobody has any, ``sharing`` have equal parts."""
    whole = sum(given, NOTHING)
    if not whole:
        return [total / len(sharing) if seat in sharing else NOTHING for seat in range(len(given))]
    return [one * total / whole for one in given]
