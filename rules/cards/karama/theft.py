"""Karama for cards of another: draw some unseen, look, give back as many (AH.SHIELD.HAR.KARAMA, AH.AID.KARAMA.B.1,
WBC.XVII.1 to 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from itertools import combinations
from typing import Any

from rules.cards.karama.effect import Effect
from rules.chapters.battle.commitment import shown_cards
from rules.components import Card, CardKind, Faction, card_kind, faction_name
from rules.decisions.asking import ask_frozen
from rules.decisions.catalogue import rules_of
from rules.decisions.karama import uncommitted_cards
from rules.decisions.question import Flow, Question, Stop
from rules.orders import Karama, KaramaEffect, Order, ReturnCards
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

ONLY = Refusal("Only Harkonnen take cards by Karama.", "karama.take-cards")

HANDS_ARE_COUNTED = Option("hand_counts_public", {"bidding_only": False, "always": True})

ANY_CARD_GOES_BACK = Option("harkonnen_karama_return", {"any_card": True, "original_hand_only": False})
"""Whether cards just taken may go back, too (AH.AID.KARAMA.B.1-b, WBC.XVII.6, FAQ.HARKONNEN.3)."""

LEAST_WANTED: tuple[CardKind, ...] = (
    "worthless", "cheap-hero", "harvester", "hajr", "thumper", "weather-control", "family-atomics", "amal", "ghola",
    "truthtrance", "snooper", "shield", "shield-snooper", "chemistry", "weirding-way", "projectile-weapon",
    "poison-weapon", "poison-blade", "artillery-strike", "poison-tooth", "lasgun", "karama",
)  # fmt: skip


def _check_theft(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if refusal := _never_takes(game, faction, order):
        return refusal
    target, number = order.faction, order.number
    assert target is not None
    refusal = _too_many(game, target, number)
    if refusal or ANY_CARD_GOES_BACK(game.rules):
        return refusal
    back = len(_returnable(game, faction)) - 1  # the Karama itself is gone by then
    if number > back:
        return Refusal(f"You can give back at most {back} of your own cards, so take no more.", "karama.how-many-cards")
    return None


def _never_takes(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """What cannot be taken in any position."""
    if order.faction is None or order.faction == faction or not game.plays(order.faction):
        return Refusal("Name another player whose cards you take.", "karama.take-cards")
    if order.number < 1:
        return Refusal("Say how many cards you take, 1 or more.", "karama.how-many-cards")
    return None


def _too_many(game: Game, target: Faction, number: int) -> Refusal | None:
    """More than the target holds, where all may count them; elsewhere what there is will be taken (AH.XIII.B)."""
    counted = HANDS_ARE_COUNTED(game.rules) or game.state.phase == "bidding"
    most = len(game.player(target).hand) if counted else game.hand_limit(target)
    if number <= most:
        return None
    name = faction_name(target)
    why = f"{name} hold {_cards(most)}" if counted else f"{name} can hold no more than {_cards(most)}"
    return Refusal(f"{why}, so you cannot take {number}.", "karama.take-cards")


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"


def _returnable(game: Game, faction: Faction) -> list[Card]:
    """What the faction holds and may part with: not what its committed plan or a binding answer names (WBC.XVII.9)."""
    hand = uncommitted_cards(game, faction)
    for card in shown_cards(game, faction):
        if card in hand:
            hand.remove(card)
    return sorted(hand, key=_how_wanted)


def _how_wanted(card: Card) -> tuple[int, Card]:
    return (LEAST_WANTED.index(card_kind(card)), card)


def _take_cards(game: Game, faction: Faction, order: Karama) -> Flow:
    """Declare, draw unseen, look, give back: nothing comes between (WBC.XVII.2 to 7)."""
    target = order.faction
    assert target is not None
    original = _returnable(game, faction)
    taken = _draw_cards(game, faction, target, order.number)
    known = {"cards": list(taken)}
    game.tell(
        "cards-taken",
        faction=faction,
        target=target,
        number=len(taken),
        private={faction: known, target: known},
    )
    if not taken:
        return
    able = sorted([*original, *taken], key=_how_wanted) if ANY_CARD_GOES_BACK(game.rules) else original
    returned = yield from _ask_back(game, faction, target, able, len(taken))
    for card in returned:
        game.player(faction).hand.remove(card)
        game.player(target).hand.append(card)
    known = {"cards": list(returned)}
    game.tell(
        "cards-given-back",
        faction=faction,
        target=target,
        number=len(returned),
        private={faction: known, target: known},
    )


def _draw_cards(game: Game, faction: Faction, target: Faction, number: int) -> list[Card]:
    """At random from what the target has not committed to a battle plan (AH.SHIELD.HAR.KARAMA-b)."""
    hand = game.player(target).hand
    loose = uncommitted_cards(game, target)
    taken = []
    for _ in range(min(number, len(loose))):
        card = game.chance.pick("karama-theft", loose)
        loose.remove(card)
        hand.remove(card)
        taken.append(card)
    game.player(faction).hand.extend(taken)
    return taken


def _ask_back(
    game: Game, faction: Faction, target: Faction, able: Sequence[Card], number: int
) -> Generator[Stop, None, tuple[Card, ...]]:
    """Which of these cards go back."""
    answers = yield from ask_frozen(CardReturnQuestion(game, faction, target, able, number))
    order = answers.of(faction)
    assert isinstance(order, ReturnCards)
    return order.cards


class CardReturnQuestion(Question):
    """Which cards do you give back? The least wanted ones where nothing is said."""

    kind = "card-return"
    public = False

    def __init__(self, game: Game, faction: Faction, target: Faction, able: Sequence[Card], number: int) -> None:
        super().__init__(game, faction)
        self._target, self._able, self._number = target, able, number

    def refusal(self, order: Order) -> Refusal | None:
        cards, number = order.cards if isinstance(order, ReturnCards) else (), self._number
        if len(cards) != number:
            why = f"You took {_cards(number)}, so give back {number}, not {len(cards)}."
            return Refusal(why, "karama.give-back-as-many")
        if wrong := Counter(cards) - Counter(self._able):
            if bound := [card for card in shown_cards(self.game, self.faction) if card in wrong]:
                why = f"You have shown Atreides the {bound[0]}, so it stays; what may go back: {', '.join(self._able)}."
                return Refusal(why, "karama.give-back-shown")
            held = "hold now" if ANY_CARD_GOES_BACK(self.game.rules) else "held before"
            why = f"What goes back is of the cards that you {held}: {', '.join(self._able)}."
            return Refusal(why, "karama.give-back-own")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return Refusal("You give cards back when you have taken some.", "karama.give-back-as-many")

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return None if "take cards" in rules_of(game, faction).own_karama else ONLY

    @property
    def default(self) -> ReturnCards:
        return ReturnCards(tuple(self._able[: self._number]))

    def samples(self) -> Sequence[Order]:
        others = list(combinations(self._able, self._number))[1:6]
        return [self.default, *(ReturnCards(cards) for cards in others)]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"target": self._target, "number": self._number, "from": list(self._able)}


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "take cards": Effect(_check_theft, _take_cards, only_refusal=ONLY, never_legal=_never_takes),
}
QUESTIONS = (CardReturnQuestion,)
OPTIONS = (HANDS_ARE_COUNTED, ANY_CARD_GOES_BACK)
