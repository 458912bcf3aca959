"""Limits on where tokens may be: the rules common to shipments, moves and rides (AH.IX.C.1.c, AH.IX.C.2.f, AH.XII.E.5).

Entering: nobody may enter a territory where an ally is, or a stronghold that already holds two other players. In some
rule sets a move must not end where an ally is, but its path may lead through the ally's territory (FAQ.SHIP.2). The
rules of factions whose tokens can stand apart from others, or share a territory with an ally, are in the modules of
these factions. These factions are asked for a declaration whenever tokens arrive or leave.

Ornithopters (AH.IX.C.2.a.1): a faction with tokens in Arrakeen or Carthag moves three territories. The documents differ
on the moment at which it must have those tokens:

- When the storm round ends (WBC.IX.13).
- When the movement round begins (VACA.IX.C.2.a.i).
- When the player's own slot begins, before the shipment (AH.IX.C.2.a.1).
- When the group moves, so that tokens shipped into a city count at once (GF9.MOVE.2, FAQ.DIFF.2). Each move is checked
  when it starts: a Hajr after a move into a city goes by ornithopter, and a Hajr after the last tokens have left the
  city goes on foot (FAQ.SHIP.4).

Tokens that stand apart from others do not give their faction ornithopters.

Allies in one territory, if the rule set does not let them stay there (GF9.ALLIANCE.8 to 9, FAQ.BG.5, FAQ.SHIP.2): two
players who allied last turn may find themselves in the same territory when the movement round begins. Then one of them
must leave: if the first to move stays, the second must leave or lose those tokens. In the turn in which they become
allies nobody has to leave. If a path may lead through an ally's territory, a shipment may also land there, provided
that its tokens move on to another territory. Tokens that stay are lost.

The storm: an area lies under the storm if it is in the storm's sector. The Hidden Mobile Stronghold lies under the
storm while it points at such an area. Then nobody enters or leaves the stronghold, ships into it or fights in it
(IT.HMS.22). The tokens inside survive, as in every stronghold (IT.HMS.23).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rules.components import FACTION_FACTS, Faction, Forces, board, the_faction
from rules.components.board import (
    MOBILE_STRONGHOLD,
    POLAR_SINK,
    TERRITORIES,
    Area,
    TerritoryId,
    sector_of,
    territory_of,
)
from rules.decisions.catalogue import factions_with, rules_of, tokens_gone
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.orders import Move, NoMove, Order, Ship
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import SlotMoment

NOBODYS_TERRITORY = board.territory_of(POLAR_SINK)
"""The Polar Sink, where nobody fights, holds or collects anything, and everybody may enter (AH.XII.E.5-a)."""


Standing = Mapping[Faction, Forces]
"""The factions in a territory, with their tokens."""

PASSES_ALLIES = Option("ally_territory", {"never_enter": False, "pass_through": True})
"""True if a path may lead through a territory with an ally's tokens."""

THOSE_APART_FILL = Option("stronghold_limit_counts_coexisting_bg", {"no": False, "yes": True}, usual="no")
"""True if tokens that stand apart from others count towards the limit of a stronghold."""


def entry_barred(
    game: Game, faction: Faction, territory: TerritoryId, *, where_full: str = "movement.full-stronghold"
) -> Refusal | None:
    there = game.state.forces_in(territory)
    if territory == NOBODYS_TERRITORY or not there:
        return None
    beside = _beside_ally(game, faction, territory, there) if game.state.alliances else None
    return beside or (_full(game, faction, territory, there, where_full) if len(there) > 1 else None)


def refusal_beside_ally(game: Game, faction: Faction, territory: TerritoryId) -> Refusal | None:
    return (
        None
        if territory == NOBODYS_TERRITORY
        else _beside_ally(game, faction, territory, game.state.forces_in(territory))
    )


def _beside_ally(game: Game, faction: Faction, territory: TerritoryId, there: Standing) -> Refusal | None:
    group = game.state.ally_group(faction)
    for other in there:
        if other in group and other != faction and (refusal := _barred_by_ally(game, faction, other, territory)):
            return refusal
    return None


def crossing_barred(game: Game, faction: Faction, territory: TerritoryId) -> Refusal | None:
    return _full(game, faction, territory, game.state.forces_in(territory), "movement.full-stronghold")


