"""The auction of one treachery card (AH.VIII.B to E, WBC.VIII.3, 4, 13 to 19).

The bid goes round to the right. Each player raises or passes; who has passed may come in again when the bid is back
with them, until all others have passed on the top bid in succession. The top bidder pays, by spice or by Karama.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Literal

from rules.chapters.bidding import overbids
from rules.chapters.bidding.bids import OVERBIDS_ARE_TAKEN, BidQuestion
from rules.chapters.bidding.card_up import auction_of, least_bid, may_bid, pledged, raised_to
from rules.chapters.bidding.pledges import means, shares
from rules.chapters.bidding.support import CardSupportQuestion, standing_pledges
from rules.components import Card, Faction
from rules.decisions.asking import ask
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.karama import can_do, karama_card, put_down
from rules.decisions.question import Flow, Question, Stop
from rules.decisions.windows import window
from rules.orders import Bid, BidKarama, BidUpTo, Order, PassAll
from rules.state.game import Game
from rules.state.moments import AuctionMoment, MadeBid

PURCHASE = "free card purchase"


def auction(game: Game, opener: Faction) -> Generator[Stop, None, Faction | None]:
    """Auction the card that is up, beginning with the opener; who bought it, or None if nobody bid."""
    seats, moment = game.order_of_play(), auction_of(game)
    place = seats.index(opener)
    while True:
        bidder = _next_bidder(game, moment, seats[place:] + seats[:place])
        if bidder is not None:
            yield from _bid(game, bidder)
            place = (seats.index(bidder) + 1) % len(seats)
            continue
        top = moment.top
        if top is None:
            return None
        sale = yield from _sell(game, top)
        if sale == "sold":
            return top.bidder
        place = seats.index(opener) if sale == "redrawn" else (seats.index(top.bidder) + 1) % len(seats)


def _next_bidder(game: Game, moment: AuctionMoment, circle: Sequence[Faction]) -> Faction | None:
    """Who is to bid now; None when all others have passed on the top bid, or nothing can go over it."""
    top = moment.top
    if top is not None and top.amount is None:
        return None
    done = (*moment.passed, top.bidder) if top else tuple(moment.passed)
    for faction in circle:
        if faction not in done and may_bid(game, faction):
            return faction
    return None


# --- one bid ---------------------------------------------------------------------------------------------------------


def _bid(game: Game, bidder: Faction) -> Flow:
    """Ask the bidder, and do what they say. Their allies may change what they pledge; nobody waits for that."""
    moment = auction_of(game)
    answers = yield from ask(lambda: _questions(game, bidder), standing_pledges(game, bidder))
    moment.support = pledged(game)
    order = answers.of(bidder)
    if order is None:
        return  # there is nothing left for them to say
    if not isinstance(order, BidUpTo | PassAll):
        game.drop_held((BidUpTo, PassAll), bidder)
    bid = _bid_made(game, bidder, order, moment.support)
    if bid is None:
        moment.passed.append(bidder)
        game.tell("passed", faction=bidder, number=moment.number)
    else:
        moment.bids.append(bid)
        moment.passed = []
        game.tell("bid", faction=bidder, number=moment.number, amount=bid.amount)


def _questions(game: Game, bidder: Faction) -> list[Question]:
    top = auction_of(game).top
    if not may_bid(game, bidder) or (top is not None and top.amount is None):
        return []  # their hand is full now, or a Karama has taken the card
    group = game.state.ally_group(bidder)
    support = [CardSupportQuestion(game, ally, bidder) for ally in group if ally != bidder]
    return [*support, BidQuestion(game, bidder)]


def _bid_made(game: Game, bidder: Faction, order: Order, support: Mapping[Faction, int]) -> MadeBid | None:
    """The bid that the order makes on the card as it stands; None is a pass."""
    match order:
        case Bid(amount, karama) if amount > 0:
            return MadeBid(bidder, amount, karama)
        case BidKarama():
            return MadeBid(bidder, None, karama=True)
        case BidUpTo():
            amount = min(raised_to(game, order), means(game, bidder, support))
            return MadeBid(bidder, amount) if amount >= least_bid(game) else None
    return None


# --- the sale --------------------------------------------------------------------------------------------------------


def _sell(game: Game, top: MadeBid) -> Generator[Stop, None, Literal["sold", "void", "redrawn"]]:
    """The top bidder pays and takes the card. If they cannot pay the auction goes on without them (A-10), or, where
    the rule set takes such bids, begins anew with another card (VACA.HR.C)."""
    moment, buyer = auction_of(game), top.bidder
    moment.selling = True
    by_karama = False
    if top.karama and karama_card(game, buyer):
        by_karama = yield from put_down(game, buyer, PURCHASE, top.card)
    paid: dict[Faction, int] = {}
    covered = top.amount is not None and means(game, buyer, moment.support) >= top.amount
    if not by_karama and not covered and top.amount is not None and OVERBIDS_ARE_TAKEN(game.rules):
        by_karama = yield from overbids.saved(game, buyer, PURCHASE)
        if not by_karama:
            overbids.found(game, buyer)
            return "redrawn"
    if not by_karama:
        if top.amount is None or not covered:
            moment.selling = False
            moment.out.append(buyer)
            moment.passed = []
            moment.bids = [bid for bid in moment.bids if bid.bidder != buyer]
            game.tell("sale-void", faction=buyer, number=moment.number)
            return "void"
        yield from _time_to_cancel_payment(game, buyer, top.amount)
        paid = shares(game, buyer, top.amount, moment.support)
    seller = None if moment.payment_cancelled else _seller(game, buyer)
    for payer, share in paid.items():
        game.pay(payer, share, seller)
    card = moment.cards.pop(0)
    moment.bought, moment.bought_by_karama, moment.sold = card, by_karama, True
    game.player(buyer).hand.append(card)
    _tell_sale(game, top, card, paid, seller, by_karama)
    return "sold"


def _time_to_cancel_payment(game: Game, buyer: Faction, price: int) -> Flow:
    """Before the spice for the card goes over a Karama may send it to the bank (FAQ.KARAMA-EMP.1)."""
    moment = auction_of(game)
    if can_do(game.rules, "cancel card payment") and (seller := _seller(game, buyer)):
        about = {"buyer": buyer, "by": seller, "number": moment.number, "price": price}
        yield from window(game, "card-payment", lambda: not moment.payment_cancelled, **about)


def _seller(game: Game, buyer: Faction) -> Faction | None:
    """Who is paid for the card; the bank where it is None."""
    for faction in factions_with(game, FactionRules.is_paid_for_cards):
        if faction != buyer and rules_of(game, faction).is_paid_for_cards(game):
            return faction
    return None


def _tell_sale(
    game: Game, top: MadeBid, card: Card, paid: Mapping[Faction, int], seller: Faction | None, by_karama: bool
) -> None:
    buyer = top.bidder
    helpers = {payer: share for payer, share in paid.items() if payer != buyer}
    private: dict[Faction, dict[str, object]] = {buyer: {"card": card, "own_share": paid.get(buyer, 0)}}
    for helper, share in helpers.items():
        private[helper] = {"helped": share}
    game.tell(
        "card-sold",
        buyer=buyer,
        number=auction_of(game).number,
        price=top.amount,
        karama=by_karama,
        to_emperor=bool(paid) and seller is not None,
        private=private,
    )
