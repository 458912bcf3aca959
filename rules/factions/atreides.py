"""Atreides in play (AH.SHIELD.ATR)."""

from __future__ import annotations

from rules.decisions.faction_rules import FactionRules
from rules.state.game import Game


class Atreides(FactionRules):
    """rules of Atreides."""

    # --- bidding -----------------------------------------------------------------------------------------------------

    def sees_cards_for_bid(self, game: Game) -> bool:
        """They look at each card as it comes up, unless a Karama keeps them from it (AH.SHIELD.ATR.1, AH.QA.A.4)."""
        return game.state.sights_blocked.get("bidding cards") != game.state.turn
