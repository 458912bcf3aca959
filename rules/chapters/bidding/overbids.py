"""A bid above one's means, found out at the sale: the penalty of a house rule (VACA.HR.C).

The bidder shows their hand. A Karama in it pays for the card and saves them. Without one they forfeit all their spice,
and if that was less than three also their next turn: in it they neither bid nor ship nor move. The card is shuffled
into the deck, and another takes its place, on which they do not bid.
"""

from __future__ import annotations

from collections.abc import Generator

from rules.chapters.bidding.card_up import auction_of, show
from rules.components import Faction
from rules.decisions.karama import karama_card, put_down
from rules.decisions.question import Stop
from rules.state.game import Game

ENOUGH_TO_LOSE = 3


def saved(game: Game, bidder: Faction, purchase: str) -> Generator[Stop, None, bool]:
    """Whether a Karama in the bidder's hand pays for the card."""
    while karama_card(game, bidder):
        if (yield from put_down(game, bidder, purchase)):
            return True
    return False


def found(game: Game, bidder: Faction) -> None:
    """The bidder is penalised, and another card comes up in place of the one that they cannot pay."""
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
    show(game)
