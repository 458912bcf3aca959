"""Bids: what may be bid on the card that is up (AH.VIII.B, AH.VIII.C, WBC.VIII.15 to 19).

A bid is covered by the bidder's own spice, by what allies pledge, or by a Karama that is spent if the bid wins. The way
of payment is part of the bid, so nobody sees that a Karama is meant before it is put down. ``bid karama`` is over every
number and ends the auction. Where a house rule takes bids that nothing covers, they are found out at the sale
(``overbids``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.chapters.bidding.card_up import auction_of, least_bid, pledged
from rules.chapters.bidding.pledges import means
from rules.components import Faction, faction_name
from rules.decisions.karama import karama_card
from rules.decisions.question import Question
from rules.orders import Bid, BidKarama, BidUpTo, Order, Pass, PassAll
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

BID_OVER_EVERY_NUMBER = Option(
    "karama_purchase", {"infinity_bid": True, "at_end_of_auction": False, "take_at_once": True}
)
OVERBIDS_ARE_TAKEN = Option("overbid_found", {"reject": False, "forfeit_and_redraw": True})
"""Whether a bid above one's means is taken, and found out at the sale (VACA.HR.C)."""


class BidQuestion(Question):
    """What do you bid on the card that is up?"""

    kind = "bid"

    def refusal(self, order: Order) -> Refusal | None:
        game, bidder = self.game, self.faction
        if order == Bid(0) and least_bid(game) == 1:
            return None  # a pass
        if refusal := _never_legal(game, bidder, order):
            return refusal
        match order:
            case Bid(amount, False) if not OVERBIDS_ARE_TAKEN(game.rules):
                return _uncovered(game, bidder, amount)
            case BidUpTo(limit) if order not in game.held.get(bidder, ()):
                return _too_low(game, limit) or _uncovered(game, bidder, limit)
        return None  # a standing BidUpTo passes when the bid is over it

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        """Only the card that is up counts. Spice may still come: from an ally, or to the Emperor."""
        moment = auction_of(game)
        if moment.number and not moment.cards:
            return Refusal("No more cards are sold this turn.", "bidding.all-sold")
        if game.hand_full(faction):
            return full_hand(game, faction)
        if game.sits_out(faction):
            return Refusal("You have forfeited this turn by a bid that you could not pay.", "bidding.forfeit")
        if faction in moment.out:
            return Refusal("You may not bid on this card any more.", "bidding.own-spice")
        if refusal := _never_legal(game, faction, order):
            return refusal
        match order:
            case BidUpTo(limit) if refusal := _too_low(game, limit):
                return refusal
            case Bid(_, False) if OVERBIDS_ARE_TAKEN(game.rules):
                return None
            case Bid(amount, False) | BidUpTo(amount) if len(game.state.ally_group(faction)) == 1:
                return _uncovered(game, faction, amount)
        return None

    @property
    def default(self) -> Order:
        return Pass()

    def samples(self) -> list[Order]:
        game = self.game
        least, most = least_bid(game), means(game, self.faction, pledged(game))
        amounts = sorted({least, min(least + 1, most), min(least + 3, most)}) if most >= least else []
        bids: list[Order] = [Pass(), PassAll(), *(Bid(amount) for amount in amounts)]
        if amounts:
            bids.append(BidUpTo(amounts[-1]))
        if karama_card(game, self.faction):
            bids.append(Bid(max(least, most) + 1, karama=True))
            if BID_OVER_EVERY_NUMBER(game.rules):
                bids.append(BidKarama())
        return bids

    @property
    def facts(self) -> Mapping[str, Any]:
        moment = auction_of(self.game)
        top = moment.top
        return {
            "number": moment.number,
            "of": moment.number + len(moment.cards) - 1,
            "top": top.amount if top else 0,
            "top_bidder": top.bidder if top else None,
            "means": means(self.game, self.faction, pledged(self.game)),
        }


def _never_legal(game: Game, bidder: Faction, order: Order) -> Refusal | None:
    """Why no turn on this card, this one or a later, can make the bid legal."""
    match order:
        case Bid(amount, _) if refusal := _too_low(game, amount):
            return refusal
        case Bid(_, True) | BidKarama() if karama_card(game, bidder) is None:
            return Refusal("You hold no Karama to buy with.", "bidding.karama-purchase")
        case BidKarama() if not BID_OVER_EVERY_NUMBER(game.rules):
            why = "A card is won by the highest number here: bid a number with karama, as high as you like."
            return Refusal(why, "bidding.karama-purchase")
        case BidUpTo(_, step, _) if step < 1:
            return Refusal("A raise is by at least 1 spice.", "bidding.raise")
        case BidUpTo(limit, _, first) if first > limit:
            why = f"Your first bid would be {first} and your limit is {limit}: raise the limit."
            return Refusal(why, "bidding.raise")
    return None


def _too_low(game: Game, amount: int) -> Refusal | None:
    least = least_bid(game)
    if amount >= least:
        return None
    if least == 1:
        return Refusal("A bid is at least 1 spice.", "bidding.opening")
    return Refusal(f"The bid is {least - 1}: bid at least {least}, or pass.", "bidding.raise")


def _uncovered(game: Game, bidder: Faction, amount: int) -> Refusal | None:
    own, most = game.player(bidder).spice, means(game, bidder, pledged(game))
    if amount <= most:
        return None
    if len(game.state.ally_group(bidder)) == 1:
        return Refusal(f"You have {own} spice, so you can bid at most {own}.", "bidding.own-spice")
    why = f"You have {own} spice and {most - own} of your ally's, so you can bid at most {most}."
    return Refusal(why, "bidding.allies-pay")


def full_hand(game: Game, faction: Faction) -> Refusal:
    """What somebody is told who has no room for another card."""
    why = f"{faction_name(faction)} hold {game.hand_limit(faction)} cards, a full hand: they may not bid."
    return Refusal(why, "bidding.full-hand")
