"""The Karama card (AH.AID.KARAMA): one of the listed things, then it is discarded.

The effects stand by the chapter that they touch, each with a check and what it does. Here is what all share: who may
play one, and that the card is put down (``rules.decisions.karama``).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from rules.cards.karama import battle as karama_battle
from rules.cards.karama import bidding as karama_bidding
from rules.cards.karama import charity as karama_charity
from rules.cards.karama import (
    face_dancers,
    far_move,
    gift,
    revival_for_others,
    shipping,
    spice_card,
    storm_marker,
    tech_tokens,
    theft,
    worthless,
)
from rules.cards.karama import ixians as karama_ixians
from rules.cards.karama import movement as karama_movement
from rules.cards.karama import revival as karama_revival
from rules.cards.karama import spice as karama_spice
from rules.cards.karama.effect import Effect
from rules.components import Faction
from rules.decisions.catalogue import rules_of
from rules.decisions.karama import can_do, karama_cards, put_down
from rules.decisions.question import Flow
from rules.decisions.special_karama import SPECIAL_KARAMA, SPECIAL_KARAMA_ONCE, phase_of_special_karama
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
    **karama_charity.EFFECTS,
    **far_move.EFFECTS,
    **gift.EFFECTS,
    **shipping.EFFECTS,
    **storm_marker.EFFECTS,
    **revival_for_others.EFFECTS,
    **face_dancers.EFFECTS,
    **karama_ixians.EFFECTS,
    **tech_tokens.EFFECTS,
}


@cache
def effects_in(rules: RuleSet) -> tuple[KaramaEffect, ...]:
    """What a Karama can do in the rule set, special powers that it may have left out included."""
    return tuple(effect for effect in EFFECTS if can_do(rules, effect))


def check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """Why this Karama cannot be played now, or None.

    What the board shows is looked at before the hand, so that a refusal means the same to all who do not hold the card.
    """
    if not can_do(game.rules, order.effect):
        return _unknown_here(game, order)
    able = karama_cards(game, faction)
    if not able:
        return Refusal("You hold no Karama.", "karama.card")
    if order.card is not None and order.card not in able:
        why = f"{order.card} cannot serve you as a Karama now; you can use {' or '.join(able)}."
        return Refusal(why, "karama.which-card")
    refusal = _not_theirs(game, faction, order) or _not_in_this_phase(game, order)
    return refusal or EFFECTS[order.effect].check(game, faction, order)


def _unknown_here(game: Game, order: Karama) -> Refusal:
    """The refusal of an effect that this rule set does not have; it names those that begin with the same word."""
    first = f"{order.effect.split()[0]} "
    alike = sorted(effect.removeprefix(first) for effect in effects_in(game.rules) if effect.startswith(first))
    instead = f"; it can {first.strip()}: {', '.join(alike)}" if alike else ""
    return Refusal(f"A Karama cannot do that in this rule set{instead}.", "karama.card")


def never_legal(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """Why this Karama is wrong in every position, or None."""
    if not can_do(game.rules, order.effect):
        return _unknown_here(game, order)
    return _not_theirs(game, faction, order) or EFFECTS[order.effect].never_legal(game, faction, order)


def _not_theirs(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    """Why the faction never has this effect, which some have for their own; None where it may."""
    refusal = EFFECTS[order.effect].only_refusal
    if refusal is not None and not SPECIAL_KARAMA(game.rules):
        return Refusal("This rule set gives no faction a special Karama power of its own.", "karama.own-powers")
    if refusal is not None and faction in game.state.special_karamas:
        return Refusal("You have used your special Karama power; it is had once in a game.", "karama.once")
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
"""The rules that name the phase of each special power (FAQ.ADV-KARAMA.6 to 12)."""


def _not_in_this_phase(game: Game, order: Karama) -> Refusal | None:
    """Why a special power has to wait for its phase, or None."""
    if EFFECTS[order.effect].only_refusal is None:
        return None
    only = phase_of_special_karama(game.rules, order.effect)
    if only is None or only == game.state.phase:
        return None
    return Refusal(f"This special Karama power is played in the {only} phase only.", _WHEN[order.effect])


def play(game: Game, faction: Faction, order: Karama) -> Flow:
    """Discard the card, let a worthless one be cancelled, and do what it does; nothing, where another Karama has done
    it while the worthless one was up."""
    effect = EFFECTS[order.effect]
    special = effect.only_refusal is not None
    if special and SPECIAL_KARAMA_ONCE(game.rules):
        game.state.special_karamas.append(faction)
    if not effect.spent_later:
        stands = yield from put_down(game, faction, order.effect, order.card)
        if not stands or (not special and effect.check(game, faction, order) is not None):
            return
    yield from effect.play(game, faction, order)


def unseen(game: Game, order: Karama) -> bool:
    """Whether the Karama is only meant for later, so that nobody else may notice it."""
    return EFFECTS[order.effect].unseen(game)


QUESTIONS = theft.QUESTIONS
OPTIONS = (
    *karama_bidding.OPTIONS,
    *karama_spice.OPTIONS,
    *theft.OPTIONS,
    *karama_movement.OPTIONS,
    *karama_ixians.OPTIONS,
)
