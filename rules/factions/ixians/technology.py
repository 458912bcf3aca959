"""Technology: once in a bidding phase a card of the hand for the next one that is to be sold (IT.BID.8 to 11).

It is asked before each card until it was used, and before anybody looks at that card; who has waived it for the phase
answers nothing more, but the pause before a card is held for them all the same. That it was done, and before
which card, is public; the names are not. A Karama may stop it as it is announced (FAQ.KARAMA-IXI.7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters.bidding.card_up import auction_of
from rules.components import Card, Faction
from rules.decisions.asking import ask
from rules.decisions.catalogue import factions_with
from rules.decisions.faction_rules import FactionRules
from rules.decisions.karama import TECHNOLOGY
from rules.decisions.question import Flow, Question
from rules.decisions.windows import window
from rules.orders import NoSwap, NoSwapAll, Order, Swap
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game

BLIND = Option("technology_blind", {"yes": True, "no": False})
"""Whether they do not see the coming card before they swap (IT.BID.9)."""

OPTIONS = (BLIND,)


def is_used(game: Game) -> bool:
    """Whether the swap of this turn was made, or stopped by a Karama."""
    return game.state.box.technology_used == game.state.turn


def before_card(game: Game, faction: Faction) -> Flow:
    """The faction swaps a card of its hand for the one that is up next, or leaves it."""
    if not TECHNOLOGY(game.rules):
        return
    hand = game.player(faction).hand
    answers = yield from ask(lambda: [TechnologyQuestion(game, faction)] if hand and not is_used(game) else [])
    order = answers.of(faction)
    if isinstance(order, Swap):
        yield from _swap(game, faction, order.card)


def _swap(game: Game, faction: Faction, card: Card) -> Flow:
    moment, hand = auction_of(game), game.player(faction).hand
    moment.swapping = True
    game.tell("technology-announced", faction=faction, number=moment.number)
    yield from window(game, "technology", lambda: moment.swapping, by=faction, number=moment.number)
    game.state.box.technology_used = game.state.turn
    if not moment.swapping or card not in hand:
        moment.swapping = False
        return
    moment.swapping = False
    got, moment.cards[0] = moment.cards[0], card
    hand.remove(card)
    hand.append(got)
    if moment.known_to == faction:
        moment.known.remove(got)
        moment.known = sorted([*moment.known, card])
    moment.swapped = moment.number
    game.tell("technology-used", faction=faction, number=moment.number, private={faction: {"gave": card, "got": got}})


class TechnologyQuestion(Question):
    """Do you swap a card of your hand for the one that is up next?"""

    kind = "technology"
    forgiven = True

    def __init__(self, game: Game, faction: Faction) -> None:
        super().__init__(game, faction)
        self.waived = NoSwapAll() in game.held.get(faction, ())

    only_refusal = Refusal("Only the Ixians swap a card with one that is to be sold.", "bidding.technology")

    def refusal(self, order: Order) -> Refusal | None:
        if not isinstance(order, Swap) or order.card in self.game.player(self.faction).hand:
            return None
        return Refusal(f"You do not hold {order.card}.", "bidding.technology")

    @classmethod
    def exists_in(cls, rules: RuleSet) -> bool:
        return TECHNOLOGY(rules)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if refusal := cls.never_legal(game, faction, order):
            return refusal
        if is_used(game):
            return Refusal("You have used Technology in this bidding phase.", "bidding.technology-once")
        return cls(game, faction).refusal(order)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return None if faction in factions_with(game, FactionRules.before_card_up) else cls.only_refusal

    @property
    def default(self) -> Order:
        return NoSwap()

    def samples(self) -> Sequence[Order]:
        hand = sorted(set(self.game.player(self.faction).hand))
        return [NoSwap(), NoSwapAll(), *(Swap(card) for card in hand)]

    @property
    def facts(self) -> Mapping[str, Any]:
        moment = auction_of(self.game)
        seen = {} if BLIND(self.game.rules) else {"next": moment.cards[0]}
        last = moment.number + len(moment.cards) - 1
        return {"number": moment.number, "of": last, "waived": self.waived, **seen}
