"""Karama against the far move of the Fremen (FAQ.KARAMA-FRE.1)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.chapters.movement import far_move
from rules.components import Faction
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment, SlotStage

BEFORE_THE_MOVE: tuple[SlotStage, ...] = ("shipment", "reactions", "advisor", "movement")


def _mover(slot: SlotMoment | None) -> Faction | None:
    """Whose move the Karama would keep short."""
    if slot is None:
        return None
    before = slot.stage in BEFORE_THE_MOVE and not slot.moved
    if before and slot.mover is not None and far_move.goes_far(slot.mover):
        return slot.mover
    return slot.far_mover


def _check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
    slot = game.moments.slot
    mover = _mover(slot)
    if slot is None or mover is None:
        return Refusal("The far move of the Fremen is stopped in their own slot, before it is made.", "karama.far-move")
    if far_move.SHORT in slot.denied:
        return Refusal("A Karama has done that for this move.", "karama.far-move")
    return Refusal("That is your own move.", "karama.far-move") if mover == faction else None


def _keep_short(game: Game, faction: Faction, order: Karama) -> Flow:
    slot = game.moments.slot
    if slot is not None and (mover := _mover(slot)) is not None:
        slot.denied.append(far_move.SHORT)
        game.tell("far-move-stopped", by=faction, faction=mover)
    yield from ()


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel fremen move": Effect(_check, _keep_short),
}
