"""The Bene Gesserit in play (AH.SHIELD.BG)."""

from __future__ import annotations

from rules.components.board import TerritoryId
from rules.decisions.faction_rules import FactionRules
from rules.state.game import Game


class BeneGesserit(FactionRules):
    """The rules of the Bene Gesserit."""

    # --- storm -------------------------------------------------------------------------------------------------------

    def has_ornithopters_of(self, game: Game, city: TerritoryId) -> bool:
        """Not where they share the city and ended the last turn coexisting (WBC.IX.13, WBC.IX.16)."""
        return city not in game.state.coexisted or len(game.state.forces_in(city)) == 1

    # --- charity -----------------------------------------------------------------------------------------------------

    def always_has_charity(self, game: Game) -> bool:
        """Charity whatever they hold, from the second turn on (AH.XV.B.2)."""
        return game.rules.bg_charity == "from_turn_2" and game.state.turn >= 2
