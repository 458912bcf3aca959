"""The layout of the board's picture, found by a small search that always gives the same result.

A *piece* is everything in one area, with the area's name. It is placed in its area; if there is no room, it is drawn as
a card elsewhere, with a line to the area. No piece covers another piece, a stronghold other than its own, or a printed
number.

The paper is divided into cells. A set of cells is stored as an integer with one bit for each cell, so boxes overlap if
`one & other` is not 0. The pieces are placed one by one, each in its cheapest free place. Pieces that got a bad place
go first in the next round, and the cheapest round wins ("squeaky wheel" optimization, Joslin and Clements 1999).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from heapq import nsmallest
from itertools import chain, pairwise
from types import MappingProxyType
from typing import NamedTuple

from bot.render.board import CENTRE, RIM, SIZE, Point, geometry, width_of
from rules.components.board import PRINTED_AREAS, STRONGHOLDS, TERRITORIES, Area, TerritoryId, territory_of

CELL = 8
ACROSS = SIZE // CELL
SHELF = 40  # rows of cells below the board
ROUNDS, MANY = 5, 45  # the number of rounds; with this many pieces or more there is only one
BADLY = 20.0  # a piece that costs this much more than it would alone goes first in the next round

OUTSIDE, ELSEWHERE = 0.1, 0.2  # for each cell of a body outside its area, and outside its territory
AWAY = 0.5  # for each cell between a body and the middle of its area
STRAY = 0.12  # for each cell of a name outside its territory
CODE, LED, FAR = 30.0, 60.0, 0.5  # a code for a name; a card, and each cell between it and its area
ON_BOARD, ON_SHELF = 10.0, 40.0  # a card on the board, and below it

NEAR = 44  # cells between an area and its card on the board
MOST_CARDS = 400  # places that are tried for a card before the space below everything else
SHORTEST, POINTER, TIGHT = 7, 14, 4  # cells of a card's line, and of the stronghold's; the cost of each missing cell
MIDDLE = (CENTRE[0] / CELL, CENTRE[1] / CELL)

Cells = int
TerritoryNames = tuple[TerritoryId, tuple["Name", ...]]
"""An empty territory, and the ways to write its name."""


class Name(NamedTuple):
    lines: tuple[str, ...]
    size: Point
    cost: float = 0.0  # of choosing it


NO_NAME = Name((), (0.0, 0.0))
LINE = 1.04  # height of a line of a name


@cache
def territory_names(territory: TerritoryId, size: float) -> tuple[Name, ...]:
    words = TERRITORIES[territory].name.split()
    broken = [(" ".join(words[:cut]), " ".join(words[cut:])) for cut in range(1, len(words))]
    in_two = sorted(broken, key=lambda lines: max(width_of(line, size) for line in lines))[:1]
    ways = [((TERRITORIES[territory].name,), 0.0), *((lines, 1.0) for lines in in_two)]
    return tuple(
        Name(lines, (max(width_of(line, size) for line in lines) + size * 0.2, size * LINE * len(lines)), cost)
        for lines, cost in [*ways, ((TERRITORIES[territory].abbreviation,), CODE)]
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece on the board. `bodies` are the sizes of the possible arrangements of its tokens; `names` are its possible
    labels, cheapest first. It is placed at its `home`, which is its own area or, for the mobile stronghold, the area to
    which the stronghold points. If it is drawn as a card, it has one of the `full` names."""

    area: Area
    home: Area
    bodies: tuple[Point, ...]
    names: tuple[Name, ...]
    full: tuple[Name, ...]


class Spot(NamedTuple):
    """The place of a piece: `at` is the middle of its tokens, and `name_at` the middle of its name. A card also has
    a box (left, top, width, height) and a line to a `dot`."""

    cost: float
    cells: Cells
    arrangement: int
    at: Point
    name: Name
    name_at: Point
    card: tuple[float, float, float, float] | None = None
    dot: Point = CENTRE