def _full(game: Game, faction: Faction, territory: TerritoryId, there: Standing, topic: str) -> Refusal | None:
    if len(there) < 2 or TERRITORIES[territory].kind != "stronghold":
        return None
    counted = [other for other in there if other != faction and _counts(game, other, territory)]
    if len(counted) < 2 or rules_of(game, faction).enters_full_stronghold(game, territory):
        return None
    number = "two" if len(counted) == 2 else "three"
    why = f"{TERRITORIES[territory].name} is full: {number} other players are there, {names_of_factions(counted)}."
    return Refusal(why, topic)


def names_of_factions(factions: Iterable[Faction]) -> str:
    *others, last = map(the_faction, factions)
    return f"{', '.join(others)} and {last}"


def _counts(game: Game, other: Faction, territory: TerritoryId) -> bool:
    return rules_of(game, other).is_occupant(game, territory) or THOSE_APART_FILL(game.rules)


def _barred_by_ally(game: Game, faction: Faction, ally: Faction, territory: TerritoryId) -> Refusal | None:
    for one in (faction, ally):
        if rules_of(game, one).stands_beside_allies(game):
            return rules_of(game, one).beside_ally_refusal(game, territory, entering=faction)
    why = f"Tokens of your ally, {the_faction(ally)}, are in {TERRITORIES[territory].name}."
    return Refusal(why, "movement.where-an-ally-stands")


def territories_closed(game: Game, faction: Faction) -> frozenset[TerritoryId]:
    if PASSES_ALLIES(game.rules):
        return frozenset(stronghold for stronghold in game.strongholds() if crossing_barred(game, faction, stronghold))
    return territories_barred(game, faction)


def territories_barred(game: Game, faction: Faction) -> frozenset[TerritoryId]:
    allies = [ally for ally in game.state.ally_group(faction) if ally != faction]
    with_allies = {
        board.territory_of(area) for ally in allies for area, here in game.state.forces.items() if ally in here
    }
    places = with_allies.union(game.strongholds())
    return frozenset(territory for territory in places if entry_barred(game, faction, territory))


def move_group(game: Game, mover: Faction, move: Move, *, hajr: bool) -> Flow:
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
    yield from tokens_arrived(game, mover, move.forces, move.source, move.target)
    yield from declare_meetings(game)
    look_for_ornithopters_again(game, slot_of(game), mover, move.target)


def tokens_arrived(game: Game, mover: Faction, forces: Forces, source: Area | None, target: Area) -> Flow:
    for faction in factions_with(game, FactionRules.declares_when_entered):
        yield from rules_of(game, faction).declares_when_entered(game, mover, forces, source, target)


def declare_meetings(game: Game) -> Flow:
    tokens_gone(game)
    for faction in factions_with(game, FactionRules.declares_when_met):
        yield from rules_of(game, faction).declares_when_met(game)


def slot_of(game: Game) -> SlotMoment:
    return game.moments.slot or SlotMoment()


def all_tokens(game: Game, faction: Faction) -> Forces:
    player = game.player(faction)
    return sum((forces for _, forces in game.state.areas_of(faction)), player.reserves + player.tanks)


CITIES = (TerritoryId("arrakeen"), TerritoryId("carthag"))
BY_ORNITHOPTER = 3

TimeOfCheck = Literal["round", "slot", "move"]
"""The time of the check: when the movement round begins, when the player's slot begins, or when the group moves."""


@dataclass(frozen=True, slots=True)
class OrnithopterCheck:
    at: TimeOfCheck
    has: Callable[[Game, Faction], bool]


def _held_a_city_after_the_storm(game: Game, mover: Faction) -> bool:
    return mover in game.state.ornithopters


def holds_a_city(game: Game, mover: Faction, earlier: Sequence[Move] = ()) -> bool:
    rules = rules_of(game, mover)
    for city in CITIES:  # as they will stand once the earlier moves of the message are made
        come = sum(move.forces.total for move in earlier if territory_of(move.target) == city)
        gone = sum(move.forces.total for move in earlier if territory_of(move.source) == city)
        there = game.state.forces_in(city).get(mover)
        if (there.total if there else 0) + come > gone and (
            come or (rules.is_occupant(game, city) and rules.flies_at_once(game, city))
        ):
            return True
    return False


ORNITHOPTER_CHECK = Option(
    "ornithopter_check",
    {
        "end_of_storm": OrnithopterCheck("slot", _held_a_city_after_the_storm),
        "start_of_movement_round": OrnithopterCheck("round", holds_a_city),
        "start_of_own_move": OrnithopterCheck("slot", holds_a_city),
        "start_of_force_move": OrnithopterCheck("move", holds_a_city),
    },
)
HAJR_LOOKS_AGAIN = Option("hajr_rechecks_ornithopters", {"no": False, "yes": True})
"""True if each move of a slot is checked when it starts, so that an earlier move can bring or take away ornithopters
(FAQ.SHIP.4)."""


