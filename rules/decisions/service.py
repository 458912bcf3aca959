"""Leaders in the service of others: whom another faction has taken for good, alive or dead (IT.GHOLA.3, IT.GHOLA.8)."""

from __future__ import annotations

from rules.components import Faction, Leader
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.state.game import Game


def serving_others(game: Game) -> dict[Leader, Faction]:
    """The leaders who serve another faction than their own, each with whom they serve."""
    serving: dict[Leader, Faction] = {}
    for faction in factions_with(game, FactionRules.foreign_leaders):
        serving.update(dict.fromkeys(rules_of(game, faction).foreign_leaders(game), faction))
    return serving
