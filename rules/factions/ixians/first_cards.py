"""The first treachery cards: the Ixians see one for each faction and keep one of them (IT.SETUP-IX.7 to 9).

The rest are shuffled and dealt one each to the others. A second first card (Harkonnen's) comes from the deck after
that, or, where the rule set has it, lies among those that are looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.components import FACTION_FACTS, Card, CardKind, Faction, card_kind
from rules.decisions.asking import ask_one
from rules.decisions.catalogue import factions_with
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question
from rules.orders import Order, StartWith
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

EVERY_CARD_IS_SEEN = Option("ix_starting_pool", {"one_a_faction": False, "all_cards_dealt": True})
"""Whether they see a card for each that is dealt, also where a faction begins with two (IT.SETUP-IX.8)."""

OPTIONS = (EVERY_CARD_IS_SEEN,)

RANKING: tuple[frozenset[CardKind], ...] = (
    frozenset({"karama"}),
    frozenset({"lasgun"}),
    frozenset({"shield", "snooper", "shield-snooper"}),
    frozenset({"projectile-weapon", "poison-weapon", "poison-blade", "poison-tooth", "artillery-strike"}),
)
"""What is kept without a word, the best first; then special cards, and worthless ones last."""


def rank(card: Card) -> int:
    """How good a card is, for the choice of a player who says nothing; 0 is the best."""
    kind = card_kind(card)
    last = len(RANKING) + (kind == "worthless")
    return next((place for place, kinds in enumerate(RANKING) if kind in kinds), last)


def deal(game: Game, faction: Faction) -> Flow:
    """The faction chooses among the first cards, and the others get one each of the rest by chance."""
    box = game.state.box
    first = {other: _number_in_the_pool(game, other) for other in game.order_of_play()}
    while len(box.dealt_cards) < sum(first.values()) and (card := game.draw_treachery()) is not None:
        box.dealt_cards.append(card)
    seen = sorted(box.dealt_cards)
    game.tell("first-cards-seen", faction=faction, cards=len(seen), private={faction: {"cards": seen}})
    order = yield from ask_one(FirstCardQuestion(game, faction))
    kept = order.card if isinstance(order, StartWith) else min(seen, key=rank)
    rest, box.dealt_cards = box.dealt_cards, []
    rest.remove(kept)
    game.player(faction).hand.append(kept)
    game.chance.shuffle("first-cards", rest)
    for other, number in first.items():
        number -= other == faction
        game.player(other).hand.extend(rest[:number])
        rest = rest[number:]


def _number_in_the_pool(game: Game, faction: Faction) -> int:
    """How many of the cards that are looked at are meant for this faction."""
    return FACTION_FACTS[faction].starting_cards if EVERY_CARD_IS_SEEN(game.rules) else 1


class FirstCardQuestion(Question):
    """Which of the first cards do you keep?"""

    kind = "starting-card"
    only_refusal = Refusal("Only the Ixians choose their first card.", "setup.first-card")

    def refusal(self, order: Order) -> Refusal | None:
        seen = self.game.state.box.dealt_cards
        if isinstance(order, StartWith) and order.card in seen:
            return None
        return Refusal(f"These lie before you: {', '.join(sorted(seen))}. Keep one of them.", "setup.first-card")

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        """Nobody knows yet which cards will lie there, so any card may be named ahead."""
        return None if faction in factions_with(game, FactionRules.deals_cards) else cls.only_refusal

    @property
    def default(self) -> Order:
        return StartWith(min(sorted(self.game.state.box.dealt_cards), key=rank))

    def samples(self) -> Sequence[Order]:
        return [StartWith(card) for card in sorted(set(self.game.state.box.dealt_cards))]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"cards": sorted(self.game.state.box.dealt_cards)}
