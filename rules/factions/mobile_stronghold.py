"""The Hidden Mobile Stronghold: its starting place, its moves, and the spice it collects (IT.HMS, IT.ORDER.1, .2).

It moves before anything else happens in the storm phase. Its owner is asked in the Mentat Pause of the turn before, so
that the storm need not wait for the answer. The decision stays secret until the stronghold moves. Then the program
checks again whether the move is still possible.

It points at one area. Everybody inside travels with it, which does not count as their movement. As it moves, its owner
collects spice from every sector that it leaves, crosses or reaches. ``board.distances`` (with ``door``) lets tokens
enter and leave it on foot, and ``rules.chapters.occupancy`` applies the storm to it.

Its route goes from area to area, through a limited number of territories (IT.HMS.5 to 7, IT.HMS.12 to 15). A player
names the end of the route and, optionally, areas along it. This module completes the route: it prefers the fewest
territories, then the fewest areas, then the most spice. In a territory with several sectors, the route passes through
all sectors in between, at no cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any

from rules.chapters.occupancy import in_storm
from rules.components import Faction, Forces
from rules.components.board import (
    MOBILE_STRONGHOLD,
    POLAR_SINK,
    PRINTED_AREAS,
    TERRITORIES,
    Area,
    area_name,
    neighbours,
    territory_of,
)
from rules.decisions.question import Flow, Question, ask
from rules.decisions.windows import window
from rules.orders import Order, StrongholdAt, StrongholdStays, StrongholdTo
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import StrongholdMoment

Way = tuple[Area, ...]
"""The areas of a route in order, from its start to its end."""

THROUGH_STRONGHOLDS = Option("hms_through_strongholds", {"no": False, "yes": True})
"""True if the route may pass through the territory of another stronghold. It never ends in one."""

_Cost = tuple[int, int, int]  # territories entered, areas entered, spice passed (less is better, so below 0)


def is_stronghold(area: Area) -> bool:
    return TERRITORIES[territory_of(area)].kind == "stronghold"


def territories_entered(way: Way) -> int:
    return sum(territory_of(one) != territory_of(other) for one, other in pairwise(way))


def best_way(game: Game, start: Area, via: Iterable[Area], target: Area) -> Way | None:
    way: list[Area] = [start]
    for goal in (*via, target):
        part = _ways_from(game, way[-1]).get(goal)
        if part is None:
            return None
        way += part[1:]
    return tuple(way)


def reachable_areas(game: Game, start: Area, limit: int) -> Mapping[Area, Way]:
    ways = _ways_from(game, start)
    return {
        goal: way
        for goal, way in ways.items()
        if goal != start and not is_stronghold(goal) and territories_entered(way) <= limit
    }


def way_refusal(game: Game, start: Area, via: Way, target: Area, limit: int) -> Refusal | None:
    if is_stronghold(target):
        return Refusal(
            f"{area_name(target)} is a stronghold; the Hidden Mobile Stronghold cannot stop there.", "hms.end"
        )
    if target == start and not via:
        return Refusal(f"It already points at {area_name(start)}.", "hms.end")
    for area in (*via, target):
        if in_storm(game, area):
            return Refusal(f"{area_name(area)} is under the storm; it cannot move into or through it.", "hms.storm")
        if is_stronghold(area) and not THROUGH_STRONGHOLDS(game.rules):
            return Refusal(f"{area_name(area)} is a stronghold; its route cannot lead through one.", "hms.way")
    way = best_way(game, start, via, target)
    if way is None:
        return Refusal(f"There is no way from {area_name(start)} to {area_name(target)} now.", "hms.way")
    if (length := territories_entered(way)) > limit:
        there = f"from {area_name(start)} to {area_name(target)}{' that way' if via else ''}"
        return Refusal(f"It is {length} territories {there}; it can go at most {limit}.", "hms.distance")
    return None


def _ways_from(game: Game, start: Area) -> Mapping[Area, Way]:
    through = THROUGH_STRONGHOLDS(game.rules)
    open_areas = {area for area in PRINTED_AREAS if not in_storm(game, area) and (through or not is_stronghold(area))}
    found: dict[Area, Way] = {}
    heap: list[tuple[_Cost, Way]] = [((0, 0, 0), (start,))]
    while heap:
        (territories, areas, spice), way = heappop(heap)
        here = way[-1]
        if here in found:
            continue
        found[here] = way
        for near in neighbours(here):
            if near in open_areas and near not in found:
                entered = territories + (territory_of(near) != territory_of(here))
                passed = spice - game.state.spice.get(near, 0)
                heappush(heap, ((entered, areas + 1, passed), (*way, near)))
    return found


TERRITORY = territory_of(MOBILE_STRONGHOLD)
FARTHEST = 3
SPICE_BY_A_TOKEN = 2

PLACED_IN_STORM = Option("hms_place_in_storm", {"no": False, "yes": True})
"""True if the stronghold may first be placed under the storm (IT.HMS.3)."""
SHARED_MOVES = Option("hms_shared_moves", {"yes": True, "no": False})
"""True if the stronghold may move while another faction is inside too (IT.HMS.9)."""
STAYING_TAKES = Option("hms_spice_when_staying", {"no": False, "yes": True})
"""True if the owner of a stronghold that stays collects spice from the area that it points at (IT.HMS.14)."""
ALLOWANCE_ANEW = Option("hms_spice_per", {"sector": True, "move": False})
"""True if the tokens inside can take their full amount from each sector on the route (IT.HMS.12)."""


def _forces_of_owner(game: Game, faction: Faction) -> Forces:
    return game.here(MOBILE_STRONGHOLD, faction)


def _forces_of_all(game: Game, faction: Faction) -> Forces:
    return sum(game.state.forces_in(TERRITORY).values(), Forces())


CARRIERS: Option[Callable[[Game, Faction], Forces]] = Option(
    "hms_spice_counts", {"ixian_forces": _forces_of_owner, "all_forces": _forces_of_all}
)
"""The tokens inside that carry spice (IT.HMS.13)."""


def _areas_passed(game: Game, way: Way) -> Way:
    return tuple(dict.fromkeys(way))


def _territories_passed(game: Game, way: Way) -> Way:
    passed = dict.fromkeys(territory_of(area) for area in way)
    return tuple(area for place in passed for area in TERRITORIES[place].areas if not in_storm(game, area))


PASSED = Option("hms_route", {"by_areas": _areas_passed, "by_territories": _territories_passed})
"""The areas from which spice is collected: those on the route, or all open areas of their territories (IT.HMS.15)."""


def stronghold_owner(game: Game) -> Faction | None:
    faction = TERRITORIES[TERRITORY].owner
    return faction if faction in game.state.players else None


# --- The starting place ----------------------------------------------------------------------------------------------


def place_stronghold(game: Game) -> Flow:
    """Ask the owner of the stronghold which area it points at, after the first storm has moved (IT.ORDER.1)."""
    faction = stronghold_owner(game)
    if faction is None or game.state.door is not None:
        return
    answers = yield from ask(lambda: [PlacingQuestion(game, faction)])
    order = answers.of(faction)
    game.state.box.stronghold_at = order.area if isinstance(order, StrongholdAt) else POLAR_SINK
    game.tell("stronghold-placed", faction=faction, area=game.state.box.stronghold_at)


class PlacingQuestion(Question):
    kind = "hms-placement"
    only_refusal = Refusal("Only the Ixians can place the Hidden Mobile Stronghold.", "hms.owner")
    of_expansion = True
    default = StrongholdAt(POLAR_SINK)

    def refusal(self, order: Order) -> Refusal | None:
        return _place_refusal(self.game, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if faction != stronghold_owner(game):
            return cls.only_refusal
        if game.state.door is not None:
            return Refusal("The Hidden Mobile Stronghold already has its place; it moves from there.", "hms.place")
        return _never_placed(order)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        return _never_placed(order)

    def samples(self) -> Sequence[Order]:
        beside = [area for area in PRINTED_AREAS if _beside_a_stronghold(area)]
        with_spice = [place.spice_area for place in TERRITORIES.values() if place.spice_area]
        orders = [StrongholdAt(area) for area in dict.fromkeys((POLAR_SINK, *beside, *with_spice))]
        return [order for order in orders if self.refusal(order) is None]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"storm": self.game.state.storm, "in_storm": PLACED_IN_STORM(self.game.rules)}


def _never_placed(order: Order) -> Refusal | None:
    if not isinstance(order, StrongholdAt):
        return Refusal("Say where it points: hms at AREA.", "hms.place")
    if is_stronghold(order.area):
        return Refusal(f"{area_name(order.area)} is a stronghold; it cannot stand there.", "hms.place")
    return None


def _place_refusal(game: Game, order: Order) -> Refusal | None:
    if refusal := _never_placed(order):
        return refusal
    if isinstance(order, StrongholdAt) and in_storm(game, order.area) and not PLACED_IN_STORM(game.rules):
        return Refusal(f"{area_name(order.area)} is under the storm; place it elsewhere.", "hms.place-in-storm")
    return None


def _beside_a_stronghold(area: Area) -> bool:
    return not is_stronghold(area) and any(is_stronghold(near) for near in neighbours(area))


# --- The move --------------------------------------------------------------------------------------------------------


def move_questions(game: Game, faction: Faction) -> list[Question]:
    return [MovingQuestion(game, faction)] if refusal_to_move_now(game, faction) is None else []


def keep_decision(game: Game, order: Order | None) -> None:
    if isinstance(order, StrongholdTo | StrongholdStays):
        game.state.box.stronghold_goes = order


def move_stronghold(game: Game) -> Flow:
    """Move the stronghold as its owner has decided, before anything else happens in the storm phase, from the second
    turn on (IT.ORDER.2). An owner who has not been asked, or whose decision has become impossible, is asked now."""
    faction, box = stronghold_owner(game), game.state.box
    if faction is None:
        return
    decided, box.stronghold_goes = box.stronghold_goes, None
    stands = decided is not None and (refusal_to_move_now(game, faction) or move_refusal(game, decided)) is None
    answers = yield from ask(lambda: [] if stands else move_questions(game, faction))
    order, door = decided if stands else answers.of(faction), game.state.door
    if order is None or door is None:
        return
    if isinstance(order, StrongholdTo) and (way := best_way(game, door, order.via, order.target)):
        yield from _announce(game, faction, way)
        return
    game.tell("stronghold-stays", faction=faction, area=door)
    if STAYING_TAKES(game.rules):
        _take_spice(game, faction, (door,))


def refusal_to_move_now(game: Game, faction: Faction, *, needs_force: bool = True) -> Refusal | None:
    """Return a refusal if the stronghold's owner cannot move it now, else None (IT.HMS.4, IT.HMS.7, IT.HMS.9)."""
    door = game.state.door
    if door is None:
        return Refusal("The Hidden Mobile Stronghold has no place yet.", "hms.place")
    inside = game.state.forces_in(TERRITORY)
    if needs_force and faction not in inside:
        return Refusal("None of your tokens is in the Hidden Mobile Stronghold, so it stays.", "hms.force-inside")
    if len(inside) > 1 and not SHARED_MOVES(game.rules):
        return Refusal("Another faction is in the Hidden Mobile Stronghold too, so it stays.", "hms.shared")
    if in_storm(game, door):
        return Refusal(f"{area_name(door)} is under the storm; it cannot move out of it.", "hms.storm")
    return None


