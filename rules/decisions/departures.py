"""Tokens have gone: who may be left alone by that takes notice of it."""

from __future__ import annotations

from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.state.game import Game


def tokens_gone(game: Game) -> None:
    """Tokens have died or gone elsewhere; called after each such change outside the movement round too."""
    for faction in factions_with(game, FactionRules.notices_departures):
        rules_of(game, faction).notices_departures(game)
