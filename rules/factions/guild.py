"""The powers of the Spacing Guild (AH.SHIELD.GUI)."""

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
        return CHOOSES_WHEN_TO_GO(game.rules)  # AH.SHIELD.GUI.5

    def ships_every_way(self, game: Game) -> bool:
        """Return true: the Guild and its allies ship in three ways and at half the price (AH.SHIELD.GUI.1,
        AH.SHIELD.GUI.2)."""
        return True

    def is_paid_for_shipments(self, game: Game) -> bool:
        return True  # AH.SHIELD.GUI.3

    def has_own_help_back(self, game: Game) -> bool:
        """Return whether the Guild gets back its contribution to an ally's shipment. Under the 2019 rules it goes to
        the bank (WBC.IX.7, FAQ.ALLIANCES.5)."""
        return OWN_HELP_COMES_BACK(game.rules)

    def claim_to_last_turn(self, game: Game) -> Claim:
        return Claim.BY_DEFAULT  # they win if nobody else has won: AH.SHIELD.GUI.4