def _announce(game: Game, faction: Faction, way: Way) -> Flow:
    moment = game.moments.stronghold = StrongholdMoment(way)  # IT.IX-KARAMA.6
    game.tell("stronghold-announced", faction=faction, way=list(way))
    yield from window(game, "hms-move", lambda: not moment.cancelled, by=faction, area=way[-1])
    game.moments.stronghold = None
    if not moment.cancelled:
        travel_along(game, faction, way)


def travel_along(game: Game, faction: Faction, way: Way, *, takes: bool = True) -> None:
    """Move the stronghold with everybody inside, and collect spice for its owner on the way (IT.HMS.8, IT.HMS.10)."""
    game.state.box.stronghold_at = way[-1]
    game.tell("stronghold-moved", faction=faction, source=way[0], target=way[-1], way=list(way))
    if takes:
        _take_spice(game, faction, PASSED(game.rules)(game, way))


def _take_spice(game: Game, faction: Faction, areas: Sequence[Area]) -> None:
    """Collect up to two spice for each token inside. This limit applies to each sector or, in other rule sets, to all
    sectors together (IT.HMS.11, IT.HMS.12)."""
    allowance = left = SPICE_BY_A_TOKEN * CARRIERS(game.rules)(game, faction).total
    taken: list[list[Any]] = []
    for area in areas:
        if amount := game.take_spice(area, allowance if ALLOWANCE_ANEW(game.rules) else left):
            taken.append([area, amount])
            left -= amount
    if taken:
        total = sum(amount for _, amount in taken)
        game.gain(faction, total)
        game.tell("stronghold-took-spice", faction=faction, spice=total, areas=taken)


