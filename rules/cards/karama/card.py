"""The Karama card (AH.AID.KARAMA): one of the listed things, then it is discarded.

The effects stand by the chapter that they touch, each with a check and what it does. Here is what all share: who may
play one, and that the card is put down (``rules.decisions.karama``).
"""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama import battle as karama_battle
from rules.cards.karama import bidding as karama_bidding
from rules.cards.karama import movement as karama_movement
from rules.cards.karama import revival as karama_revival
from rules.cards.karama import spice as karama_spice
from rules.cards.karama import spice_card, theft, worthless
from rules.cards.karama.effect import Effect
from rules.components import Faction
from rules.decisions.catalogue import rules_of
from rules.decisions.faction_rules import SPECIAL_KARAMA
from rules.decisions.karama import karama_cards, put_down
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.game import Game

EFFECTS: Mapping[KaramaEffect, Effect] = {
    **karama_spice.EFFECTS,
    **karama_bidding.EFFECTS,
    **karama_movement.EFFECTS,
    **karama_battle.EFFECTS,
    **karama_revival.EFFECTS,
    **theft.EFFECTS,
    **worthless.EFFECTS,
    **spice_card.EFFECTS,
}


def effects_in(rules: RuleSet) -> list[KaramaEffect]:
    """What a Karama can do in the rule set, special powers that it may have left out included."""
    return [effect for effect in EFFECTS if effect != "cancel flip" or karama_movement.FLIPS(rules)]


def check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """Why this Karama cannot be played now, or None.

    What the board shows is looked at before the hand, so that a refusal means the same to all who do not hold the card.
    """
    effect = EFFECTS.get(order.effect)
    if effect is None or order.effect not in effects_in(game.rules):
        return Refusal("A Karama cannot do that in this rule set.", "karama.card")
    able = karama_cards(game, faction)
    if not able:
        return Refusal("You hold no Karama.", "karama.card")
    if order.card is not None and order.card not in able:
        why = f"{order.card} cannot serve you as a Karama now; you can use {' or '.join(able)}."
        return Refusal(why, "karama.which-card")
    return _not_theirs(game, faction, order) or effect.check(game, faction, order)


def never_legal(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """Why this Karama is wrong in every position, or None."""
    effect = EFFECTS.get(order.effect)
    if effect is None or order.effect not in effects_in(game.rules):
        return Refusal("A Karama cannot do that in this rule set.", "karama.card")
    return _not_theirs(game, faction, order) or effect.never_legal(game, faction, order)


def _not_theirs(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """Why the faction never has this effect, which some have for their own; None where it may."""
    refusal = EFFECTS[order.effect].only_refusal
    if refusal is not None and not SPECIAL_KARAMA(game.rules):
        return Refusal("This rule set gives no faction a special Karama power of its own.", "karama.own-powers")
    return None if order.effect in rules_of(game, faction).own_karama else refusal


def play(game: Game, faction: Faction, order: Karama) -> Flow:
    """Discard the card, let a worthless one be cancelled, and do what it does."""
    effect = EFFECTS[order.effect]
    if effect.spent_later or (yield from put_down(game, faction, order.effect, order.card)):
        yield from effect.play(game, faction, order)


def unseen(game: Game, order: Karama) -> bool:
    """Whether the Karama is only meant for later, so that nobody else may notice it."""
    return EFFECTS[order.effect].unseen(game)


QUESTIONS = theft.QUESTIONS
OPTIONS = (*karama_bidding.OPTIONS, *karama_spice.OPTIONS, *theft.OPTIONS, *karama_movement.OPTIONS)
