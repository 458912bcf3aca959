"""The Hajr (AH.AID.TIMED.3): one more move of a group, before or after the ordinary one.

Nobody waits for it, so it is sent with the move. Sent after the move it is played at the end of the slot, or while the
next player has not declared a shipment yet; it is its player's move still.
"""

from __future__ import annotations

from rules.chapters.movement import entering, far_move, move_rules
from rules.components import Faction
from rules.decisions.question import Flow
from rules.orders import Hajr
from rules.state.game import Game
from rules.state.moments import SlotMoment


def extra_move(game: Game, mover: Faction, order: Hajr) -> Flow:
    """Discard the card and move the group."""
    game.discard(mover, move_rules.HAJR)
    yield from entering.go(game, mover, order.move, hajr=True)


def held_hajr(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    """Play the Hajr of a move that was sent along and has become possible since."""
    for order in list(game.held.get(mover, ())):
        if not isinstance(order, Hajr):
            continue
        yield from far_move.time_to_react(game, slot, mover, order)
        if move_rules.refusal(game, mover, order) is None:
            game.take_held(mover, order)
            yield from extra_move(game, mover, order)


def late_hajr(game: Game, slot: SlotMoment) -> Flow:
    """Play the Hajr that the player before has sent since their slot ended: their move still, by their ornithopters."""
    if slot.last_mover is not None:
        slot.late_mover = slot.last_mover
        yield from held_hajr(game, slot, slot.last_mover)
        slot.last_mover = slot.late_mover = None