class MovingQuestion(Question):
    kind = "hms-move"
    only_refusal = Refusal("Only the Ixians can move the Hidden Mobile Stronghold.", "hms.owner")
    of_expansion = True
    default = StrongholdStays()

    def refusal(self, order: Order) -> Refusal | None:
        return move_refusal(self.game, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if faction != stronghold_owner(game):
            return cls.only_refusal
        if game.state.phase == "storm" and game.state.turn == 1:
            return Refusal("It was placed this turn, and can move from the next turn on.", "hms.first-move")
        if game.state.box.stronghold_goes is not None:
            why = "You ordered its move in the Mentat Pause; it will move at the start of the storm phase."
            return Refusal(why, "hms.once-a-turn")
        if game.moments.storm is not None:
            why = "It is too late to order its move; it moves at the start of the storm phase, as ordered before."
            return Refusal(why, "hms.once-a-turn")
        return refusal_to_move_now(game, faction) or move_refusal(game, order)

    @classmethod
    def never_legal(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if isinstance(order, StrongholdTo) and is_stronghold(order.target):
            return Refusal(f"{area_name(order.target)} is a stronghold; it cannot end its move there.", "hms.end")
        return None

    def samples(self) -> Sequence[Order]:
        return [StrongholdStays(), *(StrongholdTo(target) for target in move_goals(self.game, FARTHEST))]

    @property
    def facts(self) -> Mapping[str, Any]:
        reach = reachable_areas(self.game, self.game.state.door or POLAR_SINK, FARTHEST)
        spice = {area: self.game.state.spice[area] for area in sorted(reach) if area in self.game.state.spice}
        inside = {faction: str(forces) for faction, forces in self.game.state.forces_in(TERRITORY).items()}
        ahead = {"next_turn": self.game.state.turn + 1} if self.game.state.phase == "mentat" else {}
        return {"at": self.game.state.door, "inside": inside, "spice": spice, "most": FARTHEST, **ahead}


def move_refusal(game: Game, order: Order, limit: int = FARTHEST) -> Refusal | None:
    door = game.state.door
    if not isinstance(order, StrongholdTo) or door is None:
        return None
    return way_refusal(game, door, order.via, order.target, limit)


def move_goals(game: Game, limit: int) -> list[Area]:
    door = game.state.door
    if door is None:
        return []
    reach = reachable_areas(game, door, limit)
    spice = {goal: sum(game.state.spice.get(area, 0) for area in way) for goal, way in reach.items()}
    rich = sorted((goal for goal in reach if spice[goal]), key=lambda goal: (-spice[goal], len(reach[goal]), goal))
    near = [goal for goal in sorted(reach) if _beside_a_stronghold(goal)]
    return list(dict.fromkeys([*rich[:4], *near[:4], *sorted(reach)[:2]]))


QUESTIONS: tuple[type[Question], ...] = (PlacingQuestion, MovingQuestion)
QUESTIONS_OF_PAUSE: tuple[type[Question], ...] = (MovingQuestion,)
