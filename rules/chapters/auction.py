"""The auction of one treachery card (AH.VIII.B to E, WBC.VIII.3, 4, 13 to 19).

The bid goes round to the right. Each player raises or passes; who has passed may come in again when the bid is back
at him, until all others have passed on the top bid in succession. A bid is covered by the bidder's own spice, by what
his allies pledge, or by a Karama that is spent if he wins. The way of payment is part of the bid, so nobody sees that a
Karama is meant before it is put down. ``bid karama`` is over every number and ends the auction.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

from rules.chapters.pledges import means, shares
from rules.components import Card, Faction, faction_name
from rules.decisions.asking import ask
from rules.decisions.closures import Asked
from rules.decisions.karama import karama_card, put_down
from rules.decisions.question import Flow, Question, Stop
from rules.orders import Bid, BidKarama, BidUpTo, Key, Order, Pass, PassAll, Support
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import AuctionMoment, MadeBid

PURCHASE = "free card purchase"


def auction_of(game: Game) -> AuctionMoment:
    """The auction that is going on."""
    moment = game.moments.auction
    assert moment is not None
    return moment


def may_bid(game: Game, faction: Faction) -> bool:
    """Whether the faction may bid on the card that is up: his hand has room (AH.VIII.G, WBC.VIII.19)."""
    return not game.hand_full(faction) and faction not in auction_of(game).out


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
        if (yield from _sell(game, top)):
            return top.bidder
        place = (seats.index(top.bidder) + 1) % len(seats)


def _next_bidder(game: Game, moment: AuctionMoment, circle: Sequence[Faction]) -> Faction | None:
    """Who is to bid now; None when all others have passed on the top bid, or nothing can go over it."""
    top = moment.top
    if top is not None and top.amount is None:
        return None
    done = (*moment.passed, top.bidder) if top else tuple(moment.passed)
    return next((faction for faction in circle if faction not in done and may_bid(game, faction)), None)


# --- one bid ---------------------------------------------------------------------------------------------------------


def _bid(game: Game, bidder: Faction) -> Flow:
    """Ask the bidder, and do what he says. His allies may change what they pledge; nobody waits for that."""
    moment = auction_of(game)
    answers = yield from ask(lambda: _questions(game, bidder), _standing_pledges(game, bidder))
    moment.support = pledged(game)
    order = answers.of(bidder)
    if order is None:
        return  # his hand is full now: the round passes him over
    if not isinstance(order, BidUpTo | PassAll):
        game.drop_held((BidUpTo, PassAll), bidder)
    bid = _made(game, bidder, order, moment.support)
    if bid is None:
        moment.passed.append(bidder)
        game.tell("passed", faction=bidder, number=moment.number)
    else:
        moment.bids.append(bid)
        moment.passed = []
        game.tell("bid", faction=bidder, number=moment.number, amount=bid.amount)


def pledged(game: Game) -> dict[Faction, int]:
    """What each faction lets its allies spend on the card that is up, also where the stop is still open."""
    moment = auction_of(game)
    support, number = dict(moment.support), str(moment.number)
    for ally in (ally for group in game.state.alliances for ally in group):
        filed = game.filed.get((ally, "ally-support", number))
        if filed and isinstance(filed[-1], Support):
            support[ally] = filed[-1].amount
    return support


def _made(game: Game, bidder: Faction, order: Order, support: Mapping[Faction, int]) -> MadeBid | None:
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


def least_bid(game: Game) -> int:
    """The lowest number that may be bid now (AH.VIII.B.2-a, AH.VIII.B.2-b)."""
    top = auction_of(game).top
    return 1 if top is None else (top.amount or 0) + 1


def raised_to(game: Game, order: BidUpTo) -> int:
    """What a bid that raises by itself bids next, if there is spice for it."""
    return min(order.limit, max(least_bid(game) - 1 + order.step, order.first))


def _standing_pledges(game: Game, bidder: Faction) -> dict[Key, tuple[Order, ...]]:
    """The allies who have pledged for this card already are not asked again."""
    given: dict[Key, tuple[Order, ...]] = {}
    moment = auction_of(game)
    for ally in game.state.ally_group(bidder):
        pledge = moment.support.get(ally)
        if ally != bidder and pledge is not None:
            given[ally, "ally-support", str(moment.number)] = (Support(pledge),)
    return given


def _questions(game: Game, bidder: Faction) -> list[Question]:
    if not may_bid(game, bidder):
        return []
    allies = [ally for ally in game.state.ally_group(bidder) if ally != bidder]
    return [*(_support_question(game, ally, bidder) for ally in allies), _bid_question(game, bidder)]


def _bid_question(game: Game, bidder: Faction) -> Question:
    moment = auction_of(game)
    top = moment.top

    def check(order: Order) -> Refusal | None:
        return check_bid(game, bidder, order)

    def choices() -> list[Order]:
        least, most = least_bid(game), means(game, bidder, pledged(game))
        amounts = sorted({least, min(least + 1, most), min(least + 3, most)}) if most >= least else []
        bids: list[Order] = [Pass(), PassAll(), *(Bid(amount) for amount in amounts)]
        if amounts:
            bids.append(BidUpTo(amounts[-1]))
        if karama_card(game, bidder):
            bids.append(Bid(max(least, most) + 1, karama=True))
            if game.rules.karama_purchase == "infinity_bid":
                bids.append(BidKarama())
        return bids

    about = {
        "number": moment.number,
        "of": moment.number + len(moment.cards) - 1,
        "top": top.amount if top else 0,
        "top_bidder": top.bidder if top else None,
        "means": means(game, bidder, pledged(game)),
    }
    return Asked(bidder, "bid", Pass(), check, choices, about=about)


def _support_question(game: Game, ally: Faction, bidder: Faction) -> Question:
    number, spice = auction_of(game).number, game.player(ally).spice
    pledge = min(pledged(game).get(ally, 0), spice)

    def check(order: Order) -> Refusal | None:
        return check_support(game, ally, order)

    def choices() -> list[Order]:
        return [Support(amount) for amount in sorted({pledge, (pledge + spice + 1) // 2, spice})]

    about = {"buyer": bidder, "purpose": "card", "number": number, "spice": spice}
    return Asked(
        ally, "ally-support", Support(pledge), check, choices, subject=str(number), about=about, beside=True,
        leads_on=True,
    )  # fmt: skip


def check_support(game: Game, ally: Faction, order: Order) -> Refusal | None:
    """Why the ally cannot pledge this: he has not got it, or a bid that stands counts on more.

    How much of a pledge the bid really needs, and whether a Karama is meant to pay for it, is the bidder's secret.
    """
    spice = game.player(ally).spice
    if not isinstance(order, Support):
        return None
    if not 0 <= order.amount <= spice:
        return Refusal(f"You have {spice} spice, so you can support with 0 to {spice}.", "AH.XII.E.3")
    moment = auction_of(game)
    top = moment.top
    if top and game.state.allied(top.bidder, ally) and top.amount is not None:
        pledge = min(moment.support.get(ally, 0), spice)  # he may have given of it to the bidder himself
        if order.amount < pledge:
            why = f"{faction_name(top.bidder)}'s bid of {top.amount} counts on {pledge} of your spice."
            return Refusal(why, "AH.XII.E.3")
    return None


def check_bid(game: Game, bidder: Faction, order: Order) -> Refusal | None:
    """Why the faction cannot bid this on the card that is up, or None."""
    least = least_bid(game)
    match order:
        case Bid(0, False) if least == 1:
            return None  # a pass
        case Bid(amount, _) if amount < least:
            return too_low(least)
        case Bid(_, True) | BidKarama() if karama_card(game, bidder) is None:
            return Refusal("You hold no Karama to buy with.", "AH.AID.KARAMA.A.5-a")
        case BidKarama() if game.rules.karama_purchase != "infinity_bid":
            why = "A card is won by the highest number here: bid a number with karama, as high as you like."
            return Refusal(why, "AH.AID.KARAMA.A.5-a")
        case Bid(amount, False):
            return _uncovered(game, bidder, amount)
        case BidUpTo() if refusal := no_raise(order):
            return refusal
        case BidUpTo(limit) if order not in game.held.get(bidder, ()):  # standing, it passes when the bid is over it
            return too_low(least) if limit < least else _uncovered(game, bidder, limit)
    return None


def no_raise(order: BidUpTo) -> Refusal | None:
    """Why bids cannot go up like this: a step of nothing, or a first bid above the limit."""
    if order.step < 1:
        return Refusal("A raise is by at least 1 spice.", "AH.VIII.B.2-b")
    if order.first > order.limit:
        why = f"Your first bid would be {order.first} and your limit is {order.limit}: raise the limit."
        return Refusal(why, "AH.VIII.B.2-b")
    return None


def too_low(least: int) -> Refusal:
    """What a bid has to be."""
    if least == 1:
        return Refusal("A bid is at least 1 spice.", "AH.VIII.B.2-a")
    return Refusal(f"The bid is {least - 1}: bid at least {least}, or pass.", "AH.VIII.B.2-b")


def _uncovered(game: Game, bidder: Faction, amount: int) -> Refusal | None:
    own, most = game.player(bidder).spice, means(game, bidder, pledged(game))
    if amount <= most:
        return None
    if len(game.state.ally_group(bidder)) == 1:
        return Refusal(f"You have {own} spice, so you can bid at most {own}.", "AH.VIII.C")
    why = f"You have {own} spice and {most - own} of your ally's, so you can bid at most {most}."
    return Refusal(why, "AH.XII.E.3")


# --- the sale --------------------------------------------------------------------------------------------------------


def _sell(game: Game, top: MadeBid) -> Generator[Stop, None, bool]:
    """The top bidder pays and takes the card; False if he cannot pay and the auction goes on without him (A-10)."""
    moment, buyer = auction_of(game), top.bidder
    by_karama = False
    if top.karama and karama_card(game, buyer):
        by_karama = yield from put_down(game, buyer, PURCHASE, top.card)
    paid: dict[Faction, int] = {}
    if not by_karama:
        if top.amount is None or means(game, buyer, moment.support) < top.amount:
            moment.out.append(buyer)
            moment.passed = []
            moment.bids = [bid for bid in moment.bids if bid.bidder != buyer]
            game.tell("sale-void", faction=buyer, number=moment.number)
            return False
        paid = shares(game, buyer, top.amount, moment.support)
    _pay(game, buyer, paid)
    card = moment.cards.pop(0)
    game.player(buyer).hand.append(card)
    _tell_sale(game, top, card, paid, by_karama)
    return True


def _pay(game: Game, buyer: Faction, paid: Mapping[Faction, int]) -> None:
    """To the Emperor at once, also what he gave himself; for his own cards to the bank (AH.SHIELD.EMP.1,
    WBC.VIII.8 to 12)."""
    seller: Faction | None = "emperor" if game.plays("emperor") and buyer != "emperor" else None
    for payer, share in paid.items():
        game.pay(payer, share, seller)


def _tell_sale(game: Game, top: MadeBid, card: Card, paid: Mapping[Faction, int], by_karama: bool) -> None:
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
        to_emperor=bool(paid) and buyer != "emperor" and game.plays("emperor"),
        private=private,
    )


def full_hand(game: Game, faction: Faction) -> Refusal:
    """Why a faction with a full hand does not bid."""
    why = f"{faction_name(faction)} hold {game.hand_limit(faction)} cards, a full hand: they may not bid."
    return Refusal(why, "AH.VIII.A-b")
