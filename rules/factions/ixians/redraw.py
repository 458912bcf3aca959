"""The ally's redraw: a card just bought is discarded for the top card of the deck (IT.BID.12 to 15, FAQ.IXIANS.1).

Who has bought it has seen it. Public is only that it was discarded, by name, or kept; a Karama may stop the exchange as
it is announced (FAQ.KARAMA-IXI.6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters.bidding.card_up import auction_of
from rules.components import Card, Faction
from rules.decisions.asking import ask
from rules.decisions.catalogue import factions_with
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question
from rules.decisions.windows import window
from rules.orders import NoRedraw, Order, Redraw
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

AFTER_KARAMA = Option("redraw_after_karama", {"yes": True, "no": False})
"""Whether a card that was bought by a Karama may be exchanged too (IT.BID.14)."""
BEFORE_BONUS = Option("redraw_before_bonus", {"yes": True, "no": False})
"""Whether it is decided before the buyer draws a card free for the purchase (IT.BID.15)."""

ONLY_ALLIES = Refusal("Only an ally of the Ixians exchanges a card that they have bought.", "bidding.redraw")

OPTIONS = (AFTER_KARAMA, BEFORE_BONUS)


def after_sale(game: Game, faction: Faction, buyer: Faction, *, bonus_drawn: bool) -> Flow:
    """The faction's ally has bought a card and may exchange it, once."""
    moment = auction_of(game)
    card = moment.bought
    if card is None or not game.state.allied(faction, buyer) or bonus_drawn == BEFORE_BONUS(game.rules):
        return
    if moment.bought_by_karama and not AFTER_KARAMA(game.rules):
        return

    def build() -> list[Question]:
        return [RedrawQuestion(game, buyer, card)] if game.holds(buyer, card) else []

    answers = yield from ask(build)
    if isinstance(answers.of(buyer), Redraw):
        yield from _redraw(game, faction, buyer, card)
    else:
        game.tell("bought-card-kept", faction=buyer, number=moment.number)


def _redraw(game: Game, faction: Faction, buyer: Faction, card: Card) -> Flow:
    moment = auction_of(game)
    moment.redrawing = True
    game.tell("redraw-announced", faction=buyer, number=moment.number)
    yield from window(game, "redraw", lambda: moment.redrawing, by=faction, ally=buyer, number=moment.number)
    goes = moment.redrawing and game.holds(buyer, card)
    moment.redrawing = False
    if not goes:
        return
    game.discard(buyer, card)
    drawn = game.draw_treachery()
    if drawn is not None:
        game.player(buyer).hand.append(drawn)
    game.tell("redrawn", faction=buyer, number=moment.number, discarded=card, private={buyer: {"card": drawn}})


class RedrawQuestion(Question):
    """Do you discard the card that you have bought for the top card of the deck?"""

    kind = "redraw"

    def __init__(self, game: Game, faction: Faction, card: Card) -> None:
        super().__init__(game, faction)
        self._card = card

    def refusal(self, order: Order) -> Refusal | None:
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if refusal := cls.never_legal(game, faction, order):
            return refusal
        able = factions_with(game, FactionRules.after_sale)
        return None if any(game.state.allied(giver, faction) for giver in able) else ONLY_ALLIES

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        others = [giver for giver in factions_with(game, FactionRules.after_sale) if giver != faction]
        return None if others else ONLY_ALLIES

    @property
    def default(self) -> Order:
        return NoRedraw()

    def samples(self) -> Sequence[Order]:
        return [NoRedraw(), Redraw()]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"card": self._card, "number": auction_of(self.game).number}
