"""Harkonnen in play (AH.SHIELD.HAR)."""

from __future__ import annotations

from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.decisions.windows import window
from rules.state.game import Game


class Harkonnen(FactionRules):
    """rules of Harkonnen."""

    # --- bidding -----------------------------------------------------------------------------------------------------

    def after_buying(self, game: Game) -> Flow:
        """They draw one card free, unless their hand is full or a Karama stops it; a window is held before it
        (AH.SHIELD.HAR.2-c, -d, AH.AID.KARAMA.A.2-a)."""
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
