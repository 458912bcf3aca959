"""The movement round: one slot after another (AH.IX.C, WBC.IX.3).

First comes what is declared before anybody moves (where the Bene Gesserit coexist). Then each player in the order of
play takes a slot, but who may choose when to go (``timing``): a shipment, time for reactions, what others send along
with it, the move, and last the revival of a leader. Where tokens meet, what is declared of it is declared at that
instant.
"""

from __future__ import annotations

from collections.abc import Sequence

from rules.chapters.movement import (
    allies_together,
    entering,
    hajr,
    ornithopters,
    shipment,
    shipment_rules,
    timing,
    token_movement,
)
from rules.chapters.movement.move_question import MoveQuestion
from rules.chapters.movement.shipment_question import ShipmentQuestion, ShipmentSupportQuestion
from rules.chapters.movement.timing import TimingQuestion
from rules.chapters.revival import leaders
from rules.components import Faction
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question
from rules.state.game import Game
from rules.state.moments import SlotMoment


def flow(game: Game) -> Flow:
    """The movement round, from the declarations to the last slot."""
    slot = game.moments.slot = SlotMoment()
    for faction in game.state.forfeits:
        if game.sits_out(faction):
            slot.done.append(faction)
            game.tell("turn-forfeited", faction=faction)
    allies_together.find(game, slot)
    for faction in factions_with(game, FactionRules.declares_before_moves):
        yield from rules_of(game, faction).declares_before_moves(game)
    ornithopters.look(game, slot, "round", *game.order_of_play())
    free = timing.free(game)
    for faction in game.order_of_play():
        if faction in slot.done:
            continue
        if faction not in free:
            yield from _free_players_before(game, slot, free, faction)
            yield from take_slot(game, slot, faction)
        elif (yield from timing.goes_in_its_place(game, slot, faction)):
            yield from take_slot(game, slot, faction)
    for faction in free:
        if faction not in slot.done:
            yield from take_slot(game, slot, faction)


def _free_players_before(game: Game, slot: SlotMoment, choosing: Sequence[Faction], next_faction: Faction) -> Flow:
    """Who chooses when to go may go before this player, but not if they have only now let their own place go by."""
    order = game.order_of_play()
    for free in choosing:
        just_waited = free not in slot.done and order.index(next_faction) == order.index(free) + 1
        if not just_waited and (yield from timing.goes_before(game, slot, free)):
            yield from take_slot(game, slot, free)


def take_slot(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    """Everything one player does in the movement round."""
    slot.begin(mover)
    ornithopters.look(game, slot, "slot", mover)
    yield from _ship(game, slot, mover)
    yield from shipment.companions(game, slot, mover)
    yield from token_movement.token_movement(game, slot, mover)
    yield from entering.meetings(game)
    slot.stage = "revival"
    yield from leaders.after_move(game, mover)
    yield from hajr.held_hajr(game, slot, mover)
    allies_together.part(game, slot, mover)
    slot.end(mover)


def _ship(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    """The shipment. Until it is declared the player before may still have played a Hajr; if that closed the way, or a
    Karama has taken the shipment back, it is declared anew."""
    while True:
        order = yield from shipment.declare(game, slot, mover)
        yield from hajr.late_hajr(game, slot)
        if order is None:
            game.tell("no-shipment", faction=mover)
            return
        if shipment_rules.refusal(game, mover, order) is not None:
            continue
        yield from shipment.carry_out(game, slot, mover, order)
        if not slot.declared_anew:
            break
        slot.declare_anew()
    if order.target is not None and not slot.stopped and game.here(order.target, mover):
        yield from entering.arrived(game, mover, order.forces, order.source, order.target)
    yield from entering.meetings(game)


QUESTIONS: tuple[type[Question], ...] = (
    TimingQuestion,
    ShipmentQuestion,
    ShipmentSupportQuestion,
    MoveQuestion,
    leaders.LeaderRevivalQuestion,
)
OPTIONS = (*shipment_rules.OPTIONS, *entering.OPTIONS, *ornithopters.OPTIONS, *allies_together.OPTIONS)
