"""Token movement: one group goes from its territory to another (AH.IX.C.2, AH.AID.TIMED.3, WBC.IX.12 to 17, WBC.IX.23).

A group is what stands in one sector. It goes one territory, the Fremen's two, and three with ornithopters; not out of,
into or through the storm, nor where those who stand there close the way (``coexistence``). A Hajr gives its player one
more such move, before or after the ordinary one; nobody waits for it, so it is sent with the move.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from rules.chapters.movement import coexistence, shipment
from rules.components import FACTION_FACTS, Card, Faction, Forces, board
from rules.components.board import STRONGHOLDS, Area, TerritoryId
from rules.decisions.asking import ask
from rules.decisions.closures import Asked
from rules.decisions.question import Flow, Question, Stop
from rules.orders import Hajr, Move, NoMove, Order
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment

HAJR = Card("Hajr")
CITIES = (TerritoryId("arrakeen"), TerritoryId("carthag"))
BY_ORNITHOPTER = 3


def token_movement(game: Game, slot: SlotMoment, mover: Faction) -> Flow:
    """The mover's one move, and one more for a Hajr."""
    slot.stage = "movement"
    while not slot.moved and _anything_to_decide(game, mover):
        orders = yield from _declare(game, mover)
        slot.declared = True
        if shipment.owed(slot):
            yield from shipment.pay_by_karama(game, slot, mover)
        for order in orders:
            if (slot.moved and not isinstance(order, Hajr)) or check(game, mover, order):
                break
            yield from _carry_out(game, slot, mover, order)
    if shipment.owed(slot):
        yield from shipment.pay_by_karama(game, slot, mover)
    slot.moved = True
    yield from held_hajr(game, mover)


def held_hajr(game: Game, mover: Faction) -> Flow:
    """Play the Hajr of a move that was sent along and has become possible since."""
    for order in list(game.held.get(mover, ())):
        if isinstance(order, Hajr) and check(game, mover, order) is None:
            game.held[mover].remove(order)
            yield from _extra_move(game, mover, order)


def late_hajr(game: Game, slot: SlotMoment) -> Flow:
    """Play the Hajr that the player before has sent since his slot ended: his move still, by his ornithopters."""
    if slot.before is not None:
        slot.late = slot.before
        yield from held_hajr(game, slot.before)
        slot.before = slot.late = None


def ornithopters(game: Game, mover: Faction) -> bool:
    """Whether the mover's groups go by ornithopter, asked when his slot begins (AH.IX.C.2.a.1, WBC.IX.13)."""
    if game.rules.ornithopter_check == "end_of_storm":
        return mover in game.state.ornithopters
    return any(mover in game.state.forces_in(city) and not coexistence.absent(game, mover, city) for city in CITIES)


def reach(slot: SlotMoment, mover: Faction) -> int:
    """How many territories a group of the mover goes."""
    return max(FACTION_FACTS[mover].move_distance, BY_ORNITHOPTER if mover in slot.flying else 0)


def _anything_to_decide(game: Game, mover: Faction) -> bool:
    """Whether he has a token on Dune; the Fremen may call a worm before they move, so they are always asked."""
    return bool(game.state.areas_of(mover)) or (mover == "fremen" and game.rules.karama_special == "on")


def _declare(game: Game, mover: Faction) -> Generator[Stop, None, list[Order]]:
    """The orders of the answer in the order to carry them out: at most one ordinary move."""
    answers = yield from ask(lambda: [_question(game, mover)])
    game.filed.pop((mover, "movement", ""), None)
    given = answers.all_of(mover)
    last = next((order for order in reversed(given) if not isinstance(order, Hajr)), None)
    return [order for order in given if isinstance(order, Hajr) or order is last]


def _carry_out(game: Game, slot: SlotMoment, mover: Faction, order: Order) -> Flow:
    match order:
        case Hajr():
            yield from _extra_move(game, mover, order)
        case Move():
            slot.moved = True
            yield from _go(game, mover, order, hajr=False)
        case _:
            slot.moved = True
            game.tell("no-move", faction=mover)


def _extra_move(game: Game, mover: Faction, order: Hajr) -> Flow:
    game.discard(mover, HAJR)
    yield from _go(game, mover, order.move, hajr=True)


def _go(game: Game, mover: Faction, move: Move, *, hajr: bool) -> Flow:
    game.shift(mover, move.forces, move.source, move.target)
    game.tell(
        "move",
        faction=mover,
        forces=str(move.forces),
        source=move.source,
        target=move.target,
        via=list(move.via),
        hajr=hajr,
    )
    yield from coexistence.meetings(game)


def _question(game: Game, mover: Faction) -> Question:
    slot = game.moments.slot
    return Asked(
        mover,
        "movement",
        NoMove(),
        lambda order: check(game, mover, order),
        lambda: choices(game, mover),
        about={
            "reach": reach(slot, mover) if slot else 1,
            "groups": {area: str(forces) for area, forces in game.state.areas_of(mover)},
            "hajr": game.holds(mover, HAJR),
        },
        many=True,
    )


# --- What is legal ---------------------------------------------------------------------------------------------------


def check(game: Game, mover: Faction, order: Order) -> Refusal | None:
    """Why this move is not legal now, or None."""
    if isinstance(order, Hajr):
        if not game.holds(mover, HAJR):
            return Refusal("You hold no Hajr.", "AH.AID.TIMED.3-a")
        return _check_move(game, mover, order.move, _sent_along(game, mover, order))
    if isinstance(order, Move):
        return _check_move(game, mover, order, _sent_along(game, mover, order))
    return None


