"""The Karama card (AH.AID.KARAMA): its player chooses one listed effect and discards the card.

The effects are grouped by chapter in ``karama_spice_and_bidding``, ``karama_movement_and_battle`` and
``karama_expansion``. Each effect consists of a check and an action. This module contains the rules that apply to all
effects: who may play a Karama, and how the card is played (together with ``rules.decisions.windows``).

Two effects are defined here because they concern cards. With their special Karama, Harkonnen draw unseen cards from
another player's hand, look at them and give back the same number of cards (AH.SHIELD.HAR.KARAMA, AH.AID.KARAMA.B.1,
WBC.XVII.1 to 9). The other effect cancels a worthless card that somebody plays as a Karama (AH.AID.KARAMA.A.3-c,
WBC.AID.26, WBC.AID.27).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

from rules.cards import karama_expansion, karama_movement_and_battle, karama_spice_and_bidding
from rules.chapters.battle_plans import cards_named_in_answer
from rules.components import Card, CardKind, Faction, card_kind, the_faction
from rules.decisions.catalogue import rules_of
from rules.decisions.faction_rules import SPECIAL_KARAMA, SPECIAL_KARAMA_ONCE, phase_of_special_karama
from rules.decisions.question import Flow, Question, Stop, ask_frozen
from rules.decisions.windows import Effect, karama_can, karama_cards, put_down_karama, uncommitted_cards
from rules.orders import Karama, KaramaEffect, Order, ReturnCards
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game

ONLY_HARKONNEN = Refusal("Only Harkonnen can take cards with a Karama.", "karama.take-cards")

HANDS_ARE_COUNTED = Option("hand_counts_public", {"bidding_only": False, "always": True})

ANY_CARD_GOES_BACK = Option("harkonnen_karama_return", {"any_card": True, "original_hand_only": False})
"""True if Harkonnen may also give back the cards just taken (AH.AID.KARAMA.B.1-b, WBC.XVII.6, FAQ.HARKONNEN.3)."""

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
    back = len(_returnable(game, faction)) - 1  # the Karama itself has left the hand by then
    if number > back:
        return Refusal(f"You can give back at most {back} of your own cards, so take no more.", "karama.how-many-cards")
    return None


def _never_takes(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if order.faction is None or order.faction == faction or not game.plays(order.faction):
        return Refusal("Name the other player whose cards you want to take.", "karama.take-cards")
    if order.number < 1:
        return Refusal("Say how many cards to take, 1 or more.", "karama.how-many-cards")
    return None


def _too_many(game: Game, target: Faction, number: int) -> Refusal | None:
    """Refuse to take more cards than the target holds, if the sizes of hands are public. If they are secret, such an
    order is accepted and takes the whole hand (AH.XIII.B)."""
    counted = HANDS_ARE_COUNTED(game.rules) or game.state.phase == "bidding"
    most = len(game.player(target).hand) if counted else game.hand_limit(target)
    if number <= most:
        return None
    has = "has" if counted else "has at most"
    why = f"You cannot take {number}: the hand of {the_faction(target)} {has} {_cards_to_take(most)}."
    return Refusal(why, "karama.take-cards")


def _cards_to_take(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"


def _returnable(game: Game, faction: Faction) -> list[Card]:
    """Return the cards that the faction may give back: those that are neither in its committed plan nor named in an
    answer that binds it (WBC.XVII.9)."""
    hand = uncommitted_cards(game, faction)
    for card in cards_named_in_answer(game, faction):
        if card in hand:
            hand.remove(card)
    return sorted(hand, key=_how_wanted)


def _how_wanted(card: Card) -> tuple[int, Card]:
    return (LEAST_WANTED.index(card_kind(card)), card)


def _take_cards(game: Game, faction: Faction, order: Karama) -> Flow:
    """Take cards from the target's hand: announce the number, draw them unseen, look at them and give back the same
    number, without interruption (WBC.XVII.2 to 7)."""
    target = order.faction
    assert target is not None
    original = _returnable(game, faction)
    taken = _draw_cards(game, faction, target, order.number)
    known = {"cards": list(taken)}
    game.tell("cards-taken", faction=faction, target=target, number=len(taken), private={faction: known, target: known})
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
    """Draw at random from the cards that the target has not committed to a battle plan (AH.SHIELD.HAR.KARAMA-b)."""
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
    answers = yield from ask_frozen(CardReturnQuestion(game, faction, target, able, number))
    order = answers.of(faction)
    assert isinstance(order, ReturnCards)
    return order.cards


class CardReturnQuestion(Question):
    """The question that asks Harkonnen which cards to give back. By default, the cards that are worth least to them go
    back."""

    kind = "card-return"
    public = False

    def __init__(self, game: Game, faction: Faction, target: Faction, able: Sequence[Card], number: int) -> None:
        super().__init__(game, faction)
        self._target, self._able, self._number = target, able, number

    def refusal(self, order: Order) -> Refusal | None:
        cards, number = order.cards if isinstance(order, ReturnCards) else (), self._number
        if len(cards) != number:
            why = f"You took {_cards_to_take(number)}, so give back {number}, not {len(cards)}."
            return Refusal(why, "karama.give-back-as-many")
        if wrong := Counter(cards) - Counter(self._able):
            if bound := [card for card in cards_named_in_answer(self.game, self.faction) if card in wrong]:
                why = f"You have shown Atreides the {bound[0]}, so keep it; you can give back: {', '.join(self._able)}."
                return Refusal(why, "karama.give-back-shown")
            held = "hold now" if ANY_CARD_GOES_BACK(self.game.rules) else "held before"
            why = f"Give back only cards that you {held}: {', '.join(self._able)}."
            return Refusal(why, "karama.give-back-own")
        return None

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return Refusal("You can give cards back only after you have taken some.", "karama.give-back-as-many")

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return None if "take cards" in rules_of(game, faction).own_karama else ONLY_HARKONNEN

    @property
    def default(self) -> ReturnCards:
        return ReturnCards(tuple(self._able[: self._number]))

    def samples(self) -> Sequence[Order]:
        others = list(combinations(self._able, self._number))[1:6]
        return [self.default, *(ReturnCards(cards) for cards in others)]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"target": self._target, "number": self._number, "from": list(self._able)}


THEFT_EFFECTS: Mapping[KaramaEffect, Effect] = {
    "take cards": Effect(_check_theft, _take_cards, only_refusal=ONLY_HARKONNEN, never_legal=_never_takes)
}
THEFT_QUESTIONS = (CardReturnQuestion,)


def _check_worthless(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    by = game.moments.worthless_played_by
    if by is None or game.moments.karama_cancelled:
        return Refusal("No worthless card is being used as a Karama now.", "karama.cancel-karama")
    if by == faction:
        return Refusal("That is your own card.", "karama.cancel-karama")
    return None


def _cancel_worthless(game: Game, faction: Faction, order: Karama) -> Flow:
    game.moments.karama_cancelled = True  # both are discarded without any effect: AH.QA.A.7
    yield from ()


WORTHLESS_EFFECTS: Mapping[KaramaEffect, Effect] = {"cancel karama": Effect(_check_worthless, _cancel_worthless)}


EFFECTS: Mapping[KaramaEffect, Effect] = {
    **karama_spice_and_bidding.WORM_EFFECTS,
    **karama_spice_and_bidding.BIDDING_EFFECTS,
    **karama_movement_and_battle.MOVEMENT_EFFECTS,
    **karama_movement_and_battle.BATTLE_EFFECTS,
    **karama_movement_and_battle.REVIVAL_EFFECTS,
    **THEFT_EFFECTS,
    **WORTHLESS_EFFECTS,
    **karama_spice_and_bidding.SPICE_CARD_EFFECTS,
    **karama_spice_and_bidding.CHARITY_EFFECTS,
    **karama_movement_and_battle.FAR_MOVE_EFFECTS,
    **karama_spice_and_bidding.GIFT_EFFECTS,
    **karama_movement_and_battle.SHIPPING_EFFECTS,
    **karama_spice_and_bidding.STORM_MARKER_EFFECTS,
    **karama_expansion.REVIVAL_EFFECTS,
    **karama_expansion.FACE_DANCER_EFFECTS,
    **karama_expansion.IXIAN_EFFECTS,
    **karama_spice_and_bidding.TECH_TOKEN_EFFECTS,
}


@cache
def effects_in(rules: RuleSet) -> tuple[KaramaEffect, ...]:
    return tuple(effect for effect in EFFECTS if karama_can(rules, effect))


def check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """Return the reason why this Karama cannot be played now, or None. The public position is checked before the hand,
    so that a refusal does not reveal who holds the card."""
    if not karama_can(game.rules, order.effect):
        return _unknown_here(game, order)
    able = karama_cards(game, faction)
    if not able:
        return Refusal("You hold no Karama.", "karama.card")
    if order.card is not None and order.card not in able:
        why = f"You cannot use {order.card} as a Karama now; you can use {' or '.join(able)}."
        return Refusal(why, "karama.which-card")
    refusal = _not_theirs(game, faction, order) or _not_in_this_phase(game, order)
    return refusal or EFFECTS[order.effect].check(game, faction, order)


def _unknown_here(game: Game, order: Karama) -> Refusal:
    first = f"{order.effect.split()[0]} "
    alike = sorted(effect.removeprefix(first) for effect in effects_in(game.rules) if effect.startswith(first))
    instead = f"; it can {first.strip()}: {', '.join(alike)}" if alike else ""
    return Refusal(f"A Karama cannot do that in this rule set{instead}.", "karama.card")


def never_legal(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    if not karama_can(game.rules, order.effect):
        return _unknown_here(game, order)
    return _not_theirs(game, faction, order) or EFFECTS[order.effect].never_legal(game, faction, order)


def _not_theirs(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    refusal = EFFECTS[order.effect].only_refusal
    if refusal is not None and not SPECIAL_KARAMA(game.rules):
        return Refusal("In this rule set no faction has a special Karama power.", "karama.own-powers")
    if refusal is not None and faction in game.state.special_karamas:
        return Refusal("You have already used your special Karama power for this game.", "karama.once")
    return None if order.effect in rules_of(game, faction).own_karama else refusal


_WHEN: Mapping[KaramaEffect, str] = {
    "see plan": "karama.when-to-see-a-plan",
    "revive": "karama.when-to-revive",
    "worm": "karama.when-to-call-a-worm",
    "stop shipment": "karama.when-to-stop-a-shipment",
    "take cards": "karama.when-to-take-cards",
    "hms": "karama.when-to-move-the-stronghold",
    "stop revival": "karama.when-to-stop-a-revival",
}
"""The topic of the rule that says when each special power may be used (FAQ.ADV-KARAMA.6 to 12)."""


def _not_in_this_phase(game: Game, order: Karama) -> Refusal | None:
    if EFFECTS[order.effect].only_refusal is None:
        return None
    only = phase_of_special_karama(game.rules, order.effect)
    if only is None or only == game.state.phase:
        return None
    return Refusal(f"You can use this special Karama power only in the {only} phase.", _WHEN[order.effect])


def play(game: Game, faction: Faction, order: Karama) -> Flow:
    """Discard the card and apply its effect. If the card is a worthless card, other players may cancel it first. If
    another Karama has had the same effect in the meantime, the card is discarded and nothing else happens."""
    effect = EFFECTS[order.effect]
    special = effect.only_refusal is not None
    if special and SPECIAL_KARAMA_ONCE(game.rules):
        game.state.special_karamas.append(faction)
    if not effect.spent_later:
        stands = yield from put_down_karama(game, faction, order.effect, order.card)
        if not stands or (not special and effect.check(game, faction, order) is not None):
            return
    yield from effect.play(game, faction, order)


def is_unseen(game: Game, order: Karama) -> bool:
    return EFFECTS[order.effect].unseen(game)


QUESTIONS = THEFT_QUESTIONS
