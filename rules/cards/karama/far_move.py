"""Karama against the far move of the Fremen, or of Cyborgs (FAQ.KARAMA-FRE.1, FAQ.KARAMA-IXI.2)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.cards.karama.effect import Effect
from rules.chapters.movement import far_move
from rules.components import Faction
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow
from rules.orders import Karama, KaramaEffect
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment, SlotStage

BEFORE_THE_MOVE: tuple[SlotStage, ...] = ("shipment", "reactions", "advisor", "movement")


def _mover(game: Game, slot: SlotMoment | None) -> Faction | None:
    """The player whose next move the Karama would limit to one territory."""
    if slot is None:
        return None
    before = slot.stage in BEFORE_THE_MOVE and not slot.moved
    if before and slot.mover is not None and far_move.goes_far(game, slot.mover):
        return slot.mover
    return slot.far_mover


def _keeping_short(short: KaramaEffect, whose: str, topic: str) -> Effect:
    """The effect by which groups that may go farther by nature go one territory only."""

    def check(game: Game, faction: Faction, order: Karama) -> Refusal | None:
        slot = game.moments.slot
        mover = _mover(game, slot)
        if slot is None or mover is None or rules_of(game, mover).far_move_karama != short:
            why = f"The far move of {whose} is stopped in their own slot, before it is made."
            return Refusal(why, topic)
        if short in slot.denied:
            return Refusal("A Karama has done that for this move.", topic)
        return Refusal("That is your own move.", topic) if mover == faction else None

    def keep_short(game: Game, faction: Faction, order: Karama) -> Flow:
        slot = game.moments.slot
        assert slot is not None
        slot.denied.append(short)
        game.tell("far-move-stopped", by=faction, faction=_mover(game, slot))
        yield from ()

    return Effect(check, keep_short)


EFFECTS: Mapping[KaramaEffect, Effect] = {
    "cancel fremen move": _keeping_short("cancel fremen move", "the Fremen", "karama.far-move"),
    "cancel cyborg speed": _keeping_short("cancel cyborg speed", "the Ixians", "karama.cyborg-speed"),
}
