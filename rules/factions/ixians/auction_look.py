"""The look before the auction: the Ixians see one card more than are sold, and one goes back (IT.BID.1 to 7).

They know then which cards are on sale and not in what order, and where in the deck the one lies that went back. All
others hear that one did, and to which end. Before they look a Karama may keep them from it (IT.IX-KARAMA.5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters.bidding.card_up import auction_of
from rules.components import Card, Faction
from rules.decisions.asking import ask_one
from rules.decisions.catalogue import factions_with
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question
from rules.decisions.windows import window
from rules.factions.ixians.first_cards import rank
from rules.orders import Order, PutBack
from rules.rulesets.refusal import Refusal
from rules.state.game import Game


def look(game: Game, faction: Faction, number: int) -> Flow:
    """They look, one card goes back, and the others are shuffled to be sold."""
    moment = auction_of(game)
    if not number:
        return
    moment.look_due = True
    game.tell("auction-look-due", faction=faction, cards=number + 1)
    yield from window(game, "auction-look", lambda: not moment.look_cancelled, by=faction)
    moment.look_due = False
    if moment.look_cancelled:
        return
    while len(moment.looked_at) <= number and (card := game.draw_treachery()) is not None:
        moment.looked_at.append(card)
    seen = sorted(moment.looked_at)
    game.tell("auction-looked", faction=faction, cards=len(seen), private={faction: {"cards": seen}})
    if len(seen) > number:
        order = yield from ask_one(ReturnQuestion(game, faction))
        if isinstance(order, PutBack):
            _put_back(game, faction, order)
    moment.cards, moment.looked_at = moment.looked_at, []
    moment.known, moment.known_to = sorted(moment.cards), faction
    game.chance.shuffle("auction-row", moment.cards)


def _put_back(game: Game, faction: Faction, order: PutBack) -> None:
    moment = auction_of(game)
    moment.looked_at.remove(order.card)
    game.put_in_deck(order.card, top=order.top, known=True)
    moment.returned = "top" if order.top else "bottom"
    game.tell("auction-returned", faction=faction, where=moment.returned, private={faction: {"card": order.card}})


def weakest(cards: Sequence[Card]) -> Card:
    """The card that goes back where the player does not say which."""
    return max(sorted(cards), key=rank)


class ReturnQuestion(Question):
    """Which card goes back, and to which end of the deck?"""

    kind = "auction-return"
    only_refusal = Refusal("Only the Ixians put a card back before the auction.", "bidding.look")

    @property
    def _seen(self) -> list[Card]:
        return auction_of(self.game).looked_at

    def refusal(self, order: Order) -> Refusal | None:
        if isinstance(order, PutBack) and order.card in self._seen:
            return None
        return Refusal(f"You see {', '.join(sorted(self._seen))}: put one of them back.", "bidding.look")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        """Nobody knows yet which cards they will see, so any card may be named ahead."""
        moment = game.moments.auction
        if refusal := cls.never_legal(game, faction, order):
            return refusal
        if moment is not None and moment.number:
            return Refusal("The auction has begun; no card goes back any more.", "bidding.look")
        return None

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return None if faction in factions_with(game, FactionRules.draws_row) else cls.only_refusal

    @property
    def default(self) -> Order:
        return PutBack(weakest(self._seen), top=False)

    def samples(self) -> Sequence[Order]:
        return [PutBack(card, top) for card in sorted(set(self._seen)) for top in (True, False)]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"cards": sorted(self._seen)}
