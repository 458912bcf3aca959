"""The bidding round (AH.VIII, WBC.VIII): as many cards as players who can bid, auctioned one after the other.

Factions may see each card as it comes up, be paid for it, or have more of it when they have bought: their rooms say so.
The opening gap, in which a Karama can keep Atreides from looking, is the stop of the charity phase before.
"""

from __future__ import annotations

from rules.chapters.bidding.auction import auction
from rules.chapters.bidding.bids import BID_OVER_EVERY_NUMBER, OVERBIDS_ARE_TAKEN, BidQuestion
from rules.chapters.bidding.card_up import HIDES_ONE_CARD, auction_of, may_bid, show
from rules.chapters.bidding.support import CardSupportQuestion
from rules.components import Faction
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question
from rules.orders import Bid, BidKarama, BidUpTo, Pass, Support
from rules.rulesets.options import Option
from rules.state.game import Game
from rules.state.moments import AuctionMoment

UNSOLD_LIE_ABOVE = Option("unsold_over_returned", {"yes": True, "no": False})
"""Whether unsold cards lie above one that was put on top of the deck before the auction (IT.BID.7)."""


def flow(game: Game) -> Flow:
    """The story of the bidding round."""
    game.moments.auction = moment = AuctionMoment()
    yield from _deal(game, moment)
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
        show(game)
        buyer = (yield from auction(game, opener)) if opener else None
        game.drop_held((Bid, BidKarama, BidUpTo, Pass, Support))
        if buyer is None:
            _put_back(game)
            return
        yield from _after_sale(game, buyer, bonus_drawn=False)
        yield from rules_of(game, buyer).after_buying(game)
        yield from _after_sale(game, buyer, bonus_drawn=True)


def _deal(game: Game, moment: AuctionMoment) -> Flow:
    """A row of face-down cards, one for each player with room in their hand (AH.VIII.A-a)."""
    number = sum(may_bid(game, faction) for faction in game.order_of_play())
    for faction in factions_with(game, FactionRules.draws_row):
        yield from rules_of(game, faction).draws_row(game, number)
    while len(moment.cards) < number and (card := game.draw_treachery()) is not None:
        moment.cards.append(card)


def _after_sale(game: Game, buyer: Faction, *, bonus_drawn: bool) -> Flow:
    """What others than the buyer have to do with a purchase."""
    for faction in factions_with(game, FactionRules.after_sale):
        yield from rules_of(game, faction).after_sale(game, buyer, bonus_drawn=bonus_drawn)


def _opener(game: Game, last: Faction | None) -> Faction | None:
    """The first player, then the next to the right of the last opener; who cannot bid is passed over (AH.VIII.D)."""
    seats = game.order_of_play()
    start = 0 if last is None else seats.index(last) + 1
    return next((faction for faction in seats[start:] + seats[:start] if may_bid(game, faction)), None)


def _put_back(game: Game) -> None:
    """Nobody bid: this card and the rest of the row go back on top of the deck in their order (AH.VIII.E-b)."""
    moment = auction_of(game)
    cards, moment.cards = moment.cards, []
    beneath = 1 if moment.returned == "top" and not UNSOLD_LIE_ABOVE(game.rules) else 0
    for card in reversed(cards):
        game.put_in_deck(card, top=True, beneath=beneath)
    game.tell("cards-returned", number=moment.number, cards=len(cards))


QUESTIONS: tuple[type[Question], ...] = (BidQuestion, CardSupportQuestion)
OPTIONS = (UNSOLD_LIE_ABOVE, BID_OVER_EVERY_NUMBER, OVERBIDS_ARE_TAKEN, HIDES_ONE_CARD)
