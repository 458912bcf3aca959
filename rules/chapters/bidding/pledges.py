"""Who can pay for a card: the buyer, and the allies who let them spend of theirs (AH.XII.E.3, WBC.VIII.15).

A pledge is what an ally lets the buyer spend on the card that is up. Pledges and the bidder's own spice are held for
the top bid: neither can be given away while it stands.
"""

from __future__ import annotations

from collections.abc import Mapping

from rules.components import Faction
from rules.state.game import Game

NOTHING: Mapping[Faction, int] = {}


def shares(game: Game, buyer: Faction, price: int, support: Mapping[Faction, int]) -> dict[Faction, int]:
    """Who pays how much of the price: the buyer's own spice first, then the allies' pledges in the alliance's order.

    The shares fall short of the price where it is not covered.
    """
    paid = {buyer: min(price, game.player(buyer).spice)}
    for ally in game.state.ally_group(buyer):
        missing = price - sum(paid.values())
        if ally != buyer and missing > 0:
            paid[ally] = min(missing, support.get(ally, 0), game.player(ally).spice)
    return {payer: share for payer, share in paid.items() if share}


def means(game: Game, buyer: Faction, support: Mapping[Faction, int], moved: Mapping[Faction, int] = NOTHING) -> int:
    """All that the faction can pay for the card that is up, its allies' pledges included.

    ``moved`` looks ahead: by how much each faction's spice would change.
    """

    total = game.player(buyer).spice + moved.get(buyer, 0)
    for ally in game.state.ally_group(buyer):
        if ally != buyer:
            total += min(support.get(ally, 0), game.player(ally).spice + moved.get(ally, 0))
    return total


def held_for_bid(game: Game, giver: Faction, amount: int, receiver: Faction | None) -> bool:
    """Whether a gift, or what is set aside for nobody yet, would take away spice by which the top bid of the auction is
    covered.

    What an ally has pledged is held whole: how much of it the bid needs would tell what the bidder has.
    """
    auction = game.moments.auction
    top = auction.top if auction else None
    if auction is None or top is None or top.amount is None:
        return False
    if game.state.allied(giver, top.bidder):
        return receiver != top.bidder and game.player(giver).spice - amount < auction.support.get(giver, 0)
    if giver != top.bidder or top.karama:
        return False
    moved = {giver: -amount} if receiver is None else {giver: -amount, receiver: amount}
    return means(game, top.bidder, auction.support, moved) < top.amount
