"""The bidding round: the row of cards, the auction of each card, bids, and the pledges of allies (AH.VIII, WBC.VIII).

As many cards are auctioned as there are players who can bid, one card after another. Some factions see each card as it
comes up, are paid for it, or draw a free card after a purchase (``rules.factions``). A Karama that keeps Atreides from
looking at the cards is played earlier, at the stop of the charity phase.

The auction (AH.VIII.B to E, WBC.VIII.3, 4, 13 to 19): bidding goes round the table to the right. Each player raises or
passes. A player who has passed may bid again when their turn comes round. The auction ends when all others have passed,
one after another, on the top bid. The top bidder pays with spice or with a Karama.

A bid is covered by the bidder's own spice, by allies' pledges (AH.XII.E.3), or by a Karama that is spent if the bid
wins. The bid itself says how it will be paid, and only its bidder knows that, so a planned Karama stays secret until it
is played. ``bid karama`` is higher than every number and ends the auction. A pledge is the amount that an ally lets the
buyer spend on the current card. Allies may change their pledges at every bid, but the game does not wait for them.
While a bid is the top bid, neither the pledges for it nor the bidder's own spice behind it can be given away.

An overbid is a bid that the bidder cannot pay. A house rule may accept such bids, and they are then discovered at the
sale (VACA.HR.C). The bidder shows their hand, and a Karama in it pays for the card. A bidder without a Karama forfeits
all their spice. A bidder who had less than three spice also loses their next turn: they do not bid, ship or move. The
card is shuffled into the deck. Another card takes its place, and the bidder may not bid on that card.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, Literal

from rules.components import Card, Faction, the_faction
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question, Stop, ask
from rules.decisions.windows import karama_can, karama_card, put_down_karama, window
from rules.orders import Bid, BidKarama, BidUpTo, Key, Order, Pass, PassAll, Support
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import AuctionMoment, MadeBid

PURCHASE = "free card purchase"


def auction(game: Game, opener: Faction) -> Generator[Stop, None, Faction | None]:
    seats, moment = game.order_of_play(), auction_of(game)
    place = seats.index(opener)
    while True:
        bidder = _next_bidder(game, moment, seats[place:] + seats[:place])
        if bidder is not None:
            yield from _ask_bid(game, bidder)
            place = (seats.index(bidder) + 1) % len(seats)
            continue
        top = moment.top
        if top is None:
            return None
        sale = yield from _sell_card(game, top)
        if sale == "sold":
            return top.bidder
        place = seats.index(opener) if sale == "redrawn" else (seats.index(top.bidder) + 1) % len(seats)


def _next_bidder(game: Game, moment: AuctionMoment, circle: Sequence[Faction]) -> Faction | None:
    top = moment.top
    if top is not None and top.amount is None:
        return None
    done = (*moment.passed, top.bidder) if top else tuple(moment.passed)
    for faction in circle:
        if faction not in done and may_bid(game, faction):
            return faction
    return None


# --- one bid ---------------------------------------------------------------------------------------------------------


def _ask_bid(game: Game, bidder: Faction) -> Flow:
    moment = auction_of(game)
    answers = yield from ask(lambda: _bid_questions(game, bidder), standing_pledges(game, bidder))
    moment.support = pledged_support(game)
    order = answers.of(bidder)
    if order is None:
        return  # they have nothing left to decide
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


def _bid_questions(game: Game, bidder: Faction) -> list[Question]:
    top = auction_of(game).top
    if not may_bid(game, bidder) or (top is not None and top.amount is None):
        return []  # their hand is full now, or a Karama has taken the card
    group = game.state.ally_group(bidder)
    support = [CardSupportQuestion(game, ally, bidder) for ally in group if ally != bidder]
    return [*support, BidQuestion(game, bidder)]


def _bid_made(game: Game, bidder: Faction, order: Order, support: Mapping[Faction, int]) -> MadeBid | None:
    match order:
        case Bid(amount, karama) if amount > 0:
            return MadeBid(bidder, amount, karama)
        case BidKarama():
            return MadeBid(bidder, None, karama=True)
        case BidUpTo():
            amount = min(raised_bid(game, order), means_of_buyer(game, bidder, support))
            return MadeBid(bidder, amount) if amount >= least_bid(game) else None
    return None


# --- the sale --------------------------------------------------------------------------------------------------------


def _sell_card(game: Game, top: MadeBid) -> Generator[Stop, None, Literal["sold", "void", "redrawn"]]:
    """Make the top bidder pay for the card and take it. If they cannot pay, the auction goes on without them (A-10) or,
    in rule sets that accept such bids, restarts with another card (VACA.HR.C)."""
    moment, buyer = auction_of(game), top.bidder
    moment.selling = True
    by_karama = False
    if top.karama and karama_card(game, buyer):
        by_karama = yield from put_down_karama(game, buyer, PURCHASE, top.card)
    paid: dict[Faction, int] = {}
    covered = top.amount is not None and means_of_buyer(game, buyer, moment.support) >= top.amount
    if not by_karama and not covered and top.amount is not None and OVERBIDS_ARE_TAKEN(game.rules):
        by_karama = yield from saved_by_karama(game, buyer, PURCHASE)
        if not by_karama:
            penalise_overbid(game, buyer)
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
        paid = shares_of_price(game, buyer, top.amount, moment.support)
    seller = None if moment.payment_cancelled else _seller(game, buyer)
    for payer, share in paid.items():
        game.pay(payer, share, seller)
    card = moment.cards.pop(0)
    moment.bought, moment.bought_by_karama, moment.sold = card, by_karama, True
    game.player(buyer).hand.append(card)
    _tell_sale(game, top, card, paid, seller, by_karama)
    return "sold"


def _time_to_cancel_payment(game: Game, buyer: Faction, price: int) -> Flow:
    """Open a window in which a Karama can redirect the payment for the card to the bank, before it is made
    (FAQ.KARAMA-EMP.1)."""
    moment = auction_of(game)
    if karama_can(game.rules, "cancel card payment") and (seller := _seller(game, buyer)):
        about = {"buyer": buyer, "by": seller, "number": moment.number, "price": price}
        yield from window(game, "card-payment", lambda: not moment.payment_cancelled, **about)


def _seller(game: Game, buyer: Faction) -> Faction | None:
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


BID_OVER_EVERY_NUMBER = Option(
    "karama_purchase", {"infinity_bid": True, "at_end_of_auction": False, "take_at_once": True}
)
OVERBIDS_ARE_TAKEN = Option("overbid_found", {"reject": False, "forfeit_and_redraw": True}, usual="reject")
"""True if a bid that the bidder cannot pay is accepted, and discovered only at the sale (VACA.HR.C)."""


class BidQuestion(Question):
    kind = "bid"
    default = Pass()

    def refusal(self, order: Order) -> Refusal | None:
        game, bidder = self.game, self.faction
        if order == Bid(0) and least_bid(game) == 1:
            return None  # a pass
        if refusal := _never_legal_bid(game, bidder, order):
            return refusal
        match order:
            case Bid(amount, False) if not OVERBIDS_ARE_TAKEN(game.rules):
                return _uncovered(game, bidder, amount)
            case BidUpTo(limit) if order not in game.held.get(bidder, ()):
                return _too_low(game, limit) or _uncovered(game, bidder, limit)
        return None  # a standing BidUpTo passes when the bid is over it

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        moment = auction_of(game)
        if moment.number and not moment.cards:
            return Refusal("No more cards will be sold this turn.", "bidding.all-sold")
        if game.hand_full(faction):
            return refusal_of_full_hand(game, faction)
        if game.sits_out(faction):
            return Refusal("You have forfeited this turn by bidding more than you could pay.", "bidding.forfeit")
        if faction in moment.out:
            return Refusal("You may not bid on this card any more.", "bidding.own-spice")
        if refusal := _never_legal_bid(game, faction, order):
            return refusal
        match order:
            case BidUpTo(limit) if refusal := _too_low(game, limit):
                return refusal
            case Bid(_, False) if OVERBIDS_ARE_TAKEN(game.rules):
                return None
            case Bid(amount, False) | BidUpTo(amount) if len(game.state.ally_group(faction)) == 1:
                return _uncovered(game, faction, amount)
        return None

    def samples(self) -> list[Order]:
        game = self.game
        least, most = least_bid(game), means_of_buyer(game, self.faction, pledged_support(game))
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
            "means": means_of_buyer(self.game, self.faction, pledged_support(self.game)),
        }


def _never_legal_bid(game: Game, bidder: Faction, order: Order) -> Refusal | None:
    match order:
        case Bid(amount, _) if refusal := _too_low(game, amount):
            return refusal
        case Bid(_, True) | BidKarama() if karama_card(game, bidder) is None:
            return Refusal("You hold no Karama to buy with.", "bidding.karama-purchase")
        case BidKarama() if not BID_OVER_EVERY_NUMBER(game.rules):
            why = "In this game the highest number wins the card: bid any number with karama."
            return Refusal(why, "bidding.karama-purchase")
        case BidUpTo(_, step, _) if step < 1:
            return Refusal("Raise by at least 1 spice.", "bidding.raise")
        case BidUpTo(limit, _, first) if first > limit:
            why = f"Your first bid would be {first} and your limit is {limit}: raise the limit."
            return Refusal(why, "bidding.raise")
    return None


def _too_low(game: Game, amount: int) -> Refusal | None:
    least = least_bid(game)
    if amount >= least:
        return None
    if least == 1:
        return Refusal("A bid must be at least 1 spice.", "bidding.opening")
    return Refusal(f"The bid is {least - 1}: bid at least {least}, or pass.", "bidding.raise")


def _uncovered(game: Game, bidder: Faction, amount: int) -> Refusal | None:
    own, most = game.player(bidder).spice, means_of_buyer(game, bidder, pledged_support(game))
    if amount <= most:
        return None
    if len(game.state.ally_group(bidder)) == 1:
        return Refusal(f"You have {own} spice, so you can bid at most {own}.", "bidding.own-spice")
    why = f"You have {own} spice and {most - own} of your ally's, so you can bid at most {most}."
    return Refusal(why, "bidding.allies-pay")


def refusal_of_full_hand(game: Game, faction: Faction) -> Refusal:
    why = f"A full hand of {game.hand_limit(faction)} cards keeps {the_faction(faction)} from bidding."
    return Refusal(why, "bidding.full-hand")


HIDES_ONE_CARD = Option("karama_vs_atreides_bidding", {"all_cards": False, "remaining_cards": False, "one_card": True})
"""True if a Karama hides only the next card from Atreides, instead of all remaining cards of this turn."""


def auction_of(game: Game) -> AuctionMoment:
    return game.moments.auction or AuctionMoment()


def may_bid(game: Game, faction: Faction) -> bool:
    """Return whether the faction may bid on the current card: its hand is not full (AH.VIII.G, WBC.VIII.19), and it has
    not forfeited this card or this turn (VACA.HR.C-2)."""
    if faction in auction_of(game).out or (game.state.forfeits and game.sits_out(faction)):
        return False
    return not game.hand_full(faction)


def show_card(game: Game) -> None:
    """Turn to the next card. Some factions look at it before the bidding (AH.SHIELD.ATR.1)."""
    moment = auction_of(game)
    moment.up_at = game.state.events
    able = factions_with(game, FactionRules.sees_cards_for_bid)
    watchers = [faction for faction in able if rules_of(game, faction).sees_cards_for_bid(game)]
    game.tell(
        "card-up",
        number=moment.number,
        of=moment.number + len(moment.cards) - 1,
        private={faction: {"card": moment.cards[0]} for faction in watchers},
    )
    if HIDES_ONE_CARD(game.rules):
        game.state.sights_blocked.pop("bidding cards", None)


def least_bid(game: Game) -> int:
    top = auction_of(game).top  # AH.VIII.B.2-a, AH.VIII.B.2-b
    return 1 if top is None else (top.amount or 0) + 1


def raised_bid(game: Game, order: BidUpTo) -> int:
    return min(order.limit, max(least_bid(game) - 1 + order.step, order.first))


def pledged_support(game: Game) -> dict[Faction, int]:
    moment = auction_of(game)
    support, number = dict(moment.support), str(moment.number)
    for group in game.state.alliances:
        for ally in group:
            filed = game.filed.get((ally, "ally-support", number))
            if filed and isinstance(filed[-1], Support):
                support[ally] = filed[-1].amount
    return support


ENOUGH_TO_LOSE = 3


def saved_by_karama(game: Game, bidder: Faction, purchase: str) -> Generator[Stop, None, bool]:
    while karama_card(game, bidder):
        if (yield from put_down_karama(game, bidder, purchase)):
            return True
    return False


def penalise_overbid(game: Game, bidder: Faction) -> None:
    state, moment, player = game.state, auction_of(game), game.player(bidder)
    forfeited = player.spice
    turn_lost = forfeited < ENOUGH_TO_LOSE
    game.pay(bidder, forfeited)
    if turn_lost:
        state.forfeits[bidder] = state.turn + 1
    hand = sorted(player.hand)
    game.tell("overbid-found", faction=bidder, number=moment.number, hand=hand, spice=forfeited, turn_lost=turn_lost)
    state.treachery_deck.append(moment.cards.pop(0))
    game.chance.shuffle("overbid", state.treachery_deck)
    game.forget_deck()
    moment.cards.insert(0, state.treachery_deck.pop(0))
    moment.begin_anew(out=[bidder])
    show_card(game)


NO_SUPPORT: Mapping[Faction, int] = {}


def shares_of_price(game: Game, buyer: Faction, price: int, support: Mapping[Faction, int]) -> dict[Faction, int]:
    """Return each faction's share of the price: the buyer's own spice is used first, then the pledges, in the order of
    the alliance. If the price is not covered, the shares add up to less than the price."""
    paid = {buyer: min(price, game.player(buyer).spice)}
    for ally in game.state.ally_group(buyer):
        missing = price - sum(paid.values())
        if ally != buyer and missing > 0:
            paid[ally] = min(missing, support.get(ally, 0), game.player(ally).spice)
    return {payer: share for payer, share in paid.items() if share}


def means_of_buyer(
    game: Game, buyer: Faction, support: Mapping[Faction, int], moved: Mapping[Faction, int] = NO_SUPPORT
) -> int:
    """Return all the spice that the faction can spend on the current card, including the pledges of allies. ``moved``
    holds the changes to each faction's spice that are still pending."""

    total = game.player(buyer).spice + moved.get(buyer, 0)
    for ally in game.state.ally_group(buyer):
        if ally != buyer:
            total += min(support.get(ally, 0), game.player(ally).spice + moved.get(ally, 0))
    return total


