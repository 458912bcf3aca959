"""Atreides in play (AH.SHIELD.ATR)."""

from __future__ import annotations

from typing import ClassVar

from rules.chapters import battle_leaders, voice_and_prescience
from rules.decisions.faction_rules import FactionRules
from rules.orders import KaramaEffect
from rules.rulesets.options import Option, switch
from rules.state.game import Game
from rules.state.moments import BattleMoment

KWISATZ_HADERACH = switch("kwisatz_haderach")
LOSSES_OF_BYSTANDERS_COUNT = Option("kh_count", {"own_battles": False, "all_battles": True}, usual="own_battles")


class Atreides(FactionRules):
    own_questions = (voice_and_prescience.PrescienceQuestion,)
    own_karama: ClassVar[tuple[KaramaEffect, ...]] = ("see plan",)
    unnamed_event_kinds = ("prescience-asked",)
    powers_taken_by = ("cancel prescience", "cancel kwisatz haderach", "block spice card", "block bidding cards")

    def sees_cards_for_bid(self, game: Game) -> bool:
        """Look at each card as it comes up, unless a Karama prevents it (AH.SHIELD.ATR.1, AH.QA.A.4)."""
        return game.state.sights_blocked.get("bidding cards") != game.state.turn

    def sees_spice_card(self, game: Game) -> bool:
        """Look at it before the first move of the round (AH.SHIELD.ATR.2)."""
        return True

    def has_prescience(self, game: Game) -> bool:
        """Ask for one element of the opponent's plan (AH.SHIELD.ATR.3)."""
        return True

    def has_kwisatz_haderach(self, game: Game) -> bool:
        """Use the Kwisatz Haderach (AH.SHIELD.ATR.4)."""
        return KWISATZ_HADERACH(game.rules)

    def lost_in_battle(self, game: Game, battle: BattleMoment, dead: int) -> None:
        """Count tokens lost in Atreides' own battles for the Kwisatz Haderach, but not those of bystanders (A-39)."""
        counts = self.faction in battle.sides or LOSSES_OF_BYSTANDERS_COUNT(game.rules)
        if counts and self.has_kwisatz_haderach(game):
            battle_leaders.count_losses_for_haderach(game, dead)
