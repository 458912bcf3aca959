"""The Fremen in play (AH.SHIELD.FRE)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.chapters import storm
from rules.components import Forces
from rules.components.board import Area
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.factions.fremen import placing, riding
from rules.rulesets.options import Option, switch
from rules.state.game import Game
from rules.state.moments import WormMoment

SPECIAL_KARAMA = switch("karama_special")
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

    # --- spice blow, worms, nexus ------------------------------------------------------------------------------------

    def commands_worms(self, game: Game) -> bool:
        """They and their allies are not eaten (AH.SHIELD.FRE.3-a, WBC.VII.11)."""
        return True

    def calls_worms(self, game: Game) -> bool:
        """Their special Karama (AH.SHIELD.FRE.KARAMA-a)."""
        return SPECIAL_KARAMA(game.rules)

    def place_worm(self, game: Game, worm: WormMoment) -> Flow:
        """To any territory (AH.SHIELD.FRE.6-a)."""
        return placing.place(game, self.faction, worm)

    def ride_worm(self, game: Game, worm: WormMoment) -> Flow:
        """To any one other territory (AH.SHIELD.FRE.3-b)."""
        return riding.ride(game, self.faction, worm)


OPTIONS = (SPECIAL_KARAMA, HALF_DIES_IN_STORM, *riding.OPTIONS)
QUESTIONS = (*placing.QUESTIONS, *riding.QUESTIONS)
