"""Groups that go farther by nature, and the Karama that keeps one of them to a single territory (FAQ.KARAMA-FRE.1).

It may be played until the move is declared, and right after; then another move may be declared. Ornithopters it leaves
alone.
"""

from __future__ import annotations

from rules.chapters.movement import move_rules
from rules.components import FACTION_FACTS, Faction
from rules.decisions.karama import can_do
from rules.decisions.question import Flow
from rules.decisions.windows import window
from rules.orders import KaramaEffect, Order
from rules.state.game import Game
from rules.state.moments import SlotMoment

SHORT: KaramaEffect = "cancel fremen move"


def goes_far(faction: Faction) -> bool:
    """Whether groups of the faction go farther than one territory by nature."""
    return FACTION_FACTS[faction].move_distance > 1


def time_to_react(game: Game, slot: SlotMoment, mover: Faction, order: Order) -> Flow:
    """A move is declared that needs this power: a Karama may keep it short."""
    if not goes_far(mover) or not can_do(game.rules, SHORT) or not _needs_it(game, slot, mover, order):
        return
    slot.far_mover = mover
    yield from window(game, "fremen-move", lambda: SHORT not in slot.denied, by=mover)
    slot.far_mover = None


def over(slot: SlotMoment) -> None:
    """The move is made: what a Karama took from it is over."""
    if SHORT in slot.denied:
        slot.denied.remove(SHORT)


def _needs_it(game: Game, slot: SlotMoment, mover: Faction, order: Order) -> bool:
    """Whether the move is legal, and would not be if the group went one territory only."""
    if SHORT in slot.denied or move_rules.refusal(game, mover, order) is not None:
        return False
    slot.denied.append(SHORT)
    too_far = move_rules.refusal(game, mover, order) is not None
    slot.denied.remove(SHORT)
    return too_far
