"""The Spacing Guild in play (AH.SHIELD.GUI)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rules.decisions.faction_rules import Claim, FactionRules
from rules.orders import KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


class Guild(FactionRules):
    """The rules of the Spacing Guild."""

    # --- whose business a decision is --------------------------------------------------------------------------------

    own_karama: ClassVar[Mapping[KaramaEffect, Refusal]] = {
        "stop shipment": Refusal("Only the Guild stops shipments.", "karama.stop-shipment"),
    }

    # --- victory -----------------------------------------------------------------------------------------------------

    def claim_to_last_turn(self, game: Game) -> Claim:
        """They win if nobody has won when play ends (AH.SHIELD.GUI.4)."""
        return Claim.BY_DEFAULT

    # --- Truthtrance and promises ------------------------------------------------------------------------------------

    powers_taken_by = ("guild in turn",)
