"""Shipments, moves and rides: where the seat's tokens go.

Each possible order is judged by the worth of the board after it. A shipment is judged together with the best move that
could follow it, because tokens are often shipped to a place next to their goal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rules.components import FREMEN_LANDING, Faction, Forces
from rules.components.board import POLAR_SINK, TERRITORIES, Area, TerritoryId, distances, sector_of, territory_of
from rules.orders import Advise, Hajr, Move, NoAdvisor, NoMove, NoRide, NoShipment, Order, PlaceWorm, Ride, Ship
from rules.players.seat import Asked, Seat, parsed
from rules.players.worth import Groups, Worth

Tokens = Mapping[Area, Forces]
Scored = list[tuple[float, Order]]


def ranked(seat: Seat, scored: Scored) -> list[Order]:
    """Return the orders, the best first. Orders of equal worth are shuffled, so that no place on the board is preferred
    only because it is listed first."""
    shuffled = list(scored)
    seat.chance.shuffle("ties", shuffled)
    shuffled.sort(key=lambda one: -round(one[0], 4))
    return [order for _, order in shuffled]


class March:
    """The board from one seat's point of view, used to compute its worth after moves of that seat's own tokens."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.worth = Worth(seat)
        self.tokens: dict[Area, Forces] = dict(seat.own_areas)
        self._closed: dict[TerritoryId, bool] = {}

    def after(self, changes: Sequence[tuple[Area | None, Forces, bool]], cost: int = 0) -> float:
        """Return the worth of the board after these changes. Each change consists of an area (None means the reserves),
        the tokens, and whether they arrive there (True) or leave. ``cost`` is the spice that the changes cost."""
        seat = self.seat
        tokens, groups = dict(self.tokens), dict(seat.groups)
        reserves = seat.reserves[seat.me]
        for area, forces, comes in changes:
            if area is None:
                reserves += forces.total if comes else -forces.total
                continue
            had = tokens.get(area, NONE)
            tokens[area] = had + forces if comes else had - forces
            place = territory_of(area)
            if place in seat.apart and seat.me == seat.stands_apart:
                continue
            here = dict(groups.get(place, {}))
            mine = here.get(seat.me, NONE)
            here[seat.me] = mine + forces if comes else mine - forces
            groups[place] = {faction: one for faction, one in here.items() if one}
        left = {area: one for area, one in tokens.items() if one}
        return self.worth.of(groups, left, seat.spice - cost, reserves)

    def closed(self, place: TerritoryId) -> bool:
        """Return whether the seat's tokens are barred from a territory, because an ally is there or because it is a
        stronghold that two other players hold."""
        if place not in self._closed:
            self._closed[place] = self._is_closed(place)
        return self._closed[place]

    def _is_closed(self, place: TerritoryId) -> bool:
        seat = self.seat
        if place == "polar-sink":
            return False
        here = [faction for faction in seat.groups.get(place, {}) if faction != seat.me]
        if any(faction in seat.allies for faction in here):
            return True
        return TERRITORIES[place].kind == "stronghold" and len(here) >= 2 and seat.me not in seat.groups.get(place, {})


NONE = Forces()


# --- shipments -------------------------------------------------------------------------------------------------------


def shipment(seat: Seat, asked: Asked) -> list[Order]:
    march = March(seat)
    stay = march.after([])
    best_move = _best_move_worth(march, {}, stay)
    scored: Scored = [(max(stay, best_move), NoShipment())]
    for order, cost in _shipments(seat, asked, march):
        value = march.after(_changes(order), cost)
        scored.append((value, order))
    return _with_moves(seat, march, scored, best_move, stay) if seat.weights["pairs"] else ranked(seat, scored)


def _with_moves(seat: Seat, march: March, scored: Scored, best_move: float, stay: float) -> list[Order]:
    gain = max(0.0, best_move - stay)
    again: Scored = []
    for place, (value, order) in enumerate(sorted(scored, key=lambda one: (-one[0], str(one[1])))):
        if isinstance(order, NoShipment):
            again.append((value, order))
        elif place < seat.weights["pairs"]:
            cost = _price(order, seat) if isinstance(order, Ship) else 0
            again.append((max(value, _best_move_after(march, order, cost)), order))
        else:
            again.append((value + 0.5 * gain, order))
    return ranked(seat, again)


def _changes(order: Order) -> list[tuple[Area | None, Forces, bool]]:
    if not isinstance(order, Ship):
        return []
    return [(order.source, order.forces, False), (order.target, order.forces, True)]


def _price(order: Ship, seat: Seat) -> int:
    if seat.me == "fremen" and order.source is None:
        return 0
    tokens = order.forces.total
    full = (
        tokens if order.target is None or TERRITORIES[territory_of(order.target)].kind == "stronghold" else 2 * tokens
    )
    return (full + 1) // 2 if "guild" in seat.sides[seat.me] else full


