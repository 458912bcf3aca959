"""The card that is up, and how its auction stands."""

from __future__ import annotations

from rules.components import Faction
from rules.orders import BidUpTo, Support
from rules.state.game import Game
from rules.state.moments import AuctionMoment


def auction_of(game: Game) -> AuctionMoment:
    """The auction that is going on."""
    moment = game.moments.auction
    assert moment is not None
    return moment


def may_bid(game: Game, faction: Faction) -> bool:
    """Whether the faction may bid on the card that is up: there is room in its hand (AH.VIII.G, WBC.VIII.19)."""
    return not game.hand_full(faction) and faction not in auction_of(game).out


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
