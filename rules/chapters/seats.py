"""Among which factions players draw, where factions are dealt: all of them, or those that a rule set suggests for their
number (GF9.SETUP.6, GF9.SETUP.7, GF9.SETUP.8). Who names the factions of a game is bound by no suggestion."""

from __future__ import annotations

from collections.abc import Mapping

from rules.components import FACTIONS, Faction
from rules.rulesets.options import Option
from rules.rulesets.ruleset import RuleSet

NO_SUGGESTIONS: Mapping[int, tuple[Faction, ...]] = {}
SMALL_GAMES: Mapping[int, tuple[Faction, ...]] = {
    2: ("atreides", "harkonnen"),
    3: ("atreides", "fremen", "harkonnen"),
    4: ("atreides", "emperor", "fremen", "harkonnen"),
    5: ("atreides", "emperor", "fremen", "guild", "harkonnen"),
}

SUGGESTED = Option("player_count_suggestions", {"none": NO_SUGGESTIONS, "small_games": SMALL_GAMES})


def dealt_factions(rules: RuleSet, players: int) -> tuple[Faction, ...]:
    """The factions among which so many players draw."""
    return SUGGESTED(rules).get(players, FACTIONS)


OPTIONS = (SUGGESTED,)