def _shipments(seat: Seat, asked: Asked, march: March) -> Iterator[tuple[Ship, int]]:
    spice = int(asked.facts["spice"])
    reserves = parsed(asked.facts["reserves"])
    if reserves:
        for target in _landings(seat, march):
            for forces in _sizes(reserves):
                order = Ship(forces, None, target)
                cost = _price(order, seat)
                if cost <= spice:
                    yield order, cost
    if asked.facts.get("returns"):
        for source, forces in seat.own_areas:
            for target in _landings(seat, march):
                if territory_of(target) == territory_of(source):
                    continue
                for part in _parts(forces):
                    order = Ship(part, source, target)
                    cost = _price(order, seat)
                    if cost <= spice:
                        yield order, cost


def _landings(seat: Seat, march: March) -> Iterator[Area]:
    for place in seat.strongholds:
        for area in TERRITORIES[place].areas:
            if sector_of(area) != seat.storm and not march.closed(place) and _may_land(seat, place):
                yield area
    for area, amount in seat.spice_on_board.items():
        place = territory_of(area)
        worth_it = amount >= seat.weights["sand"] and sector_of(area) != seat.storm
        if worth_it and _may_land(seat, place) and not march.closed(place):
            yield area
    if seat.me == "fremen":
        yield POLAR_SINK


def _may_land(seat: Seat, place: TerritoryId) -> bool:
    return seat.me != "fremen" or "guild" in seat.sides[seat.me] or place in FREMEN_LANDING


def _sizes(reserves: Forces) -> Iterator[Forces]:
    total = reserves.total
    for number in sorted({1, 2, 3, 4, 5, 6, 8, 10, 12, total}):
        if number > total:
            continue
        if number <= reserves.ordinary:
            yield Forces(number)
        if reserves.elite and number >= 2:
            elite = min(reserves.elite, number)
            if number - elite <= reserves.ordinary:
                yield Forces(number - elite, elite)
        elif number > reserves.ordinary:
            yield Forces(reserves.ordinary, number - reserves.ordinary)


