"""The bidding round (AH.VIII, WBC.VIII): as many cards as players who can bid, auctioned one after the other.

Atreides look at each card as it comes up (AH.SHIELD.ATR.1), the Emperor is paid for it (AH.SHIELD.EMP.1), and
Harkonnen draw one more for each that they buy (AH.SHIELD.HAR.2). The opening gap, in which a Karama can keep Atreides
from looking, is the stop of the charity phase before; a window is held before each free card (AH.AID.KARAMA.A.2-a).
"""

from __future__ import annotations

from rules.chapters.auction import auction, auction_of, check_support, full_hand, least_bid, may_bid, no_raise, too_low
from rules.components import Faction
from rules.decisions.karama import karama_card
from rules.decisions.question import Flow
from rules.decisions.windows import window
from rules.orders import Bid, BidKarama, BidUpTo, Order, Pass, PassAll, Support
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import AuctionMoment


def flow(game: Game) -> Flow:
    """The story of the bidding round."""
    game.moments.auction = moment = AuctionMoment()
    _deal(game, moment)
    game.tell(
        "bidding-begins",
        cards=len(moment.cards),
        hands={faction: len(game.player(faction).hand) for faction in game.order_of_play()},
    )
    opener = None
    while moment.cards:
        moment.next_card()
        opener = _opener(game, opener)
        _show(game)
        buyer = (yield from auction(game, opener)) if opener else None
        game.drop_held((Bid, BidKarama, BidUpTo, Pass, Support))
        if buyer is None:
            _put_back(game)
            return
        if buyer == "harkonnen":
            yield from _free_card(game)


def _deal(game: Game, moment: AuctionMoment) -> None:
    """A row of face-down cards, one for each player with room in his hand (AH.VIII.A-a)."""
    for faction in game.order_of_play():
        card = None if game.hand_full(faction) else game.draw_treachery()
        if card is not None:
            moment.cards.append(card)


def _opener(game: Game, last: Faction | None) -> Faction | None:
    """The first player, then the next to the right of the last opener; who cannot bid is passed over (AH.VIII.D)."""
    seats = game.order_of_play()
    start = 0 if last is None else seats.index(last) + 1
    return next((faction for faction in seats[start:] + seats[:start] if may_bid(game, faction)), None)


def _show(game: Game) -> None:
    """The card comes up; Atreides look at it unless a Karama keeps them from it (AH.SHIELD.ATR.1, AH.QA.A.4)."""
    moment = auction_of(game)
    looks = game.plays("atreides") and game.state.sights_blocked.get("bidding cards") != game.state.turn
    game.tell(
        "card-up",
        number=moment.number,
        of=moment.number + len(moment.cards) - 1,
        private={"atreides": {"card": moment.cards[0]}} if looks else None,
    )


def _put_back(game: Game) -> None:
    """Nobody bid: this card and the rest of the row go back on top of the deck in their order (AH.VIII.E-b)."""
    moment = auction_of(game)
    cards, moment.cards = moment.cards, []
    game.state.treachery_deck[:0] = cards
    game.tell("cards-returned", number=moment.number, cards=len(cards))


def _free_card(game: Game) -> Flow:
    """Harkonnen draw one card free, unless their hand is full or a Karama stops it (AH.SHIELD.HAR.2-c, -d)."""
    if game.hand_full("harkonnen"):
        return
    moment = auction_of(game)
    moment.free_card_due, moment.free_card_cancelled = True, False
    yield from window(game, "free-card", lambda: not moment.free_card_cancelled, number=moment.number)
    moment.free_card_due = False
    card = None if moment.free_card_cancelled or game.hand_full("harkonnen") else game.draw_treachery()
    if card is not None:
        game.player("harkonnen").hand.append(card)
        game.tell("free-card", private={"harkonnen": {"card": card}})


def still_to_come(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Held for the faction's turn to bid on the card that is up, or for its ally's; refused where that cannot come."""
    moment = auction_of(game)
    if isinstance(order, Support):
        if len(game.state.ally_group(faction)) == 1:
            return Refusal("You have no ally to support.", "AH.XII.E.3")
        return check_support(game, faction, order)
    if not isinstance(order, Bid | BidKarama | BidUpTo | Pass | PassAll):
        return Refusal("Nobody waits for cards of yours.", "AH.V-b")
    if not moment.cards:
        return Refusal("No more cards are sold this turn.", "AH.VIII.E-a")
    if game.hand_full(faction):
        return full_hand(game, faction)
    if faction in moment.out:
        return Refusal("You may not bid on this card any more.", "AH.VIII.C")
    return _never_legal(game, faction, order)


def _never_legal(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """What no later turn on this card can make legal. Spice may still come: from an ally, or to the Emperor."""
    least = least_bid(game)
    match order:
        case Bid(amount, _) | BidUpTo(amount) if amount < least:
            return too_low(least)
        case BidUpTo() if refusal := no_raise(order):
            return refusal
        case Bid(_, True) | BidKarama() if karama_card(game, faction) is None:
            return Refusal("You hold no Karama to buy with.", "AH.AID.KARAMA.A.5-a")
        case BidKarama() if game.rules.karama_purchase != "infinity_bid":
            return Refusal("Bid a number with karama, as high as you like.", "AH.AID.KARAMA.A.5-a")
        case Bid(amount, False) | BidUpTo(amount):
            own = game.player(faction).spice
            if amount > own and len(game.state.ally_group(faction)) == 1:
                return Refusal(f"You have {own} spice, so you can bid at most {own}.", "AH.VIII.C")
    return None
