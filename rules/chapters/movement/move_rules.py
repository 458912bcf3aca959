"""Which moves are legal (AH.IX.C.2, AH.AID.TIMED.3, WBC.IX.12 to 17, WBC.IX.23).

A group is what stands in one sector. It goes as far as its faction goes, three territories with ornithopters; not out
of, into or through the storm, nor where those who stand there close the way. ``impossible`` is what no change until the
end of the round can make right.
"""

from __future__ import annotations

from rules.chapters.movement import allies_together, entering, ornithopters
from rules.chapters.movement.ornithopters import BY_ORNITHOPTER
from rules.chapters.movement.slot import all_tokens, slot_of
from rules.components import Card, Faction, board
from rules.components.board import Area
from rules.decisions.catalogue import rules_of
from rules.decisions.under_storm import in_storm
from rules.orders import Hajr, Move, Order
from rules.rulesets.refusal import Refusal
from rules.state.game import Game

HAJR = Card("Hajr")


# --- What is legal now -----------------------------------------------------------------------------------------------


def refusal(game: Game, mover: Faction, order: Order) -> Refusal | None:
    """Why this move is not legal now, or None."""
    if isinstance(order, Hajr):
        return no_hajr(game, mover) or _refuse_move(game, mover, order.move, _sent_along(game, mover, order))
    earlier = _sent_along(game, mover, order)
    refusal = _refuse_move(game, mover, order, earlier) if isinstance(order, Move) else None
    return refusal or _needed(game, mover, order) or allies_together.stays(game, mover, order, earlier)


def _needed(game: Game, mover: Faction, order: Order) -> Refusal | None:
    """Whether another order would take the place of the move from which a Hajr of the same answer goes on."""
    filed = game.filed.get((mover, "movement", ""), ())
    move = next((one for one in reversed(filed) if isinstance(one, Move)), None)
    if move is None or order in filed:
        return None
    hajrs = [one.move for one in filed if isinstance(one, Hajr)]
    if any(one.source == move.target and not game.here(one.source, mover).covers(one.forces) for one in hajrs):
        why = f"You make one move a turn, and your Hajr goes on from your move to {_name(move.target)}."
        return Refusal(why, "movement.one-a-turn")
    return None


def no_hajr(game: Game, mover: Faction) -> Refusal | None:
    """Whether the mover has no Hajr to play."""
    return None if game.holds(mover, HAJR) else Refusal("You hold no Hajr.", "movement.hajr")


def _sent_along(game: Game, mover: Faction, order: Order) -> list[Move]:
    """The moves of the same answer that will be carried out before this one; of several ordinary ones the last."""
    filed = game.filed.get((mover, "movement", ""), ())
    earlier = filed[: filed.index(order)] if order in filed else filed
    ordinary = [one for one in earlier if isinstance(one, Move)]
    kept = ordinary[-1] if ordinary and isinstance(order, Hajr) else None
    return [one.move if isinstance(one, Hajr) else one for one in earlier if isinstance(one, Hajr) or one is kept]


def _refuse_move(game: Game, mover: Faction, move: Move, earlier: list[Move]) -> Refusal | None:
    return (
        _impossible(game, mover, move)
        or _refuse_group(game, mover, move, earlier)
        or _barred(game, mover, move)
        or _refuse_way(game, mover, move, _reach(game, mover, move, earlier))
    )


def _reach(game: Game, mover: Faction, move: Move, earlier: list[Move]) -> int:
    """How many territories the group goes, after the moves sent along."""
    slot = slot_of(game)
    flown = bool(earlier) and ornithopters.brought_by(game, mover, [one.target for one in earlier])
    return ornithopters.reach_from(game, slot, mover, move.source, move.forces, flown=flown, next_move=not earlier)


