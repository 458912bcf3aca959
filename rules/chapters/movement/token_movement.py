"""Token movement: one group goes from its territory to another, and one more for a Hajr (AH.IX.C.2, AH.AID.TIMED.3)."""

from __future__ import annotations

from collections.abc import Generator

from rules.chapters.movement import entering, far_move, hajr, move_rules, ornithopters, shipment
from rules.chapters.movement.move_question import MoveQuestion
from rules.components import Faction
from rules.decisions.asking import ask
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow, Stop
from rules.orders import Hajr, Move, Order
from rules.state.game import Game
from rules.state.moments import SlotMoment


def token_movement(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    """The mover's one move, and one more for a Hajr."""
    slot.stage = "movement"
    while not slot.moved and _anything_to_decide(game, mover):
        orders = yield from _declare(game, mover)
        slot.move_declared = True
        if shipment.owed(slot):
            yield from shipment.pay_by_karama(game, slot, mover)
        for order in orders:
            yield from far_move.time_to_react(game, slot, mover, order)
            if move_rules.refusal(game, mover, order):
                break
            yield from _carry_out(game, slot, mover, order)
            far_move.over(game, slot, mover)
    if shipment.owed(slot):  # where a worm has eaten all that could move
        yield from shipment.pay_by_karama(game, slot, mover)
    ornithopters.look(game, slot, "move", mover)
    slot.moved = True
    yield from hajr.held_hajr(game, slot, mover)


def _anything_to_decide(game: Game, mover: Faction) -> bool:
    """Whether the mover has a token on Dune, or may do something else at the time of the move."""
    return bool(game.state.areas_of(mover)) or rules_of(game, mover).acts_before_moving(game)


def _declare(game: Game, mover: Faction) -> Generator[Stop, None, list[Order]]:
    """The orders of the answer in the order to carry them out: at most one ordinary move."""
    answers = yield from ask(lambda: [MoveQuestion(game, mover)])
    game.filed.pop((mover, "movement", ""), None)
    given = answers.all_of(mover)
    last = next((order for order in reversed(given) if not isinstance(order, Hajr)), None)
    return [order for order in given if isinstance(order, Hajr) or order is last]


def _carry_out(game: Game, slot: SlotMoment, mover: Faction, order: Order) -> Flow:
    match order:
        case Hajr():
            yield from hajr.extra_move(game, mover, order)
        case Move():
            ornithopters.look(game, slot, "move", mover)
            slot.moved = True
            yield from entering.go(game, mover, order, hajr=False)
        case _:
            ornithopters.look(game, slot, "move", mover)
            slot.moved = True
            game.tell("no-move", faction=mover)
