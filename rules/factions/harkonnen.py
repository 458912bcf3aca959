"""Harkonnen in play (AH.SHIELD.HAR)."""

from __future__ import annotations

from typing import ClassVar

from rules.chapters import battle_leaders
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.decisions.windows import window
from rules.orders import KaramaEffect
from rules.rulesets.options import switch
from rules.state.game import Game
from rules.state.moments import BattleMoment

LEADER_CAPTURE = switch("leader_capture")


class Harkonnen(FactionRules):
    own_questions = (battle_leaders.CaptureQuestion,)

    own_karama: ClassVar[tuple[KaramaEffect, ...]] = ("take cards",)

    def after_buying(self, game: Game) -> Flow:
        """Draw one free card, unless their hand is full or a Karama stops it (AH.SHIELD.HAR.2-c, -d,
        AH.AID.KARAMA.A.2-a). A window is held before the draw."""
        moment = game.moments.auction
        if moment is None or game.hand_full(self.faction):
            return
        moment.free_card_due, moment.free_card_cancelled = True, False
        yield from window(game, "free-card", lambda: not moment.free_card_cancelled, number=moment.number)
        moment.free_card_due = False
        card = None if moment.free_card_cancelled or game.hand_full(self.faction) else game.draw_treachery()
        if card is not None:
            game.player(self.faction).hand.append(card)
            game.tell("free-card", private={self.faction: {"card": card}})

    def betrays_for_allies(self, game: Game) -> bool:
        """Call traitors against the opponents of their allies too (AH.SHIELD.HAR.ALLY)."""
        return True

    def takes_captives(self, game: Game) -> bool:
        """Take a leader of each opponent whom they beat (AH.SHIELD.HAR.3)."""
        return LEADER_CAPTURE(game.rules)

    def after_battle(self, game: Game, battle: BattleMoment) -> Flow:
        """Take a leader of the loser; captives who have fought, or whom they may not keep, go home
        (AH.SHIELD.HAR.3)."""
        battle_leaders.return_all_captives(game, self.faction)
        yield from battle_leaders.capture_leader(game, battle, self.faction)
        battle_leaders.return_used_captive(game, battle, self.faction)
        battle_leaders.return_all_captives(game, self.faction)

    powers_taken_by = ("cancel free card", "cancel capture")
