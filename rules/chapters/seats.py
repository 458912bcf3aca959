"""Among which factions players draw, where factions are dealt: all of them, or those that a rule set suggests for their
number (GF9.SETUP.6, GF9.SETUP.7, GF9.SETUP.8). Who names the factions of a game is bound by no suggestion, but by what
lies in the box."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rules.components import FACTION_FACTS, Faction, board
from rules.rulesets.box import expansion_of, factions_of
from rules.rulesets.options import Option, RuleSetError
from rules.rulesets.ruleset import RuleSet

NO_SUGGESTIONS: Mapping[int, tuple[Faction, ...]] = {}
SMALL_GAMES: Mapping[int, tuple[Faction, ...]] = {
    2: ("atreides", "harkonnen"),
    3: ("atreides", "fremen", "harkonnen"),
    4: ("atreides", "emperor", "fremen", "harkonnen"),
    5: ("atreides", "emperor", "fremen", "guild", "harkonnen"),
}

SUGGESTED = Option("player_count_suggestions", {"none": NO_SUGGESTIONS, "small_games": SMALL_GAMES})


SUGGESTED_WITH_EXPANSION = Option("small_game_factions", {"none": False, "as_without": True})
"""Whether what is suggested for few players holds with an expansion too, whose factions it does not name (IT.GEN.7)."""


def dealt_factions(rules: RuleSet, players: int) -> tuple[Faction, ...]:
    """The factions among which so many players draw."""
    if expansion_of(rules) and not SUGGESTED_WITH_EXPANSION(rules):
        return factions_of(rules)
    return SUGGESTED(rules).get(players, factions_of(rules))


def require_seats(rules: RuleSet, factions: Collection[Faction]) -> None:
    """RuleSetError if one of these factions does not lie in the box of the game, or they are more than there are
    player dots (IT.GEN.2)."""
    known = factions_of(rules)
    for faction in factions:
        if faction not in known:
            facts = FACTION_FACTS[faction]
            raise RuleSetError(f"{facts.name} belong to an expansion; play with expansion = {facts.expansion}.")
    if len(factions) > len(board.DOTS):
        raise RuleSetError(f"A game has {len(board.DOTS)} seats; these are {len(factions)} factions.")


OPTIONS = (SUGGESTED, SUGGESTED_WITH_EXPANSION)