def _sent_along(game: Game, mover: Faction, order: Order) -> list[Move]:
    """The moves of the same answer that will be carried out before this one; of several ordinary ones the last."""
    filed = game.filed.get((mover, "movement", ""), ())
    earlier = filed[: filed.index(order)] if order in filed else filed
    ordinary = [one for one in earlier if isinstance(one, Move)]
    kept = ordinary[-1] if ordinary and isinstance(order, Hajr) else None
    return [one.move if isinstance(one, Hajr) else one for one in earlier if isinstance(one, Hajr) or one is kept]


def _check_move(game: Game, mover: Faction, move: Move, earlier: list[Move]) -> Refusal | None:
    slot = game.moments.slot
    far = reach(slot, mover) if slot else BY_ORNITHOPTER
    return (
        impossible(game, mover, move)
        or _check_group(game, mover, move, earlier)
        or _barred(game, mover, move)
        or _check_way(game, mover, move, far)
    )


def _barred(game: Game, mover: Faction, move: Move) -> Refusal | None:
    """Why those who stand there close the territory; who only changes the sector does not enter it."""
    target = board.territory_of(move.target)
    return None if target == board.territory_of(move.source) else coexistence.barred(game, mover, target)


def impossible(game: Game, mover: Faction, move: Move) -> Refusal | None:
    """Why this move can never be legal in this round, wherever the tokens will stand."""
    if not move.forces:
        return Refusal("A move needs at least one token.", "AH.IX.C.2.a-a")
    if move.source == move.target:
        return Refusal(f"The group stands in {_name(move.target)} already.", "AH.IX.C.2.a-a")
    storm = game.state.storm
    if board.sector_of(move.source) == storm:
        clause = "WBC.IX.23" if mover == "fremen" else "AH.IX.C.2.c-b"
        return Refusal(f"{_name(move.source)} is under the storm; nothing moves out of it.", clause)
    if board.sector_of(move.target) == storm:
        return Refusal(f"{_name(move.target)} is under the storm; nothing moves into it.", "AH.IX.C.2.c-b")
    most = max(BY_ORNITHOPTER, FACTION_FACTS[mover].move_distance)
    length = board.route_length(move.source, move.target, move.via, storm)
    if length is None or length > most:
        return _too_far(move, length, most)
    return None


def _check_group(game: Game, mover: Faction, move: Move, earlier: list[Move]) -> Refusal | None:
    """Whether the tokens stand in that sector, or will after the moves sent along."""
    here = game.here(move.source, mover)
    for one in earlier:
        if one.target == move.source:
            here += one.forces
        if one.source == move.source and here.covers(one.forces):
            here -= one.forces
    if here.covers(move.forces):
        return None
    return Refusal(f"You have {here} in {_name(move.source)}, not {move.forces}.", "AH.QA.B.1-a")


def _check_way(game: Game, mover: Faction, move: Move, far: int) -> Refusal | None:
    closed = coexistence.closed(game, mover)
    if (
        far == 1
        and not move.via
        and board.distances(move.source, game.state.storm, 1, closed).get(move.target) is not None
    ):
        return None
    length = board.route_length(move.source, move.target, move.via, game.state.storm, closed)
    return None if length is not None and length <= far else _too_far(move, length, far)


def _too_far(move: Move, length: int | None, far: int) -> Refusal:
    way = f"from {_name(move.source)} to {_name(move.target)}"
    if move.via:
        way += " that way"
    territories = f"{far} territor{'y' if far == 1 else 'ies'}"
    if length is None:
        return Refusal(f"There is no open way {way}.", "AH.IX.C.2.c-c")
    clause = "AH.IX.C.2.a.1-b" if far == BY_ORNITHOPTER else "AH.SHIELD.FRE.1" if far > 1 else "AH.IX.C.2.a.2"
    return Refusal(f"It is {length} territories {way}; this group goes at most {territories}.", clause)


def _name(area: Area) -> str:
    return board.area_name(area)


# --- What might be a good idea ---------------------------------------------------------------------------------------


def choices(game: Game, mover: Faction) -> list[Order]:
    """No move, and some that are legal: each group to strongholds, spice and neighbours in its reach; a Hajr first."""
    slot = game.moments.slot
    if slot is None:
        return [NoMove()]
    closed, far = coexistence.closed(game, mover), reach(slot, mover)
    moves = [
        move
        for area, forces in sorted(game.state.areas_of(mover), key=lambda group: -group[1].total)[:5]
        if board.sector_of(area) != game.state.storm
        for move in _moves(game, area, forces, board.distances(area, game.state.storm, far, closed))
    ]
    found: list[Order] = [NoMove(), *moves]
    if moves and game.holds(mover, HAJR):
        found += [Hajr(moves[0]), Hajr(moves[-1])]
    return found


def _moves(game: Game, area: Area, forces: Forces, reachable: dict[Area, int]) -> Iterator[Move]:
    """The whole group where it is worth going, half of it too, and the first and last of the other places."""
    others: list[Area] = []
    for target in reachable:
        if target == area:
            continue
        if board.territory_of(target) in STRONGHOLDS or target in game.state.spice:
            yield Move(forces, area, target)
            if forces.total > 3:
                yield Move(Forces(forces.ordinary // 2 or 1, 0) if forces.ordinary else Forces(0, 1), area, target)
        else:
            others.append(target)
    for target in dict.fromkeys(others[:1] + others[-1:]):
        yield Move(forces, area, target)