def place(
    pieces: Sequence[Piece],
    printed: Sequence[tuple[Point, Point]],
    names: Sequence[TerritoryNames] = (),
    before: Mapping[Piece, Spot] = MappingProxyType({}),
) -> tuple[dict[Area, Spot], list[tuple[Name, Point]]]:
    """Place each piece on the paper, outside the boxes (middle, size) that are already `printed`; then place all other
    names that still fit. Pieces that were placed `before`, on an earlier board, stay in place if all others find good
    places."""
    fixed = 0
    for at, size in printed:
        left, top = (int((middle - long / 2) / CELL) for middle, long in zip(at, size, strict=True))
        right, bottom = (math.ceil((middle + long / 2) / CELL) for middle, long in zip(at, size, strict=True))
        fixed |= _block(right - left, bottom - top, left, top)
    claimed = _union(piece.home for piece in pieces)
    stay = {piece: before[piece] for piece in pieces if piece in before and before[piece].cost < CODE}
    found = _placed([piece for piece in pieces if piece not in stay], fixed, claimed, stay) if stay else None
    spots, taken = found or _placed(pieces, fixed, claimed) or ({}, fixed)
    for piece in pieces:
        spot = spots[piece.area]
        spots[piece.area] = spot._replace(dot=_free_dot(piece.home, taken)) if spot.card else spot
    return {piece.area: spots[piece.area] for piece in pieces}, list(_written(names, taken | _strongholds()))


def _placed(
    pieces: Sequence[Piece], fixed: Cells, claimed: Cells, stay: Mapping[Piece, Spot] = MappingProxyType({})
) -> tuple[dict[Area, Spot], Cells] | None:
    # in some rounds; next to pieces that stay, in one round, or return None if a piece is placed badly
    alone = {piece.area: _cost_alone(piece, fixed) for piece in pieces}
    order = sorted(pieces, key=_urgency)
    best: tuple[float, dict[Area, Spot], Cells] = (math.inf, {}, fixed)
    for _ in range(ROUNDS if len(pieces) < MANY else 1):
        spots = {piece.area: spot for piece, spot in stay.items()}
        taken = fixed
        for spot in stay.values():
            taken |= spot.cells
        for piece in order:
            spots[piece.area] = spot = _cheapest(piece, taken, claimed)
            taken |= spot.cells
        best = min(best, (sum(spot.cost for spot in spots.values()), spots, taken), key=lambda each: each[0])
        badly = {piece.area for piece in order if spots[piece.area].cost - alone[piece.area] > BADLY}
        if not badly:
            break
        if stay:
            return None
        order.sort(key=lambda piece: piece.area not in badly)
    return best[1], best[2]


def _free_dot(area: Area, taken: Cells) -> Point:
    middle = geometry().middle(area)
    free = [((x + 0.5) * CELL, (y + 0.5) * CELL) for x, y in _each(_in_area(area) & ~taken)]
    return min(free, key=lambda dot: math.dist(dot, middle), default=middle)


def _written(names: Sequence[TerritoryNames], taken: Cells) -> Iterator[tuple[Name, Point]]:
    for territory, ways in names:
        if found := [spot for name in ways if (spot := _name_alone(territory, name, taken))]:
            _, cells, name, at = min(found)
            taken |= cells
            yield name, at


def _name_alone(territory: TerritoryId, name: Name, taken: Cells) -> tuple[float, Cells, Name, Point] | None:
    wide, high = _cells_of(name.size)
    for cost, _, left, top in _homes(TERRITORIES[territory].areas[0], ((wide, high),), whole=True):
        cells = _block(wide, high, left, top)
        if not cells & taken:
            return cost + name.cost, cells, name, ((left + wide / 2) * CELL, (top + high / 2) * CELL)
    return None


def _urgency(piece: Piece) -> tuple[bool, bool, int, str]:
    own = territory_of(piece.area)
    return piece.area == piece.home, own not in STRONGHOLDS, _in_area(piece.area).bit_count(), piece.area


