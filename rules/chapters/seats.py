"""Among which factions players draw, where factions are dealt: all of them, or those that a rule set suggests for their
number (GF9.SETUP.6, GF9.SETUP.7, GF9.SETUP.8). Who names the factions of a game is bound by no suggestion, but by what
lies in the box."""

from __future__ import annotations

from collections.abc import Collection

from rules.components import FACTION_FACTS, Faction, board
from rules.rulesets.box import expansion_of, factions_of
from rules.rulesets.options import Option, RuleSetError
from rules.rulesets.ruleset import RuleSet


def _everybody(rules: RuleSet, players: int) -> tuple[Faction, ...]:
    return factions_of(rules)


def _by_number(rules: RuleSet, players: int) -> tuple[Faction, ...]:
    """Those that the data suggests for so many, and all where that is not just one for each."""
    found = tuple(id for id, facts in FACTION_FACTS.items() if 0 < facts.small_games_of <= players)
    return found if len(found) == players else factions_of(rules)


SUGGESTED = Option("player_count_suggestions", {"none": _everybody, "small_games": _by_number})

SUGGESTED_WITH_EXPANSION = Option("small_game_factions", {"none": False, "as_without": True})
"""Whether what is suggested for few players holds with an expansion too, whose factions it does not name (IT.GEN.7)."""


def dealt_factions(rules: RuleSet, players: int) -> tuple[Faction, ...]:
    """The factions among which so many players draw."""
    if expansion_of(rules) and not SUGGESTED_WITH_EXPANSION(rules):
        return factions_of(rules)
    return SUGGESTED(rules)(rules, players)


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
