"""Who goes by ornithopter, three territories far, as they have tokens in Arrakeen or Carthag (AH.IX.C.2.a.1).

The documents differ in when that is looked at: when the storm round ends (WBC.IX.13), when the movement round begins
(VACA.IX.C.2.a.i), when one's own slot begins, before the shipment (AH.IX.C.2.a.1), or when the group goes, so that
tokens shipped into a city serve at once (GF9.MOVE.2, FAQ.DIFF.2). Tokens that stand apart from others give none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rules.components import FACTION_FACTS, Faction, Forces
from rules.components.board import Area, TerritoryId, territory_of
from rules.decisions.catalogue import rules_of
from rules.rulesets.options import Option
from rules.state.game import Game
from rules.state.moments import SlotMoment

CITIES = (TerritoryId("arrakeen"), TerritoryId("carthag"))
BY_ORNITHOPTER = 3

LookedAt = Literal["round", "slot", "move"]
"""When it is looked at: as the movement round begins, as one's slot begins, as the group goes."""


@dataclass(frozen=True, slots=True)
class Check:
    """When it is looked at who has ornithopters, and by what."""

    at: LookedAt
    has: Callable[[Game, Faction], bool]


def _held_a_city_after_the_storm(game: Game, mover: Faction) -> bool:
    return mover in game.state.ornithopters


def holds_a_city(game: Game, mover: Faction) -> bool:
    """Whether tokens of the faction in Arrakeen or Carthag give it ornithopters now."""
    rules = rules_of(game, mover)
    return any(
        mover in game.state.forces_in(city) and rules.is_occupant(game, city) and rules.flies_at_once(game, city)
        for city in CITIES
    )


CHECK = Option(
    "ornithopter_check",
    {
        "end_of_storm": Check("slot", _held_a_city_after_the_storm),
        "start_of_movement_round": Check("round", holds_a_city),
        "start_of_own_move": Check("slot", holds_a_city),
        "start_of_force_move": Check("move", holds_a_city),
    },
)
HAJR_LOOKS_AGAIN = Option("hajr_rechecks_ornithopters", {"no": False, "yes": True})
"""Whether the move after one that has gone into a city is by ornithopter (FAQ.SHIP.4)."""


def look(game: Game, slot: SlotMoment, at: LookedAt, *movers: Faction) -> None:
    """Note who of these goes by ornithopter, where this is the time to look."""
    check = CHECK(game.rules)
    if check.at == at:
        slot.flying += [mover for mover in movers if mover not in slot.flying and check.has(game, mover)]


def look_again(game: Game, slot: SlotMoment, mover: Faction, target: Area) -> None:
    """A group has gone: into a city, it gives ornithopters to the moves that follow, where the rule set has it."""
    if territory_of(target) in CITIES and mover not in slot.flying and HAJR_LOOKS_AGAIN(game.rules):
        slot.flying += [mover] if holds_a_city(game, mover) else []


def flies(game: Game, slot: SlotMoment, mover: Faction) -> bool:
    """Whether the mover goes by ornithopter; until the ordinary move is made it may be looked at by every group."""
    if mover in slot.flying:
        return True
    goes_now = slot.mover == mover and slot.stage == "movement" and not slot.moved
    return goes_now and CHECK(game.rules).at == "move" and holds_a_city(game, mover)


def reach(game: Game, slot: SlotMoment, mover: Faction) -> int:
    """How many territories the group of the mover that goes farthest goes."""
    rules = rules_of(game, mover)
    farthest = 1 if rules.far_move_karama in slot.denied else rules.walks(FACTION_FACTS[mover].forces)
    return max(farthest, BY_ORNITHOPTER if flies(game, slot, mover) else 0)


def reach_from(
    game: Game,
    slot: SlotMoment,
    mover: Faction,
    source: Area,
    forces: Forces,
    *,
    flown: bool = False,
    next_move: bool = True,
) -> int:
    """How many territories these tokens go from where they stand. ``flown``: moves before this one will have brought
    ornithopters. ``next_move``: there is no move before this one; only then does a Karama limit it to one territory."""
    rules = rules_of(game, mover)
    kept_short = next_move and rules.far_move_karama in slot.denied
    by_itself = 1 if kept_short else rules.walks(forces)
    if kept_short and not rules.flies_when_kept_short(game.rules):
        return by_itself
    far = max(by_itself, BY_ORNITHOPTER if flown or flies(game, slot, mover) else 0)
    return far if far == by_itself or rules.boards(game, territory_of(source)) else by_itself


def brought_by(game: Game, mover: Faction, targets: list[Area]) -> bool:
    """Whether moves to these places will have brought ornithopters for the next one."""
    return any(territory_of(target) in CITIES for target in targets) and HAJR_LOOKS_AGAIN(game.rules)


def public(game: Game) -> list[Faction]:
    """Who has ornithopters as far as can be seen now: where it is looked at later, who would have them."""
    check, slot = CHECK(game.rules), game.moments.slot
    if check.at == "slot":
        return list(game.state.ornithopters)
    noted = slot.flying if slot else []
    if check.at == "round" and slot:
        return list(noted)
    return [faction for faction in game.state.players if faction in noted or holds_a_city(game, faction)]


def told_with_the_storm(game: Game) -> list[Faction]:
    """Who is told to have ornithopters as the storm round ends; nobody, where tokens shipped or moved may change it."""
    return list(game.state.ornithopters) if CHECK(game.rules).at == "slot" else []


OPTIONS = (CHECK, HAJR_LOOKS_AGAIN)