@lru_cache(2048)
def _cost_alone(piece: Piece, fixed: Cells) -> float:
    return _cheapest(piece, fixed, _in_area(piece.home)).cost


def _cheapest(piece: Piece, taken: Cells, claimed: Cells) -> Spot:
    own = _in_area(piece.area) if territory_of(piece.area) in STRONGHOLDS else 0
    taken |= _strongholds() & ~own
    best = _at_home(piece, taken) if piece.area == piece.home else None
    if best is None or best.cost > LED:
        card = min(_as_cards(piece, taken | claimed), key=lambda spot: spot.cost)
        best = card if best is None or card.cost < best.cost else best
    return best


def _at_home(piece: Piece, taken: Cells) -> Spot | None:
    best: Spot | None = None
    least = LED + ON_BOARD
    land = _in_territory(territory_of(piece.area))
    sizes = tuple(_cells_of(body) for body in piece.bodies)
    kept = taken | _beyond_rim()
    for cost, arrangement, x, y in _homes(piece.area, sizes):
        if cost >= least:
            break
        wide, high = sizes[arrangement]
        body = _block(wide, high, x, y)
        if body & taken:
            continue
        for name in piece.names:
            long, tall = _cells_of(name.size)
            for aside, across, down in _sides(wide, high, long, tall):
                if cost + name.cost + aside >= least:
                    break
                left, top = x + across, y + down
                if left < 1 or top < 1 or left + long >= ACROSS:
                    continue
                cells = _box(long, tall) << (top * ACROSS + left)
                if cells & kept:
                    continue
                found = cost + name.cost + aside + STRAY * (cells & ~land).bit_count()
                if found < least:
                    least = found
                    at = ((x + wide / 2) * CELL, (y + high / 2) * CELL)
                    below = ((left + long / 2) * CELL, (top + tall / 2) * CELL)
                    best = Spot(found, body | cells, arrangement, at, name, below)
    return best


@cache
def _sides(wide: int, high: int, long: int, tall: int) -> list[tuple[float, int, int]]:
    # where a name can go next to a body: its cost there, and its offset from the body, in cells
    if not long:
        return [(0.0, 0, 0)]
    middle, right, level = (wide - long) // 2, wide - long, (high - tall) // 2
    straight = [(0.0, middle, high), (1.5, middle, -tall), (3.0, wide, level), (3.0, -long, level)]
    return [*straight, (3.5, 0, high), (3.5, right, high), (4.5, 0, -tall), (4.5, right, -tall)]


