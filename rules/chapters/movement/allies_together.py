"""Allies whose tokens are in one territory, where the rule set does not leave them there (GF9.ALLIANCE.8 to 9,
FAQ.BG.5, FAQ.SHIP.2).

Two who allied last turn may find themselves together as the movement round begins. One of them leaves: if the first
who moves stays, the second leaves or loses those tokens. In the turn in which they have allied nobody has to leave.

Where a way may lead through an ally's territory, a shipment may land there too, if its tokens go on to another
territory with their move; what stays there all the same is lost.
"""

from __future__ import annotations

from collections.abc import Iterator

from rules.chapters.movement import entering, ornithopters
from rules.chapters.movement.slot import slot_of
from rules.components import Faction, board
from rules.components.board import TERRITORIES, Area, TerritoryId
from rules.decisions.catalogue import rules_of
from rules.decisions.departures import tokens_gone
from rules.orders import Move, NoMove, Order, Ship
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment

SECOND_LEAVES = Option("allies_found_together", {"may_stay": False, "second_mover_leaves_or_loses": True})


# --- Found together --------------------------------------------------------------------------------------------------


def find(game: Game, slot: SlotMoment) -> None:
    """Note where allies of an earlier turn are together as the round begins."""
    if not SECOND_LEAVES(game.rules):
        return
    for faction in game.order_of_play():
        for territory in _territories(game, faction):
            if _with_old_ally(game, faction, territory) and entering.beside_ally(game, faction, territory):
                slot.with_ally.setdefault(territory, []).append(faction)


def _with_old_ally(game: Game, faction: Faction, territory: TerritoryId) -> bool:
    allies = [ally for ally in game.state.ally_group(faction) if ally != faction]
    old = [group for group in game.state.old_alliances if faction in group]
    there = game.state.forces_in(territory)
    return any(ally in there and any(ally in group for group in old) for ally in allies)


def part(game: Game, slot: SlotMoment, mover: Faction) -> None:
    """At the end of the mover's slot: tokens that had to leave an ally's territory and are still there are lost."""
    if not slot.with_ally and landed_beside(game, slot, mover) is None:
        return
    for territory in _territories(game, mover):
        ally = _ally_to_be_left(game, slot, mover, territory)
        if ally is not None:
            dead = game.kill_in(territory, mover)
            game.tell("lost-beside-ally", faction=mover, ally=ally, forces=str(dead), territory=territory)
            tokens_gone(game)


def _ally_to_be_left(game: Game, slot: SlotMoment, mover: Faction, territory: TerritoryId) -> Faction | None:
    """The ally beside whom the mover's tokens may not stay in the territory; None where they may."""
    there = game.state.forces_in(territory)
    allies = [ally for ally in game.state.ally_group(mover) if ally != mover and ally in there]
    if landed_beside(game, slot, mover) == territory:
        return allies[0]
    met = slot.with_ally.get(territory, ())
    second = [ally for ally in allies if mover in met and ally in met and ally in slot.done]
    return second[0] if second and entering.beside_ally(game, mover, territory) else None


def _territories(game: Game, faction: Faction) -> list[TerritoryId]:
    return list(dict.fromkeys(board.territory_of(area) for area, _ in game.state.areas_of(faction)))


# --- Shipped there on the way ----------------------------------------------------------------------------------------


def lands_on_its_way(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    """Why the shipment may not go where it goes because of those who stand there: an ally's territory serves as a stop
    on the way, if there is a way on."""
    if order.target is None:
        return None
    territory = board.territory_of(order.target)
    refusal = entering.barred(game, mover, territory, where_full="shipment.full-stronghold")
    if refusal is None or not entering.PASSES_ALLIES(game.rules) or entering.full(game, mover, territory):
        return refusal
    here_already = mover in game.state.forces_in(territory)
    far = rules_of(game, mover).walks(order.forces)
    return refusal if here_already or not any(_areas_beyond(game, mover, order.target, far)) else None


def landed_beside(game: Game, slot: SlotMoment, mover: Faction) -> TerritoryId | None:
    """The ally's territory in which the mover's shipment has landed, and which its tokens have to leave."""
    order = slot.shipment
    if order is None or slot.stopped or order.target is None:
        return None
    if not entering.PASSES_ALLIES(game.rules):
        return None
    territory = board.territory_of(order.target)
    return territory if entering.beside_ally(game, mover, territory) else None


def stays(game: Game, mover: Faction, order: Order, earlier: list[Move]) -> Refusal | None:
    """Why this order, after the moves sent along with it, is refused: it would leave tokens in an ally's territory that
    have to go on. None where it would not."""
    slot = slot_of(game)
    if (territory := landed_beside(game, slot, mover)) is None:
        return None
    left = {area: game.here(area, mover) for area in TERRITORIES[territory].areas}
    for one in (*earlier, order) if isinstance(order, Move) else earlier:
        if one.source in left and left[one.source].covers(one.forces):
            left[one.source] -= one.forces
        if one.target in left:
            left[one.target] += one.forces
    if not any(left.values()) or not any(moves_on(game, slot, mover)):
        return None
    why = f"Your ally stands in {TERRITORIES[territory].name}: move all tokens that you shipped there on."
    return Refusal(why, "movement.where-an-ally-stands")


def moves_on(game: Game, slot: SlotMoment, mover: Faction) -> Iterator[Move]:
    """The moves by which tokens shipped to an ally's territory go on, the shortest first."""
    territory = landed_beside(game, slot, mover)
    for area in TERRITORIES[territory].areas if territory else ():
        forces = game.here(area, mover)
        far = ornithopters.reach_from(game, slot, mover, area, forces)
        for goal in _areas_beyond(game, mover, area, far) if forces else ():
            yield Move(forces, area, goal)


def default(game: Game, mover: Faction) -> Order:
    """What somebody does who says nothing: no move, unless tokens have to go on."""
    return next(moves_on(game, slot_of(game), mover), NoMove())


def _areas_beyond(game: Game, mover: Faction, area: Area, far: int) -> Iterator[Area]:
    """Where tokens that go so far may stop, outside the territory of this area and where no ally bars them; the nearest
    first."""
    distances = board.distances(area, game.state.storm, far, entering.closed(game, mover), game.state.door)
    here = board.territory_of(area)
    for goal in sorted(distances, key=lambda goal: (distances[goal], goal)):
        territory = board.territory_of(goal)
        if territory != here and entering.barred(game, mover, territory) is None:
            yield goal


OPTIONS = (SECOND_LEAVES,)
