"""By player: what they won, against what a seat would have won at the same tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

import msgspec

from bot.competition.outcomes import TableOutcome
from bot.competition.points import printed
from bot.competition.statistics.shares import Share, decided, fair_share, share
from rules.components import Faction


class PlayerFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A player over all their games. ``expected`` are the wins of a seat like any other at the same tables."""

    name: str
    wins: Share
    expected: str
    factions: dict[Faction, int]


def by_player(
    outcomes: Iterable[TableOutcome], seats: Mapping[str, Iterable[tuple[str, Faction]]]
) -> list[PlayerFigures]:
    """The players by their names, from the seats (game and faction) that they held; who played most comes first."""
    games = {one.game: one for one in outcomes}
    told = {one.game for one in decided(games.values())}
    figures = []
    for name, held in seats.items():
        own = [(games[game], faction) for game, faction in held if game in games]
        if not own:
            continue
        counted = [(game, faction) for game, faction in own if game.game in told]
        won = sum(faction in game.winners for game, faction in counted)
        factions: dict[Faction, int] = {}
        for _, faction in own:
            factions[faction] = factions.get(faction, 0) + 1
        figures.append(
            PlayerFigures(
                name=name, wins=share(won, len(counted)),
                expected=printed(sum((fair_share(game) for game, _ in counted), Fraction())), factions=factions,
            )
        )  # fmt: skip
    return sorted(figures, key=lambda one: (-one.wins.played, -one.wins.won, one.name))
