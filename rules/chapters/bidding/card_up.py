"""The card that is up, and how its auction stands."""

from __future__ import annotations

from rules.components import Faction
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.orders import BidUpTo, Support
from rules.rulesets.options import Option
from rules.state.game import Game
from rules.state.moments import AuctionMoment

HIDES_ONE_CARD = Option("karama_vs_atreides_bidding", {"all_cards": False, "remaining_cards": False, "one_card": True})
"""Whether a Karama keeps the next card that comes up from being looked at, instead of all that come up in the turn. A
look that was taken stays taken, so all cards are those that remain."""


def auction_of(game: Game) -> AuctionMoment:
    """The auction that is going on; one without a card, a bid or a pledge while the row has not been dealt."""
    return game.moments.auction or AuctionMoment()


def may_bid(game: Game, faction: Faction) -> bool:
    """Whether the faction may bid on the card that is up: there is room in its hand (AH.VIII.G, WBC.VIII.19), and it
    has not forfeited this turn (VACA.HR.C-2)."""
    if faction in auction_of(game).out or (game.state.forfeits and game.sits_out(faction)):
        return False
    return not game.hand_full(faction)


def show(game: Game) -> None:
    """The card comes up; who may look at it before the bidding does (AH.SHIELD.ATR.1)."""
    moment = auction_of(game)
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
    """The lowest number that may be bid now (AH.VIII.B.2-a, AH.VIII.B.2-b)."""
    top = auction_of(game).top
    return 1 if top is None else (top.amount or 0) + 1


def raised_to(game: Game, order: BidUpTo) -> int:
    """What a bid that raises by itself bids next, if there is spice for it."""
    return min(order.limit, max(least_bid(game) - 1 + order.step, order.first))


def pledged(game: Game) -> dict[Faction, int]:
    """What each faction lets its allies spend on the card that is up, also where the stop is still open."""
    moment = auction_of(game)
    support, number = dict(moment.support), str(moment.number)
    for group in game.state.alliances:
        for ally in group:
            filed = game.filed.get((ally, "ally-support", number))
            if filed and isinstance(filed[-1], Support):
                support[ally] = filed[-1].amount
    return support
