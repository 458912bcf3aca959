"""Results of made-up tables, for tests of ratings and statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from bot.competition.outcomes import SeatOutcome, TableOutcome, Tenure
from rules.components import Faction

SIX: tuple[Faction, ...] = ("atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen")


def a_table(
    winners: Sequence[Faction] = (),
    players: Sequence[str] = ("ann", "bob", "cid", "dora", "eve", "fay"),
    *,
    turn: int = 10,
    tenures: Mapping[Faction, tuple[Tenure, ...]] | None = None,
    strongholds: Mapping[Faction, tuple[int, int]] | None = None,
    **more: Any,
) -> TableOutcome:
    """Return the result of a table with one seat for each player; ``factions`` names the factions. ``tenures`` is given
    if somebody left. ``strongholds`` are counted at the end, and summed over the turns."""
    factions = SIX[: len(players)]
    seats = []
    for dot, (faction, player) in enumerate(zip(factions, players, strict=True), 1):
        own = (tenures or {}).get(faction) or (Tenure(entrant=player, first=1, last=turn),)
        held, over = (strongholds or {}).get(faction, (0, 0))
        seats.append(SeatOutcome(faction=faction, dot=dot, tenures=own, strongholds=held, strongholds_over_turns=over))
    given: dict[str, Any] = {
        "game": "g1", "ruleset": "wbc-2018", "kind": "stronghold", "how": "strongholds", "ended": date(2026, 5, 1),
        **more,
    }  # fmt: skip
    return TableOutcome(winners=tuple(winners), turn=turn, seats=tuple(seats), **given)
