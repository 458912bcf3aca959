"""The Spacing Guild in play (AH.SHIELD.GUI)."""

from __future__ import annotations

from typing import ClassVar

from rules.chapters.movement import TimingQuestion
from rules.decisions.faction_rules import Claim, FactionRules
from rules.orders import KaramaEffect
from rules.rulesets.options import Option
from rules.state.game import Game

CHOOSES_WHEN_TO_GO = Option("guild_timing", {"in_order": False, "free": True})
OWN_HELP_COMES_BACK = Option("guild_own_help_paid_to", {"guild": True, "bank": False})


class Guild(FactionRules):
    """The rules of the Spacing Guild."""

    # --- whose business a decision is --------------------------------------------------------------------------------

    own_questions = (TimingQuestion,)

    own_karama: ClassVar[tuple[KaramaEffect, ...]] = ("stop shipment",)

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

    def has_own_help_back(self, game: Game) -> bool:
        """What they give towards an ally's shipment; in 2019 the bank has it (WBC.IX.7, FAQ.ALLIANCES.5)."""
        return OWN_HELP_COMES_BACK(game.rules)

    # --- victory -----------------------------------------------------------------------------------------------------

    def claim_to_last_turn(self, game: Game) -> Claim:
        """They win if nobody has won when play ends (AH.SHIELD.GUI.4)."""
        return Claim.BY_DEFAULT

    # --- Truthtrance and promises ------------------------------------------------------------------------------------

    powers_taken_by = ("guild in turn",)


OPTIONS = (CHOOSES_WHEN_TO_GO, OWN_HELP_COMES_BACK)