def _refuse_group(game: Game, mover: Faction, move: Move, earlier: list[Move]) -> Refusal | None:
    """Whether the tokens stand in that sector, or will after the moves sent along."""
    here = game.here(move.source, mover)
    for one in earlier:
        if one.target == move.source:
            here += one.forces
        if one.source == move.source and here.covers(one.forces):
            here -= one.forces
    if here.covers(move.forces):
        return None
    return Refusal(f"You have {here} in {_name(move.source)}, not {move.forces}.", "movement.group-of-one-sector")


def _barred(game: Game, mover: Faction, move: Move) -> Refusal | None:
    """Why those who stand there close the territory; who only changes the sector does not enter it."""
    target = board.territory_of(move.target)
    return None if target == board.territory_of(move.source) else entering.barred(game, mover, target)


def _refuse_way(game: Game, mover: Faction, move: Move, far: int) -> Refusal | None:
    closed = entering.closed(game, mover)
    if (
        far == 1
        and not move.via
        and board.distances(move.source, game.state.storm, 1, closed, game.state.door).get(move.target) is not None
    ):
        return None
    length = board.route_length(move.source, move.target, move.via, game.state.storm, closed, game.state.door)
    if length is not None and length <= far:
        return None
    barred = next((entering.barred(game, mover, place) for place in move.via if place in closed), None)
    return _too_far(game, mover, move, length, far, closed, barred)


def _too_far(
    game: Game,
    mover: Faction,
    move: Move,
    length: int | None,
    far: int,
    closed: frozenset[board.TerritoryId] = frozenset(),
    barred: Refusal | None = None,
) -> Refusal:
    """What is in the way: those who stand there, the storm, or the distance."""
    way = f"from {_name(move.source)} to {_name(move.target)}"
    if move.via:
        way += " that way"
    territories = f"{far} territor{'y' if far == 1 else 'ies'}"
    if length is None and barred:
        return Refusal(f"There is no open way {way}: {barred.reason}", barred.topic)
    without_storm = board.route_length(move.source, move.target, move.via, closed=closed, door=game.state.door)
    if without_storm is not None and without_storm <= far:
        round_it = f"; the way round it is {length} long, and this group goes at most {territories}" if length else ""
        return Refusal(f"The storm is in the way {way}{round_it}.", "movement.storm")
    if length is None:
        return Refusal(f"There is no open way {way}.", "movement.way")
    if far == 1:
        topic = "movement.one-territory"
    else:
        topic = "movement.by-ornithopter" if far == BY_ORNITHOPTER else rules_of(game, mover).far_walk_topic
    return Refusal(f"It is {length} territories {way}; this group goes at most {territories}.", topic)


# --- What can be legal in this round ---------------------------------------------------------------------------------


def refusal_ahead(game: Game, mover: Faction, move: Move) -> Refusal | None:
    """Why this move cannot be legal any more in this round: the rules never allow it, or there are not so many
    tokens."""
    if why := _impossible(game, mover, move):
        return why
    there = all_tokens(game, mover)
    if there.covers(move.forces):
        return None
    return Refusal(f"You have {there.in_words}, not {move.forces}.", "movement.one-group")


def _impossible(game: Game, mover: Faction, move: Move) -> Refusal | None:
    """Why this move can never be legal in this round, wherever the tokens will stand."""
    if not move.forces:
        return Refusal("A move needs at least one token.", "movement.one-group")
    if move.source == move.target:
        return Refusal(f"The group stands in {_name(move.target)} already.", "movement.one-group")
    storm = game.state.storm
    if in_storm(game, move.source):
        topic = rules_of(game, mover).out_of_storm_topic
        return Refusal(f"{_name(move.source)} is under the storm; nothing moves out of it.", topic)
    if in_storm(game, move.target):
        return Refusal(f"{_name(move.target)} is under the storm; nothing moves into it.", "movement.storm")
    length = board.route_length(move.source, move.target, move.via, storm, door=game.state.door)
    if length is None or length > BY_ORNITHOPTER:
        return _too_far(game, mover, move, length, BY_ORNITHOPTER)
    return None


def _name(area: Area) -> str:
    return board.area_name(area)