def held_for_bid(game: Game, giver: Faction, amount: int, receiver: Faction | None) -> bool:
    """Return whether giving away this amount would take spice that covers the top bid. A ``receiver`` of None means
    that the spice goes into escrow. A whole pledge is held, because holding only the part that the bid needs would
    reveal how much spice the bidder has."""
    auction = game.moments.auction
    top = auction.top if auction else None
    if auction is None or top is None or top.amount is None:
        return False
    if game.state.allied(giver, top.bidder):
        return receiver != top.bidder and game.player(giver).spice - amount < auction.support.get(giver, 0)
    if giver != top.bidder or top.karama:
        return False
    moved = {giver: -amount} if receiver is None else {giver: -amount, receiver: amount}
    return means_of_buyer(game, top.bidder, auction.support, moved) < top.amount


class CardSupportQuestion(Question):
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
        return Support(min(pledged_support(self.game).get(self.faction, 0), self._spice))

    def samples(self) -> list[Support]:
        pledge, spice = self.default.amount, self._spice
        return [Support(amount) for amount in sorted({pledge, (pledge + spice + 1) // 2, spice})]

    @property
    def facts(self) -> Mapping[str, Any]:
        number = auction_of(self.game).number
        return {"buyer": self._bidder, "purpose": "card", "number": number, "spice": self._spice}


def _pledge_refusal(game: Game, ally: Faction, order: Order) -> Refusal | None:
    """Return a refusal if the ally has too little spice to pledge this amount, or if the top bid counts on a larger
    pledge. Otherwise return None. The refusal does not reveal how much of the pledge the bid needs, or whether a Karama
    will pay, because that is the bidder's secret."""
    spice = game.player(ally).spice
    if not isinstance(order, Support):
        return None
    if not 0 <= order.amount <= spice:
        return Refusal(f"You have {spice} spice, so you can support with 0 to {spice}.", "bidding.allies-pay")
    moment = game.moments.auction
    top = moment.top if moment else None
    if moment and top and game.state.allied(top.bidder, ally) and top.amount is not None:
        pledge = min(moment.support.get(ally, 0), spice)  # the bidder may have received some of it since
        if order.amount < pledge:
            why = f"The bid of {top.amount} by {the_faction(top.bidder)} relies on {pledge} of your spice."
            return Refusal(why, "bidding.allies-pay")
    return None


def standing_pledges(game: Game, bidder: Faction) -> dict[Key, tuple[Order, ...]]:
    """Return the pledges for this card that allies have already made, as answers, so that these allies are not asked
    again. Allies who have filed a new pledge are left out."""
    given: dict[Key, tuple[Order, ...]] = {}
    moment = auction_of(game)
    for ally in game.state.ally_group(bidder):
        pledge = moment.support.get(ally)
        anew = any(isinstance(order, Support) for order in game.held.get(ally, ()))
        if ally != bidder and pledge is not None and not anew:
            given[ally, "ally-support", str(moment.number)] = (Support(pledge),)
    return given


UNSOLD_LIE_ABOVE = Option("unsold_over_returned", {"yes": True, "no": False})
"""True if unsold cards lie above a card that was put on top of the deck before the auction (IT.BID.7)."""


def flow(game: Game) -> Flow:
    game.moments.auction = moment = AuctionMoment()
    yield from _deal_row(game, moment)
    game.tell(
        "bidding-begins",
        cards=len(moment.cards),
        hands={faction: len(game.player(faction).hand) for faction in game.order_of_play()},
    )
    opener = None
    while moment.cards:
        moment.next_card()
        opener = _opener(game, opener)
        moment.coming = True
        for faction in factions_with(game, FactionRules.before_card_up):
            yield from rules_of(game, faction).before_card_up(game)
        moment.coming = False
        show_card(game)
        buyer = (yield from auction(game, opener)) if opener else None
        game.drop_held((Bid, BidKarama, BidUpTo, Pass, Support))
        if buyer is None:
            _put_row_back(game)
            return
        yield from _after_sale(game, buyer, bonus_drawn=False)
        yield from rules_of(game, buyer).after_buying(game)
        yield from _after_sale(game, buyer, bonus_drawn=True)


def _deal_row(game: Game, moment: AuctionMoment) -> Flow:
    number = sum(may_bid(game, faction) for faction in game.order_of_play())  # AH.VIII.A-a
    for faction in factions_with(game, FactionRules.draws_row):
        yield from rules_of(game, faction).draws_row(game, number)
    while len(moment.cards) < number and (card := game.draw_treachery()) is not None:
        moment.cards.append(card)


def _after_sale(game: Game, buyer: Faction, *, bonus_drawn: bool) -> Flow:
    for faction in factions_with(game, FactionRules.after_sale):
        yield from rules_of(game, faction).after_sale(game, buyer, bonus_drawn=bonus_drawn)


def _opener(game: Game, last: Faction | None) -> Faction | None:
    """Return the player who opens the bidding: the first player, or for later cards the next player to the right of the
    last opener who can bid (AH.VIII.D)."""
    seats = game.order_of_play()
    start = 0 if last is None else seats.index(last) + 1
    return next((faction for faction in seats[start:] + seats[:start] if may_bid(game, faction)), None)


def _put_row_back(game: Game) -> None:
    """Put the unsold card and the rest of the row back on top of the deck, in the same order (AH.VIII.E-b)."""
    moment = auction_of(game)
    cards, moment.cards = moment.cards, []
    beneath = 1 if moment.returned == "top" and not UNSOLD_LIE_ABOVE(game.rules) else 0
    for card in reversed(cards):
        game.put_in_deck(card, top=True, beneath=beneath)
    game.tell("cards-returned", number=moment.number, cards=len(cards))


QUESTIONS: tuple[type[Question], ...] = (BidQuestion, CardSupportQuestion)
