"""Notices when tokens have gone: factions whose tokens may be alone now are told."""

from __future__ import annotations

from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.rulesets.options import Option
from rules.state.game import Game

REVERTS_AT_ONCE = Option("bg_revert_when_alone", {"next_turn": False, "at_once": True})
"""Whether tokens that stand apart and are left alone change at once, not only when the next turn begins."""
FLIPS = Option("bg_presence_model", {"none": False, "coexistence": False, "advisor_fighter": True})
"""Whether tokens stay what they are over the turns, until they flip."""


def tokens_gone(game: Game) -> None:
    """Tell the factions that take notice of it that tokens have died or gone. Called after each such change, outside
    the movement round too."""
    if not REVERTS_AT_ONCE(game.rules) and not FLIPS(game.rules):
        return
    for faction in factions_with(game, FactionRules.notices_departures):
        rules_of(game, faction).notices_departures(game)
