"""The powers of the three great houses: Atreides, Harkonnen, and Corrino, the house of the Emperor.

Clauses: AH.SHIELD.ATR, AH.SHIELD.HAR, AH.SHIELD.EMP.
"""

from __future__ import annotations

from typing import ClassVar

from rules.chapters import battle_leaders, voice_and_prescience
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.decisions.windows import window
from rules.orders import KaramaEffect
from rules.rulesets.options import Option, number, switch
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
        """Return whether Atreides look at each card as it comes up. A Karama can prevent that (AH.SHIELD.ATR.1,
        AH.QA.A.4)."""
        return game.state.sights_blocked.get("bidding cards") != game.state.turn

    def sees_spice_card(self, game: Game) -> bool:
        """Return whether Atreides look at the spice card before the first move of the round (AH.SHIELD.ATR.2)."""
        return True

    def has_prescience(self, game: Game) -> bool:
        return True  # AH.SHIELD.ATR.3

    def has_kwisatz_haderach(self, game: Game) -> bool:
        return KWISATZ_HADERACH(game.rules)  # AH.SHIELD.ATR.4

    def lost_in_battle(self, game: Game, battle: BattleMoment, dead: int) -> None:
        """Count the tokens that Atreides have lost in their own battles, for the arrival of the Kwisatz Haderach. The
        rule set decides whether tokens lost in battles between others also count (A-39)."""
        counts = self.faction in battle.sides or LOSSES_OF_BYSTANDERS_COUNT(game.rules)
        if counts and self.has_kwisatz_haderach(game):
            battle_leaders.count_losses_for_haderach(game, dead)


LEADER_CAPTURE = switch("leader_capture")


class Harkonnen(FactionRules):
    own_questions = (battle_leaders.CaptureQuestion,)
    own_karama: ClassVar[tuple[KaramaEffect, ...]] = ("take cards",)
    powers_taken_by = ("cancel free card", "cancel capture")

    def after_buying(self, game: Game) -> Flow:
        """Draw one free card for Harkonnen, unless their hand is full or a Karama stops the draw (AH.SHIELD.HAR.2-c,
        -d, AH.AID.KARAMA.A.2-a). A window for that Karama opens before the draw."""
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
        return True  # AH.SHIELD.HAR.ALLY

    def takes_captives(self, game: Game) -> bool:
        return LEADER_CAPTURE(game.rules)  # AH.SHIELD.HAR.3

    def after_battle(self, game: Game, battle: BattleMoment) -> Flow:
        """Take one of the loser's leaders, and send home captives who have fought or may no longer be kept
        (AH.SHIELD.HAR.3)."""
        battle_leaders.return_all_captives(game, self.faction)
        yield from battle_leaders.capture_leader(game, battle, self.faction)
        battle_leaders.return_used_captive(game, battle, self.faction)
        battle_leaders.return_all_captives(game, self.faction)


SARDAUKAR_AGAINST_FREMEN_ALLY = number("sardaukar_vs_fremen_ally", range(1, 3), usual=2)

PAYS_FOR_REVIVAL = Option("emperor_ally_revival", {"gift_within_limit": False, "plus_three_paid": True})


class Emperor(FactionRules):
    own_karama: ClassVar[tuple[KaramaEffect, ...]] = ("revive",)
    powers_taken_by = ("cancel sardaukar",)

    def is_paid_for_cards(self, game: Game) -> bool:
        """Return true: the Emperor receives other players' payments for cards at once, even spice that was a gift from
        the Emperor. The Emperor's own payments go to the bank (AH.SHIELD.EMP.1, WBC.VIII.8 to 12)."""
        return True

    def pays_for_revival(self, game: Game) -> bool:
        """Return whether the Emperor may pay for up to three tokens of an ally beyond the limit (FAQ.TLEILAXU.16)."""
        return PAYS_FOR_REVIVAL(game.rules)

    def starred_worth(self, game: Game, battle: BattleMoment) -> int:
        """Return two for each Sardaukar, but one against the Fremen or after a Karama has cancelled the bonus
        (AH.SHIELD.EMP.2, A-61). Against an ally of the Fremen, the rule set decides."""
        opponent = battle.opponent(self.faction)
        if opponent == "fremen" or "sardaukar" in battle.cancelled:
            return 1
        return SARDAUKAR_AGAINST_FREMEN_ALLY(game.rules) if game.state.allied("fremen", opponent) else 2

    def gives_to_allies(self, game: Game) -> bool:
        """Return true: the Emperor may give spice to allies, for cards, revival and shipment or, in some rule sets, for
        anything and at any time (AH.SHIELD.EMP.ALLY-a, WBC.HR.5d)."""
        return True