def judges_each_move(game: Game) -> bool:
    return ORNITHOPTER_CHECK(game.rules).at == "move" and HAJR_LOOKS_AGAIN(game.rules)


def look_for_ornithopters(game: Game, slot: SlotMoment, at: TimeOfCheck, *movers: Faction) -> None:
    check = ORNITHOPTER_CHECK(game.rules)
    if check.at == at and not judges_each_move(game):
        slot.flying += [mover for mover in movers if mover not in slot.flying and check.has(game, mover)]


def look_for_ornithopters_again(game: Game, slot: SlotMoment, mover: Faction, target: Area) -> None:
    again = HAJR_LOOKS_AGAIN(game.rules) and not judges_each_move(game) and territory_of(target) in CITIES
    slot.flying += [mover] if again and mover not in slot.flying and holds_a_city(game, mover) else []


def goes_by_ornithopter(game: Game, slot: SlotMoment, mover: Faction, earlier: Sequence[Move] = ()) -> bool:
    if mover in slot.flying:
        return True
    if judges_each_move(game):
        return holds_a_city(game, mover, earlier)
    if HAJR_LOOKS_AGAIN(game.rules) and any(territory_of(move.target) in CITIES for move in earlier):
        return True
    goes_now = slot.mover == mover and slot.stage == "movement" and not slot.moved
    return goes_now and ORNITHOPTER_CHECK(game.rules).at == "move" and holds_a_city(game, mover)


def reach_of_mover(game: Game, slot: SlotMoment, mover: Faction) -> int:
    rules = rules_of(game, mover)
    farthest = 1 if rules.far_move_karama in slot.denied else rules.walks(FACTION_FACTS[mover].forces)
    return max(farthest, BY_ORNITHOPTER if goes_by_ornithopter(game, slot, mover) else 0)


def reach_from(
    game: Game, slot: SlotMoment, mover: Faction, source: Area, forces: Forces, earlier: Sequence[Move] = ()
) -> int:
    """Return the number of territories that these tokens can move, once the earlier moves in the message have been
    made. A Karama that limits a far move to one territory affects only the very next move."""
    rules = rules_of(game, mover)
    kept_short = not earlier and rules.far_move_karama in slot.denied
    by_itself = 1 if kept_short else rules.walks(forces)
    if kept_short and not rules.flies_when_kept_short(game.rules):
        return by_itself
    far = max(by_itself, BY_ORNITHOPTER if goes_by_ornithopter(game, slot, mover, earlier) else 0)
    return far if far == by_itself or rules.boards(game, territory_of(source)) else by_itself


def visible_ornithopters(game: Game) -> list[Faction]:
    check, slot = ORNITHOPTER_CHECK(game.rules), game.moments.slot
    if check.has is _held_a_city_after_the_storm:
        return list(game.state.ornithopters)
    noted = slot.flying if slot else []
    if check.at == "round" and slot:
        return list(noted)
    over = [faction for faction in game.state.players if slot and check.at == "slot" and slot.begun(faction)]
    return [f for f in game.state.players if f in noted or (f not in over and holds_a_city(game, f))]


def ornithopters_told_with_storm(game: Game) -> list[Faction]:
    return list(game.state.ornithopters) if ORNITHOPTER_CHECK(game.rules).at == "slot" else []


SECOND_LEAVES = Option("allies_found_together", {"may_stay": False, "second_mover_leaves_or_loses": True})


# --- Allies together -------------------------------------------------------------------------------------------------


def note_allies_together(game: Game, slot: SlotMoment) -> None:
    if not SECOND_LEAVES(game.rules):
        return
    for faction in game.order_of_play():
        for territory in _territories(game, faction):
            if _with_old_ally(game, faction, territory) and refusal_beside_ally(game, faction, territory):
                slot.with_ally.setdefault(territory, []).append(faction)


def _with_old_ally(game: Game, faction: Faction, territory: TerritoryId) -> bool:
    allies = [ally for ally in game.state.ally_group(faction) if ally != faction]
    old = [group for group in game.state.old_alliances if faction in group]
    there = game.state.forces_in(territory)
    return any(ally in there and any(ally in group for group in old) for ally in allies)


