"""The board: territories, sectors, borders and distances.

An *area* is one sector of one territory ("imperial-basin/9"); the Polar Sink lies in no sector. The length of a move is
counted in territories (AH.IX.C.2.c-a). A step from one sector to another inside a territory is free, and nothing can
enter, leave or cross the sector in storm (AH.IX.C.2.c-b, AH.IX.C.2.c-c). Distances are needed for every move, so the
map is stored as small whole numbers and every distance is cached.

The Hidden Mobile Stronghold, an expansion's territory, lies in no sector and can move. It borders only on the area that
it points at, its *door*. Without a door it has no borders (IT.HMS.19).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal, NewType, TypeVar

from rules.components.facts import FactsError, document, entries

Area = NewType("Area", str)
"""An area by territory and sector, such as "arrakeen/10". A territory in no sector is one area: "polar-sink"."""

TerritoryId = NewType("TerritoryId", str)

Kind = Literal["stronghold", "rock", "sand", "polar-sink"]

KINDS: tuple[Kind, ...] = ("stronghold", "rock", "sand", "polar-sink")


@dataclass(frozen=True, slots=True)
class Territory:
    """One territory as printed on the board.

    `protected_from_storm` is true if tokens there are safe from the storm while the Shield Wall stands (see
    `sheltered`). `income` is the spice that an occupant collects, if the rule set has city income. `spice` is the
    amount that the territory's spice card brings to `spice_area`.
    """

    id: TerritoryId
    name: str
    abbreviation: str
    aliases: tuple[str, ...]
    kind: Kind
    areas: tuple[Area, ...]
    sectors: tuple[int, ...]
    protected_from_storm: bool
    behind_shield_wall: bool
    income: int
    ornithopters: bool
    spice_area: Area | None
    spice: int
    owner: str = ""  # on the board only if this faction plays


POLAR_SINK = Area("polar-sink")
SHIELD_WALL = TerritoryId("shield-wall")
MOBILE_STRONGHOLD = Area("hidden-mobile-stronghold")


def _read_territories() -> dict[TerritoryId, Territory]:
    territories = {}
    for entry in entries("board.toml", "territory"):
        name, kind = entry.text("id"), entry.text("kind")
        if kind not in KINDS:
            raise FactsError(f"{entry.where}: {kind!r} is not a kind of territory.")
        sectors = entry.numbers("sectors")
        areas = tuple(Area(f"{name}/{sector}") for sector in sectors) or (Area(name),)
        spice_sector = entry.number("spice_sector", 0)
        territories[TerritoryId(name)] = Territory(
            id=TerritoryId(name),
            name=entry.text("name"),
            abbreviation=entry.text("abbreviation"),
            aliases=entry.texts("aliases", ()),
            kind=kind,
            areas=areas,
            sectors=sectors,
            protected_from_storm=entry.truth("protected_from_storm"),
            behind_shield_wall=entry.truth("behind_shield_wall", False),
            income=entry.number("income", 0),
            ornithopters=entry.truth("ornithopters", False),
            spice_area=Area(f"{name}/{spice_sector}") if spice_sector else None,
            spice=entry.number("spice", 0),
            owner=entry.text("owner", ""),
        )
    return territories


_BOARD = document("board.toml").table("board")

SECTORS: int = _BOARD.number("sectors")
STORM_START: int = _BOARD.number("storm_start")
DOTS: tuple[int, ...] = _BOARD.numbers("player_dots")
STORM_MARKERS: tuple[int, ...] = _BOARD.numbers("storm_markers")

TERRITORIES: Mapping[TerritoryId, Territory] = _read_territories()
STRONGHOLDS: tuple[TerritoryId, ...] = tuple(
    t.id for t in TERRITORIES.values() if t.kind == "stronghold" and not t.owner
)
"""The five strongholds of every board."""
AREAS: tuple[Area, ...] = tuple(area for t in TERRITORIES.values() for area in t.areas)
PRINTED_TERRITORIES: tuple[TerritoryId, ...] = tuple(t.id for t in TERRITORIES.values() if not t.owner)
PRINTED_AREAS: tuple[Area, ...] = tuple(area for name in PRINTED_TERRITORIES for area in TERRITORIES[name].areas)
"""The areas printed on every board, excluding the mobile stronghold."""

_NUMBER: Mapping[Area, int] = {area: number for number, area in enumerate(AREAS)}
_TERRITORY: tuple[TerritoryId, ...] = tuple(t.id for t in TERRITORIES.values() for _ in t.areas)
_TERRITORY_OF: Mapping[Area, TerritoryId] = dict(zip(AREAS, _TERRITORY, strict=True))
_SECTOR: tuple[int, ...] = tuple(sector for t in TERRITORIES.values() for sector in t.sectors or (0,))


def _read_borders() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return two tables, indexed by area number: the adjacent areas in the same territory, and the adjacent areas in
    other territories. A set of areas is an integer with one bit for each area."""
    adjacency = document("board.toml").table("adjacency")
    inside = [0] * len(AREAS)
    outside = [0] * len(AREAS)
    for key, borders in (("areas_within", inside), ("areas", outside)):
        for first, second in adjacency.pairs(key):
            if first not in _NUMBER or second not in _NUMBER:
                raise FactsError(f"{adjacency.where}, {key}: {first} and {second} are not two areas of the board.")
            here, there = _NUMBER[Area(first)], _NUMBER[Area(second)]
            borders[here] |= 1 << there
            borders[there] |= 1 << here
    return tuple(inside), tuple(outside)


