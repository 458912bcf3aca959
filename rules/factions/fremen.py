"""The Fremen in play (AH.SHIELD.FRE)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.chapters import storm
from rules.components import Forces
from rules.components.board import Area
from rules.decisions.faction_rules import FactionRules
from rules.rulesets.options import Option
from rules.state.game import Game

HALF_DIES_IN_STORM = Option("fremen_storm_loss", {"all": False, "half_up": True})


class Fremen(FactionRules):
    """The rules of the Fremen."""

    # --- storm -------------------------------------------------------------------------------------------------------

    def draws_storm_marker(self, game: Game) -> bool:
        """They draw the marker and alone see it (AH.XVI.B)."""
        return True

    def storm_losses(self, game: Game, there: Mapping[Area, Forces]) -> Mapping[Area, Forces]:
        """Half of those in the territory, where the rule set has it (AH.SHIELD.FRE.7-a)."""
        return storm.half_of(there) if HALF_DIES_IN_STORM(game.rules) else there


OPTIONS = (HALF_DIES_IN_STORM,)
