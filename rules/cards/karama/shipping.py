"""Karama against what the Guild and its allies have when they ship, and against the Guild's income (FAQ.KARAMA-GUI.1 to
FAQ.KARAMA-GUI.4)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.chapters.movement import fares, prevented
from rules.components import Faction
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

NOTHING_TO_STOP: Mapping[KaramaEffect, Refusal] = {
    "cancel guild shipment": Refusal(
        "Nobody is shipping across Dune or back to the reserves now.", "karama.guild-shipment"
    ),
    "cancel half rate": Refusal("The Guild is not shipping at its own rate now.", "karama.half-rate"),
    "cancel ally rate": Refusal("No ally of the Guild is shipping at its rate now.", "karama.ally-rate"),
    "cancel shipping payment": Refusal("No shipment is being paid to the Guild now.", "karama.shipping-payment"),
}


def _refusal_of_ones_own(game: Game, shipper: Faction | None, faction: Faction, what: KaramaEffect) -> Refusal | None:
    """The refusal of a Karama against what is the player's own: their shipment, or the income from it."""
    topic = NOTHING_TO_STOP[what].topic
    if what != "cancel shipping payment":
        return Refusal("That is your own shipment.", topic) if shipper == faction else None
    paid = fares.receiver(game, shipper) if shipper else None
    return Refusal("That is your own income.", topic) if paid == faction else None


def _effect(what: KaramaEffect) -> Effect:
    nothing = NOTHING_TO_STOP[what]

    def check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
        slot = game.moments.slot
        if slot is None or not prevented.touches(game, slot, what):
            return nothing
        return _refusal_of_ones_own(game, slot.mover, faction, what)

    def play(game: Game, faction: Faction, order: Karama) -> Flow:
        slot = game.moments.slot
        assert slot is not None
        prevented.take_away(game, slot, what, faction)
        yield from ()

    return Effect(check, play)


EFFECTS: Mapping[KaramaEffect, Effect] = {effect: _effect(effect) for effect in prevented.CONCERNS}
