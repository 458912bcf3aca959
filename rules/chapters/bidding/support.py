"""What an ally lets the bidder spend on the card that is up (AH.XII.E.3, WBC.VIII.15).

Allies may change what they pledge at every bid of their ally; nobody waits for that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.chapters.bidding.card_up import auction_of, pledged
from rules.components import Faction, faction_name
from rules.decisions.question import Question
from rules.orders import Key, Order, Support
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


class CardSupportQuestion(Question):
    """How much of your spice may your ally spend on the card that is up?"""

    kind = "ally-support"
    beside = True
    leads_on = True

    def __init__(self, game: Game, faction: Faction, bidder: Faction) -> None:
        super().__init__(game, faction, subject=str(auction_of(game).number))
        self._bidder = bidder

    def refusal(self, order: Order) -> Refusal | None:
        return _pledge_refusal(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if len(game.state.ally_group(faction)) == 1:
            return Refusal("You have no ally to support.", "bidding.allies-pay")
        return _pledge_refusal(game, faction, order)

    @property
    def _spice(self) -> int:
        return self.game.player(self.faction).spice

    @property
    def default(self) -> Support:
        return Support(min(pledged(self.game).get(self.faction, 0), self._spice))

    def samples(self) -> list[Support]:
        pledge, spice = self.default.amount, self._spice
        return [Support(amount) for amount in sorted({pledge, (pledge + spice + 1) // 2, spice})]

    @property
    def facts(self) -> Mapping[str, Any]:
        number = auction_of(self.game).number
        return {"buyer": self._bidder, "purpose": "card", "number": number, "spice": self._spice}


def _pledge_refusal(game: Game, ally: Faction, order: Order) -> Refusal | None:
    """Why the ally cannot pledge this: they have not got it, or a bid that stands counts on more.

    How much of a pledge the bid really needs, and whether a Karama is meant to pay for it, is the bidder's secret.
    """
    spice = game.player(ally).spice
    if not isinstance(order, Support):
        return None
    if not 0 <= order.amount <= spice:
        return Refusal(f"You have {spice} spice, so you can support with 0 to {spice}.", "bidding.allies-pay")
    moment = game.moments.auction
    top = moment.top if moment else None
    if moment and top and game.state.allied(top.bidder, ally) and top.amount is not None:
        pledge = min(moment.support.get(ally, 0), spice)  # some of it may have been given to the bidder since
        if order.amount < pledge:
            why = f"{faction_name(top.bidder)}'s bid of {top.amount} counts on {pledge} of your spice."
            return Refusal(why, "bidding.allies-pay")
    return None


def standing_pledges(game: Game, bidder: Faction) -> dict[Key, tuple[Order, ...]]:
    """The answers of the allies who have pledged for this card already: they are not asked again, but for those who
    have sent another pledge ahead."""
    given: dict[Key, tuple[Order, ...]] = {}
    moment = auction_of(game)
    for ally in game.state.ally_group(bidder):
        pledge = moment.support.get(ally)
        anew = any(isinstance(order, Support) for order in game.held.get(ally, ()))
        if ally != bidder and pledge is not None and not anew:
            given[ally, "ally-support", str(moment.number)] = (Support(pledge),)
    return given