def _as_cards(piece: Piece, taken: Cells) -> Iterator[Spot]:
    for arrangement, (wide, high) in enumerate(piece.bodies):
        pad = float(CELL)
        full = min(piece.full, key=lambda name: max(wide, name.size[0]) * (high + name.size[1]))
        long, tall = full.size
        size = (max(wide, long) + 2 * pad, high + tall + 1.5 * pad)
        across, down = _cells_of(size)
        lowest = (2 * ON_SHELF + LED, 1, max(taken.bit_length() // ACROSS + 1, ACROSS))
        line = SHORTEST if piece.area == piece.home else POINTER
        for cost, x, y in chain(_cards(piece.home, across, down, line), [lowest]):
            cells = _block(across, down, x, y)
            if cells & taken:
                continue
            middle, top = (x + across / 2) * CELL, (y + down / 2) * CELL - size[1] / 2
            at, below = (middle, top + pad + high / 2), (middle, top + pad + high + tall / 2)
            yield Spot(cost, cells, arrangement, at, full, below, (middle - size[0] / 2, top, *size))
            break


# --- places to try, the cheapest first -----------------------------------------------------------------------------


@lru_cache(512)
def _homes(
    area: Area, sizes: tuple[tuple[int, int], ...], *, whole: bool = False
) -> tuple[tuple[float, int, int, int], ...]:
    # places with their middle in the area, or in the whole territory: cost, arrangement, left, top
    land = _in_territory(territory_of(area))
    inside = land if whole else _in_area(area)
    at = geometry().middle(area)
    u, v = int(at[0] / CELL), int(at[1] / CELL)
    middles = {(u, v), *((x, y) for x, y in _each(inside) if (x - u) % 2 == (y - v) % 2 == 0)}
    found = []
    for arrangement, (wide, high) in enumerate(sizes):
        for x, y in middles:
            left, top = x - wide // 2, y - high // 2
            if left < 1 or left + wide >= ACROSS or top < 1:
                continue
            cells = _block(wide, high, left, top)
            away = math.dist(at, ((left + wide / 2) * CELL, (top + high / 2) * CELL)) / CELL
            cost = OUTSIDE * (cells & ~inside).bit_count() + ELSEWHERE * (cells & ~land).bit_count() + AWAY * away
            found.append((cost, arrangement, left, top))
    return tuple(sorted(found))


@lru_cache(256)
def _cards(area: Area, wide: int, high: int, line: int) -> tuple[tuple[float, int, int], ...]:
    # places on the board near the area, beyond the rim, and below the board: cost, left, top
    x, y = geometry().middle(area)
    x, y = x / CELL - wide / 2, y / CELL - high / 2
    found = []
    for left in range(1, ACROSS - wide, 2):
        for top in range(1, ACROSS + SHELF - high, 2):
            gap = max(abs(left - x) - wide / 2, abs(top - y) - high / 2)
            far = math.hypot(left - x, top - y) + TIGHT * max(0, line - gap)
            u, v = min(max(MIDDLE[0], left), left + wide), min(max(MIDDLE[1], top), top + high)
            if math.hypot(u - MIDDLE[0], v - MIDDLE[1]) > RIM / CELL + 0.5:
                found.append((LED + FAR * far + (ON_SHELF if top + high > ACROSS else 0), left, top))
            elif far < NEAR:
                found.append((LED + FAR * far + ON_BOARD, left, top))
    return tuple(nsmallest(MOST_CARDS, found))


# --- sets of cells ----------------------------------------------------------------------------------------------------


@cache
def _box(wide: int, high: int) -> Cells:
    return sum(((1 << wide) - 1) << (row * ACROSS) for row in range(high))


def _block(wide: int, high: int, left: int, top: int) -> Cells:
    return _box(wide, high) << (top * ACROSS + left)


@cache
def _cells_of(size: Point) -> tuple[int, int]:
    return math.ceil(size[0] / CELL), math.ceil(size[1] / CELL)


def _each(cells: Cells) -> Iterator[tuple[int, int]]:
    while cells:
        number = (cells & -cells).bit_length() - 1
        yield number % ACROSS, number // ACROSS
        cells &= cells - 1


@cache
def _in_area(area: Area) -> Cells:
    points = geometry().outline(area)
    found = 0
    for row in range(ACROSS):
        y = (row + 0.5) * CELL
        cuts = sorted(x + (y - v) / (w - v) * (u - x) for (x, v), (u, w) in pairwise(points) if (v > y) != (w > y))
        for left, right in zip(cuts[::2], cuts[1::2], strict=True):
            first, last = math.ceil(left / CELL - 0.5), math.ceil(right / CELL - 0.5)
            if last > first:
                found |= _block(last - first, 1, first, row)
    return found


@cache
def _in_territory(territory: TerritoryId) -> Cells:
    return _union(area for area in PRINTED_AREAS if territory_of(area) == territory)


@cache
def _strongholds() -> Cells:
    return _union(area for area in PRINTED_AREAS if territory_of(area) in STRONGHOLDS)


@cache
def _beyond_rim() -> Cells:
    cells = [(x, y) for y in range(ACROSS) for x in range(ACROSS)]
    return sum(1 << (y * ACROSS + x) for x, y in cells if math.dist((x + 0.5, y + 0.5), MIDDLE) > RIM / CELL)


def _union(areas: Iterable[Area]) -> Cells:
    found = 0
    for area in areas:
        found |= _in_area(area)
    return found