def part_allies(game: Game, slot: SlotMoment, mover: Faction) -> None:
    if not slot.with_ally and landed_beside_ally(game, slot, mover) is None:
        return
    for territory in _territories(game, mover):
        ally = _ally_to_be_left(game, slot, mover, territory)
        if ally is not None:
            dead = game.kill_in(territory, mover)
            game.tell("lost-beside-ally", faction=mover, ally=ally, forces=str(dead), territory=territory)
            tokens_gone(game)


def _ally_to_be_left(game: Game, slot: SlotMoment, mover: Faction, territory: TerritoryId) -> Faction | None:
    there = game.state.forces_in(territory)
    allies = [ally for ally in game.state.ally_group(mover) if ally != mover and ally in there]
    if landed_beside_ally(game, slot, mover) == territory:
        return allies[0]
    met = slot.with_ally.get(territory, ())
    second = [ally for ally in allies if mover in met and ally in met and ally in slot.done]
    return second[0] if second and refusal_beside_ally(game, mover, territory) else None


def _territories(game: Game, faction: Faction) -> list[TerritoryId]:
    return list(dict.fromkeys(board.territory_of(area) for area, _ in game.state.areas_of(faction)))


# --- Shipments that must move on -------------------------------------------------------------------------------------


def refusal_to_land_with_ally(game: Game, mover: Faction, order: Ship) -> Refusal | None:
    if order.target is None:
        return None
    territory = board.territory_of(order.target)
    refusal = entry_barred(game, mover, territory, where_full="shipment.full-stronghold")
    if refusal is None or not PASSES_ALLIES(game.rules) or crossing_barred(game, mover, territory):
        return refusal
    here_already = mover in game.state.forces_in(territory)
    far = rules_of(game, mover).walks(order.forces)
    return refusal if here_already or not any(_areas_beyond(game, mover, order.target, far)) else None


def landed_beside_ally(game: Game, slot: SlotMoment, mover: Faction) -> TerritoryId | None:
    order = slot.shipment
    if order is None or slot.stopped or order.target is None:
        return None
    if not PASSES_ALLIES(game.rules):
        return None
    territory = board.territory_of(order.target)
    return territory if refusal_beside_ally(game, mover, territory) else None


def refusal_to_stay_with_ally(game: Game, mover: Faction, order: Order, earlier: list[Move]) -> Refusal | None:
    slot = slot_of(game)
    if (territory := landed_beside_ally(game, slot, mover)) is None:
        return None
    left = {area: game.here(area, mover) for area in TERRITORIES[territory].areas}
    for one in (*earlier, order) if isinstance(order, Move) else earlier:
        if one.source in left and left[one.source].covers(one.forces):
            left[one.source] -= one.forces
        if one.target in left:
            left[one.target] += one.forces
    if not any(left.values()) or not any(moves_onward(game, slot, mover)):
        return None
    why = f"Your ally is in {TERRITORIES[territory].name}: move on all tokens that you shipped there."
    return Refusal(why, "movement.where-an-ally-stands")


def moves_onward(game: Game, slot: SlotMoment, mover: Faction) -> Iterator[Move]:
    territory = landed_beside_ally(game, slot, mover)
    for area in TERRITORIES[territory].areas if territory else ():
        forces = game.here(area, mover)
        far = reach_from(game, slot, mover, area, forces)
        for goal in _areas_beyond(game, mover, area, far) if forces else ():
            yield Move(forces, area, goal)


def default_move(game: Game, mover: Faction) -> Order:
    return next(moves_onward(game, slot_of(game), mover), NoMove())


def _areas_beyond(game: Game, mover: Faction, area: Area, far: int) -> Iterator[Area]:
    distances = board.distances(area, game.state.storm, far, territories_closed(game, mover), game.state.door)
    here = board.territory_of(area)
    for goal in sorted(distances, key=lambda goal: (distances[goal], goal)):
        territory = board.territory_of(goal)
        if territory != here and entry_barred(game, mover, territory) is None:
            yield goal


SHARES_THE_SECTOR = Option("hms_storm_sector", {"pointed_sector": True, "none": False})
"""True if the storm over the sector that the Hidden Mobile Stronghold points at also closes the stronghold."""


def in_storm(game: Game, area: Area) -> bool:
    if area == MOBILE_STRONGHOLD:
        door = game.state.door
        return door is not None and SHARES_THE_SECTOR(game.rules) and sector_of(door) == game.state.storm
    return sector_of(area) == game.state.storm
