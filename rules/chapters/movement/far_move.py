"""Groups that go farther by nature, and the Karama that keeps one of them to a single territory (FAQ.KARAMA-FRE.1).

It may be played until the move is declared, and right after; then another move may be declared. Ornithopters it leaves
alone.
"""

from __future__ import annotations

from rules.chapters.movement import move_rules
from rules.components import Faction
from rules.decisions.catalogue import rules_of
from rules.decisions.karama import can_do
from rules.decisions.question import Flow
from rules.decisions.windows import window
from rules.orders import KaramaEffect, Order
from rules.state.game import Game
from rules.state.moments import SlotMoment


def goes_far(game: Game, faction: Faction) -> bool:
    """Whether groups of the faction go farther than one territory by nature."""
    return rules_of(game, faction).far_move_karama is not None


def time_to_react(game: Game, slot: SlotMoment, mover: Faction, order: Order) -> Flow:
    """A move is declared that needs this power: a Karama may keep it short."""
    short = rules_of(game, mover).far_move_karama
    if short is None or not can_do(game.rules, short) or not _needs_it(game, slot, mover, order, short):
        return
    slot.far_mover = mover
    yield from window(game, "fremen-move", lambda: short not in slot.denied, by=mover)
    slot.far_mover = None


def over(game: Game, slot: SlotMoment, mover: Faction) -> None:
    """The move is made: what a Karama took from it is over."""
    short = rules_of(game, mover).far_move_karama
    if short is not None and short in slot.denied:
        slot.denied.remove(short)


def _needs_it(game: Game, slot: SlotMoment, mover: Faction, order: Order, short: KaramaEffect) -> bool:
    """Whether the move is legal, and would not be if the group went one territory only."""
    if short in slot.denied or move_rules.refusal(game, mover, order) is not None:
        return False
    slot.denied.append(short)
    too_far = move_rules.refusal(game, mover, order) is not None
    slot.denied.remove(short)
    return too_far
