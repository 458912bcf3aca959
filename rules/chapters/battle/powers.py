"""Powers that a faction may use in its own battle or in an ally's: the Voice and prescience (AH.SHIELD.BG.ALLY,
AH.SHIELD.ATR.ALLY).
"""

from __future__ import annotations

from collections.abc import Callable

from rules.chapters.battle import listing
from rules.components import Faction
from rules.decisions.catalogue import rules_of
from rules.decisions.faction_rules import FactionRules
from rules.state.game import Game
from rules.state.moments import BattleMoment

Power = Callable[[FactionRules], bool]
"""Whether a faction has the power: ``lambda rules: rules.has_voice(game)``."""


def user_and_target(game: Game, battle: BattleMoment, power: Power) -> tuple[Faction, Faction] | None:
    """Who may use the power in this battle, and against whom; None in a battle of others. Where several may, the first
    by their seats does.
    """
    for faction in game.state.players:
        if power(rules_of(game, faction)):
            group = game.state.ally_group(faction)
            for fighter in battle.sides:
                if fighter in group:
                    return faction, battle.opponent(fighter)
    return None


def opponents(game: Game, faction: Faction, pairs: list[listing.Pair]) -> set[Faction]:
    """Whom a faction and its allies fight in these battles."""
    group = game.state.ally_group(faction)
    both_ways = [*pairs, *((two, one) for one, two in pairs)]
    return {other for own, other in both_ways if own in group}