def _bits(areas: int) -> Iterator[int]:
    while areas:
        lowest = areas & -areas
        yield lowest.bit_length() - 1
        areas ^= lowest


_INSIDE, _OUTSIDE = _read_borders()
_ALL = (1 << len(AREAS)) - 1
_MOBILE = 1 << _NUMBER[MOBILE_STRONGHOLD]
_DIVIDED = sum(1 << number for number, borders in enumerate(_INSIDE) if borders)
_IN_SECTOR: Mapping[int | None, int] = {
    sector: sum(1 << number for number, at in enumerate(_SECTOR) if at == sector) for sector in range(1, SECTORS + 1)
}
_IN_TERRITORY: Mapping[TerritoryId, int] = {
    t.id: sum(1 << _NUMBER[area] for area in t.areas) for t in TERRITORIES.values()
}
_NEIGHBOURS: Mapping[Area, tuple[Area, ...]] = {
    area: tuple(AREAS[there] for borders in (_INSIDE, _OUTSIDE) for there in _bits(borders[here]))
    for area, here in _NUMBER.items()
}


# --- Areas and their names ---------------------------------------------------------------------------------


def territory_of(area: Area) -> TerritoryId:
    return _TERRITORY_OF[area]


def sector_of(area: Area) -> int | None:
    """Return the sector of an area, 1 to 18, or None for the Polar Sink and for the Hidden Mobile Stronghold."""
    return _SECTOR[_NUMBER[area]] or None


def area_at(territory: TerritoryId, sector: int | None = None) -> Area:
    """Return the area of a territory in a sector. The sector may be None if the territory has only one area. Raise
    `ValueError`, with a message for the player, if there is no such area."""
    found = TERRITORIES.get(territory)
    if found is None:
        raise ValueError(f"There is no territory {territory!r}.")
    if sector is None:
        if len(found.areas) > 1:
            raise ValueError(f"{found.name} lies in the sectors {_listed(found.sectors)}: say which one.")
        return found.areas[0]
    if sector not in found.sectors:
        where = f"lies in {_listed_sectors(found.sectors)}" if found.sectors else "lies in no sector"
        raise ValueError(f"{found.name} {where}, not in sector {sector}.")
    return Area(f"{territory}/{sector}")


def parse_area(text: str) -> Area:
    """Return the area with an id such as "arrakeen", "arrakeen/10", "red-chasm/7" or "polar-sink". Only these exact ids
    are accepted, not players' spellings. Raise `ValueError`, with a readable message, for any other text."""
    match = re.fullmatch(r"([a-z-]+)(?:/([1-9][0-9]?))?", text)
    if match is None:
        raise ValueError(f"{text!r} is not an area; an area is written like 'imperial-basin/9'.")
    territory, sector = match.groups()
    return area_at(TerritoryId(territory), int(sector) if sector else None)


def area_name(area: Area) -> str:
    """Return the printed name of an area, such as "Arrakeen". The sector is included only if the territory has several:
    "Imperial Basin/9"."""
    territory = TERRITORIES[territory_of(area)]
    return f"{territory.name}/{sector_of(area)}" if len(territory.areas) > 1 else territory.name


def _listed(sectors: tuple[int, ...]) -> str:
    return ", ".join(map(str, sectors[:-1])) + f" and {sectors[-1]}"


def _listed_sectors(sectors: tuple[int, ...]) -> str:
    return f"sector {sectors[0]}" if len(sectors) == 1 else f"the sectors {_listed(sectors)}"


# --- Routes --------------------------------------------------------------------------------------------------


def neighbours(area: Area) -> tuple[Area, ...]:
    return _NEIGHBOURS[area]


def distances(
    source: Area, storm: int | None, limit: int, closed: frozenset[TerritoryId] = frozenset(), door: Area | None = None
) -> dict[Area, int]:
    """Return the number of moves from `source` to every area that can be reached in at most `limit` moves. `source`
    itself is included, with 0.

    Nothing can leave, enter or cross the sector `storm`, so nothing can be reached from inside it. Territories in
    `closed` can be neither entered nor crossed (AH.IX.C.2.c). `door` is the area that the Hidden Mobile Stronghold
    points at.
    """
    in_the_way = closed if door else closed & within(territory_of(source), limit)
    return dict(_distances(source, storm, limit, in_the_way, door))


