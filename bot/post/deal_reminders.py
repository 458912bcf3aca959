"""Who is reminded of a deal: its two, when what it waited for has come, or when it was broken.

Nobody else gets a letter for it, be the deal secret or not. Whoever wants one letter a day finds it in that.
"""

from __future__ import annotations

from bot.table.table import Table
from rules.components import Faction


def reminded(table: Table) -> set[Faction]:
    """Whose deal has fallen due or was broken since their last letter with the news."""
    told = {faction: seat.told for faction, seat in table.seats.items()}
    return {
        faction
        for event in table.recent
        if event.kind == "deal-due" or (event.kind == "deal-ended" and event.facts["how"] == "broken")
        for faction in event.audience or ()
        if faction in told and event.number >= told[faction]
    }
