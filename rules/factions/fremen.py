"""The Fremen in play (AH.SHIELD.FRE)."""

from __future__ import annotations

from rules.components import Faction
from rules.decisions.faction_rules import FactionRules
from rules.rulesets.options import Option
from rules.state.game import Game
from rules.state.moments import BattleMoment


def _none(game: Game, fremen: Faction, fighter: Faction) -> bool:
    return False


def _own(game: Game, fremen: Faction, fighter: Faction) -> bool:
    return fighter == fremen


def _own_and_lent(game: Game, fremen: Faction, fighter: Faction) -> bool:
    return fighter == fremen or (game.state.allied(fremen, fighter) and game.state.fremen_support)


FREE_STRENGTH = Option("fremen_support", {"paid": _none, "free": _own, "free_and_lendable": _own_and_lent})

OPTIONS = (FREE_STRENGTH,)


class Fremen(FactionRules):
    """The rules of the Fremen."""

    # --- battle ------------------------------------------------------------------------------------------------------

    def starred_worth(self, game: Game, battle: BattleMoment) -> int:
        """Fedaykin are worth two (AH.AID.ADV.FRE.4-a)."""
        return 1 if "fedaykin" in battle.cancelled else 2

    def supports(self, game: Game, fighter: Faction) -> bool:
        """They are at full strength without spice, and may let their ally be (WBC.HR.6a, WBC.HR.6c)."""
        return FREE_STRENGTH(game.rules)(game, self.faction, fighter)

    def lends_support(self, game: Game) -> bool:
        """A switch that they may put in each battle of their ally (WBC.HR.6c)."""
        return FREE_STRENGTH(game.rules) is _own_and_lent