@lru_cache(maxsize=16384)
def _distances(
    source: Area, storm: int | None, limit: int, closed: frozenset[TerritoryId], door: Area | None
) -> dict[Area, int]:
    cost: dict[Area, int] = {}
    for steps, ring in islice(_rings({0: 1 << _NUMBER[source]}, storm, closed, door), limit + 1):
        for number in _bits(ring):
            cost[AREAS[number]] = steps
    return cost


@lru_cache(maxsize=16384)
def route_length(
    source: Area,
    target: Area,
    via: tuple[TerritoryId, ...] = (),
    storm: int | None = None,
    closed: frozenset[TerritoryId] = frozenset(),
    door: Area | None = None,
) -> int | None:
    """Return the number of moves from `source` to `target` by the shortest route through the territories of `via`, in
    that order.

    `via` need not name every territory on the way. Return None if there is no such route (AH.IX.C.2.c). `door` is the
    area that the Hidden Mobile Stronghold points at.
    """
    start = {0: 1 << _NUMBER[source]}
    for territory in via:
        here = _IN_TERRITORY[territory]
        start = {steps: ring & here for steps, ring in _rings(start, storm, closed, door) if ring & here}
        if not start:
            return None
    there = 1 << _NUMBER[target]
    return next((steps for steps, ring in _rings(start, storm, closed, door) if ring & there), None)


def _rings(
    start: Mapping[int, int], storm: int | None, closed: frozenset[TerritoryId], door: Area | None = None
) -> Iterator[tuple[int, int]]:
    """Yield each number of moves together with the areas that can be reached in that many moves but not in fewer. A set
    of areas is an integer with one bit for each area, as in `start`."""
    calm = _ALL & ~_IN_SECTOR.get(storm, 0)
    enterable = calm
    for territory in closed:
        enterable &= ~_IN_TERRITORY[territory]
    outside = 1 << _NUMBER[door] if door else 0
    seen = border = 0
    steps, last = min(start), max(start)
    while border or steps <= last:
        ring = fresh = (border | start.get(steps, 0) & calm) & ~seen
        while fresh:
            fresh = _touched(fresh & _DIVIDED, _INSIDE) & calm & ~(seen | ring)
            ring |= fresh
        yield steps, ring
        seen |= ring
        border = _touched(ring, _OUTSIDE)
        if outside:
            border |= _MOBILE if ring & outside else 0
            border |= outside if ring & _MOBILE else 0
        border &= enterable & ~seen
        steps += 1


def _touched(areas: int, borders: Sequence[int]) -> int:
    touched = 0
    while areas:
        lowest = areas & -areas
        touched |= borders[lowest.bit_length() - 1]
        areas ^= lowest
    return touched


@lru_cache(maxsize=256)
def within(territory: TerritoryId, steps: int) -> frozenset[TerritoryId]:
    """Return the territories at most `steps` moves away when there is no storm, including `territory` itself. For
    example, the Fremen land within two moves of The Great Flat (AH.QA.E.7)."""
    rings = islice(_rings({0: _IN_TERRITORY[territory]}, None, frozenset()), steps + 1)
    return frozenset(_TERRITORY[number] for _, ring in rings for number in _bits(ring))


# --- Storm and seats -----------------------------------------------------------------------------------------


def next_sector(sector: int) -> int:
    return sector % SECTORS + 1


def sectors_passed(start: int, distance: int) -> tuple[int, ...]:
    """Return the sectors that a storm enters when it moves from `start`, in order. The last one is the sector where it
    stops (AH.VI.C-f)."""
    return tuple((start + step) % SECTORS + 1 for step in range(distance))


def sheltered(territory: TerritoryId, shield_wall: bool) -> bool:
    """Return whether tokens in the territory are safe from the storm.

    All territories that are not sand are safe, and so is the Imperial Basin (AH.VI.C). Once the Shield Wall is
    destroyed, the Imperial Basin, Arrakeen and Carthag are no longer safe (AH.AID.TIMED.5-d). The Shield Wall itself is
    always safe (WBC.HR.4g).
    """
    place = TERRITORIES[territory]
    return place.protected_from_storm and (shield_wall or not place.behind_shield_wall)


F = TypeVar("F", bound=str)


def seat_order(storm: int, dots: Mapping[F, int]) -> list[F]:
    """Return the players counterclockwise, beginning with the next dot that the storm will reach. A dot in the storm's
    own sector counts as passed, so its player comes last (AH.IX.A-b)."""
    return sorted(dots, key=lambda player: (dots[player] - storm - 1) % SECTORS)
