"""The Spacing Guild in play (AH.SHIELD.GUI)."""

from __future__ import annotations

from rules.decisions.faction_rules import FactionRules
from rules.rulesets.options import Option, switch
from rules.state.game import Game

CHOOSES_WHEN_TO_GO = Option("guild_timing", {"in_order": False, "free": True})
SPECIAL_KARAMA = switch("karama_special")


class Guild(FactionRules):
    """The rules of the Spacing Guild."""

    # --- shipment and movement ---------------------------------------------------------------------------------------

    def chooses_when_to_go(self, game: Game) -> bool:
        """Their slot is at any place in the order, where the rule set has it (AH.SHIELD.GUI.5)."""
        return CHOOSES_WHEN_TO_GO(game.rules)

    def ships_every_way(self, game: Game) -> bool:
        """They and their allies ship in three ways at half the price (AH.SHIELD.GUI.1, AH.SHIELD.GUI.2)."""
        return True

    def is_paid_for_shipments(self, game: Game) -> bool:
        """What others pay for shipments (AH.SHIELD.GUI.3)."""
        return True

    def stops_shipments(self, game: Game) -> bool:
        """Their special Karama (AH.SHIELD.GUI.KARAMA)."""
        return SPECIAL_KARAMA(game.rules)


OPTIONS = (CHOOSES_WHEN_TO_GO, SPECIAL_KARAMA)