def _parts(forces: Forces) -> Iterator[Forces]:
    yield forces
    for stays in (1, 2, 3, 4, 6):
        if stays < forces.ordinary:
            yield Forces(forces.ordinary - stays, forces.elite)
    if forces.total > 7 and forces.ordinary // 2:
        yield Forces(forces.ordinary // 2, forces.elite // 2)


# --- moves -----------------------------------------------------------------------------------------------------------


def _reach(seat: Seat) -> int:
    if seat.me in seat.view["ornithopters"]:
        return 3
    return 2 if seat.me == "fremen" else 1


def _moves(seat: Seat, march: March, reach: int, tokens: Tokens) -> Iterator[Move]:
    for source, forces in sorted(tokens.items()):
        if not forces or sector_of(source) == seat.storm:
            continue
        parts = list(_parts(forces))
        for target in sorted(distances(source, seat.storm, reach)):
            if target == source or march.closed(territory_of(target)) or not _worth_going(seat, target, source):
                continue
            for part in parts:
                yield Move(part, source, target)


def _worth_going(seat: Seat, target: Area, source: Area) -> bool:
    place = territory_of(target)
    if place in seat.strongholds or target in seat.spice_on_board or place == "polar-sink":
        return True
    if seat.storm_risk(source) > 0 and seat.storm_risk(target) == 0:
        return True
    return TERRITORIES[place].kind == "rock" and seat.storm_risk(source) == 0 and place not in seat.groups


def _move_changes(order: Move) -> list[tuple[Area | None, Forces, bool]]:
    return [(order.source, order.forces, False), (order.target, order.forces, True)]


def _best_move_worth(march: March, extra: Tokens, stay: float) -> float:
    seat = march.seat
    best = stay
    for order in _moves(seat, march, _reach(seat), march.tokens):
        if territory_of(order.target) in seat.strongholds or order.target in seat.spice_on_board:
            best = max(best, march.after(_move_changes(order)))
    return best


def _best_move_after(march: March, order: Order, cost: int) -> float:
    seat = march.seat
    if not isinstance(order, Ship):
        return march.after([])
    shipped = _changes(order)
    tokens = dict(march.tokens)
    if order.target is not None:
        tokens[order.target] = tokens.get(order.target, NONE) + order.forces
    if order.source is not None:
        tokens[order.source] = tokens[order.source] - order.forces
    best = march.after(shipped, cost)
    for move in _moves(seat, march, _reach(seat), tokens):
        if territory_of(move.target) in seat.strongholds or move.target in seat.spice_on_board:
            best = max(best, march.after([*shipped, *_move_changes(move)], cost))
    return best


def movement(seat: Seat, asked: Asked) -> list[Order]:
    march = March(seat)
    scored: Scored = [(march.after([]) + seat.weights["calm"], asked.default)]
    tokens = {area: parsed(text) for area, text in asked.facts["groups"].items()}
    for order in _moves(seat, march, int(asked.facts["reach"]), tokens):
        scored.append((march.after(_move_changes(order)), order))
    found = ranked(seat, scored)
    return found if asked.facts.get("leave") is None else [one for one in found if not isinstance(one, NoMove)]


def second_move(seat: Seat, asked: Asked, first: Order) -> list[Hajr]:
    """Return the best additional move by Hajr after the first move. Return an empty list if no such move gains enough
    to be worth the card."""
    if not asked.facts.get("hajr"):
        return []
    march = March(seat)
    tokens = {area: parsed(text) for area, text in asked.facts["groups"].items()}
    moved = _move_changes(first) if isinstance(first, Move) else []
    for area, forces, comes in moved:
        if area is not None:
            had = tokens.get(area, NONE)
            tokens[area] = had + forces if comes else had - forces
    least = march.after(moved) + CARD_FOR_A_MOVE
    moves = list(_moves(seat, march, int(asked.facts["reach"]), tokens))
    scored: Scored = [(march.after([*moved, *_move_changes(order)]), Hajr(order)) for order in moves]
    found = ranked(seat, [one for one in scored if one[0] >= least])
    return [order for order in found if isinstance(order, Hajr)][:1]


CARD_FOR_A_MOVE = 5.0
"""The minimum gain that justifies a second move, nearly the worth of a stronghold."""


# --- worms and companions --------------------------------------------------------------------------------------------


def worm_placement(seat: Seat, asked: Asked) -> list[Order]:
    scored: Scored = []
    for order in asked.samples():
        if isinstance(order, PlaceWorm):
            scored.append((_eaten(seat, order.territory), order))
    for place in sorted({territory_of(area) for area in seat.areas}):
        if TERRITORIES[place].kind == "sand":
            scored.append((_eaten(seat, place), PlaceWorm(place)))
    return ranked(seat, scored)


def _eaten(seat: Seat, place: TerritoryId) -> float:
    lost = sum(
        (-1.0 if seat.friends(faction) else 1.0) * forces.total
        for area, here in seat.areas.items()
        if territory_of(area) == place and TERRITORIES[place].kind == "sand"
        for faction, forces in here.items()
        if faction != "fremen"
    )
    return lost - 0.1 * sum(amount for area, amount in seat.spice_on_board.items() if territory_of(area) == place)


def worm_ride(seat: Seat, asked: Asked) -> list[Order]:
    march = March(seat)
    scored: Scored = [(march.after([]) + seat.weights["calm"], NoRide())]
    for text, source in asked.facts["forces"]:
        forces = parsed(text)
        goals = [area for place in seat.strongholds for area in TERRITORIES[place].areas]
        for target in dict.fromkeys((*goals, *seat.spice_on_board)):
            if target == source or sector_of(target) == seat.storm or march.closed(territory_of(target)):
                continue
            for part in _parts(forces):
                changes = [(source, part, False), (target, part, True)]
                scored.append((march.after(changes), Ride(part, source, target)))
    return ranked(seat, scored)


def advisor(seat: Seat, asked: Asked) -> list[Order]:
    places: Sequence[Area] = [Area(place) for place in asked.facts["places"]]
    scored: Scored = [(0.0, NoAdvisor())]
    for area in places:
        here = seat.areas.get(area, {}).get(seat.me, NONE).total
        if area == POLAR_SINK:
            scored.append((1.0 if here < 6 else -1.0, Advise(area)))
        else:
            scored.append((2.0 - 0.4 * here, Advise(area)))
    return ranked(seat, scored)


def fights_here(seat: Seat, place: TerritoryId, others: Sequence[Faction]) -> float:
    """Return the seat's advantage from fighting for a place over standing apart from the factions that hold it."""
    worth = Worth(seat)
    groups: Groups = seat.groups
    mine = NONE
    for area, forces in seat.own_areas:
        if territory_of(area) == place:
            mine += forces
    here: dict[Faction, Forces] = {faction: one for faction, one in groups.get(place, {}).items() if faction != seat.me}
    reserves = seat.reserves[seat.me]
    tokens = dict(seat.own_areas)
    apart = worth.of({**groups, place: here}, {}, seat.spice, reserves)
    fight = worth.of({**groups, place: {**here, seat.me: mine}}, {}, seat.spice, reserves)
    risked = seat.weights["token"] * mine.total
    chance = worth.against_each_other({**here, seat.me: mine}, seat.spice).get(worth.mine, 0.0)
    return fight - apart - risked * (1 - chance) if tokens else -1.0
