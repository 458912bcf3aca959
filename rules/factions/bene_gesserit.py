"""The Bene Gesserit in play (AH.SHIELD.BG)."""

from __future__ import annotations

from rules.components.board import TerritoryId
from rules.decisions.faction_rules import FactionRules
from rules.state.game import Game


class BeneGesserit(FactionRules):
    """The rules of the Bene Gesserit."""

    # --- charity -----------------------------------------------------------------------------------------------------

    def always_has_charity(self, game: Game) -> bool:
        """Charity whatever they hold, from the second turn on (AH.XV.B.2)."""
        return game.rules.bg_charity == "from_turn_2" and game.state.turn >= 2

    # --- battle ------------------------------------------------------------------------------------------------------

    def fights_in(self, game: Game, territory: TerritoryId) -> bool:
        """They do not fight where they coexist (AH.XV.B.4-c)."""
        return not game.state.coexisting(territory)

    def has_voice(self, game: Game) -> bool:
        """The Voice (AH.SHIELD.BG.3)."""
        return True
