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
    own_questions = (TimingQuestion,)
    own_karama: ClassVar[tuple[KaramaEffect, ...]] = ("stop shipment",)
    powers_taken_by = ("guild in turn",)

    def chooses_when_to_go(self, game: Game) -> bool:
        """Take their slot at any place in the order, where the rule set says so (AH.SHIELD.GUI.5)."""
        return CHOOSES_WHEN_TO_GO(game.rules)

    def ships_every_way(self, game: Game) -> bool:
        """Ship, with their allies, in three ways at half the price (AH.SHIELD.GUI.1, AH.SHIELD.GUI.2)."""
        return True

    def is_paid_for_shipments(self, game: Game) -> bool:
        """Receive what others pay for shipments (AH.SHIELD.GUI.3)."""
        return True

    def has_own_help_back(self, game: Game) -> bool:
        """Get back their payment for an ally's shipment; in 2019 it goes to the bank (WBC.IX.7, FAQ.ALLIANCES.5)."""
        return OWN_HELP_COMES_BACK(game.rules)

    def claim_to_last_turn(self, game: Game) -> Claim:
        """Win if nobody has won when play ends (AH.SHIELD.GUI.4)."""
        return Claim.BY_DEFAULT
