"""Battle plans by mail: the faults that prevent a plan from being fought as written, and the nearest plans without
them.

The rules refuse a faulty plan, or mend it when plans are revealed. By mail there is time to ask the player first. A
plan that would have to be mended is put on the sheet as a fallback, and is fought only if no better plan has come by
the deadline (``bot.table.deputy.expire``). A plan for a later battle is also put there, because it may be impossible by
the time of that battle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from msgspec.structs import replace

from bot.language.condition_lines import MOST_FACTS
from bot.language.conditions import Condition, Fact, alternatives
from bot.language.facts import BATTLE_IN, FIGHTING
from bot.language.sheets import SheetLine
from rules.chapters import battle_leaders, battle_list, battle_plans, battle_strength
from rules.components import Card, Faction, Leader, Place, is_defense, is_weapon, leader_strength
from rules.components.board import POLAR_SINK, territory_of
from rules.engine.play import Play
from rules.orders import CHEAP_HERO, Plan
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment

MOST_OFFERED = 4
AFTER_MOVEMENT = ("battle", "collection", "mentat")


@dataclass(frozen=True, slots=True)
class FaultyPlan:
    faults: Sequence[Refusal]
    mended: Plan | None  # the plan that would be fought instead, or None if there is none
    nearest: Sequence[Plan]


def faulty_plan(play: Play, faction: Faction, line: SheetLine) -> FaultyPlan | None:
    """Judge a line's plan for every battle for which it may be meant, and return its faults. Return None if it is valid
    in one of these battles, or if there is no battle."""
    turn = play.state.turn
    if not isinstance(line.order, Plan) or (line.turns and turn not in line.turns):
        return None
    if play.state.phase in ("revival", "movement"):
        return _judge_before_battles(play.game, faction, line.order)
    if play.state.phase != "battle":
        return None
    found: list[FaultyPlan] = []
    for battle in _battles_to_come(play.game, faction):
        if _may_mean(line.condition, battle):
            fault = judge_plan(play.game, battle, faction, line.order)
            if fault is None:
                return None
            found.append(fault)
    return found[0] if found else None


def fallback_line(battle: BattleMoment, faction: Faction, plan: Plan) -> SheetLine:
    return SheetLine(plan, Fact(FIGHTING, (battle.opponent(faction),)), times=1)


def judge_plan(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> FaultyPlan | None:
    refused = battle_plans.plan_refusal(game, battle, faction, plan)
    faults = list(battle_plans.plan_faults(game, battle, faction, plan))
    if battle is not game.moments.battle and any(
        lender != faction == fighter for lender, fighter in battle_strength.lenders_of_support(game, battle)
    ):
        faults = [fault for fault in faults if fault.topic != "battle.spice-support"]  # their ally has not decided yet
    if refused is not None and refused not in faults:
        faults.insert(0, refused)
    if not faults:
        return None
    # which of the two cards counts is decided at random
    drawn = battle_strength.misplaced_cards(plan.weapon, plan.defense)
    mended = None if refused or drawn else battle_plans.mended_plan(game, battle, faction, plan).plan
    return FaultyPlan([fault.cited(game.rules) for fault in faults], mended, nearest_plans(game, battle, faction, plan))


def _judge_before_battles(game: Game, faction: Faction, plan: Plan) -> FaultyPlan | None:
    """Judge the leader and the cards of a plan before the battles are known. This is done once the cards of the turn
    have been sold, because leaders and cards hardly change after that."""
    nowhere = BattleMoment(territory_of(POLAR_SINK), (), (faction, faction))
    faults = list(battle_plans.card_faults(game, nowhere, faction, plan))
    if plan.leader and (away := battle_leaders.leader_unavailable(game, nowhere, faction, plan.leader)):
        faults.insert(0, away)
    if not faults:
        return None
    leaders = _leaders(game, nowhere, faction, plan.leader)[:MOST_OFFERED]
    hand = game.player(faction).hand
    weapon, defense = (card if card in hand else None for card in (plan.weapon, plan.defense))
    nearest = [replace(plan, leader=leader, weapon=weapon, defense=defense) for leader in leaders]
    return FaultyPlan([fault.cited(game.rules) for fault in faults], None, nearest)


def _battles_to_come(game: Game, faction: Faction) -> Iterator[BattleMoment]:
    on = game.moments.battle
    if on and faction in on.sides and faction not in on.committed and on.stage != "resolution":
        yield on
    now = (set(on.sides), on.areas) if on else None
    for battle in battle_list.all_battles(game):
        sides = (battle.aggressor, battle.defender)
        if faction in sides and (set(sides), battle.areas) != now:
            yield BattleMoment(battle.territory, battle.areas, sides)


def is_too_late(play: Play, faction: Faction, line: SheetLine) -> bool:
    """Return True if a plan comes too late: it names no turn, and every battle of this turn for which it may be meant
    has already been fought."""
    if not isinstance(line.order, Plan) or line.turns or line.standing or play.state.phase not in AFTER_MOVEMENT:
        return False
    ahead = _battles_to_come(play.game, faction) if play.state.phase == "battle" else ()
    return not any(_may_mean(line.condition, battle) for battle in ahead)


def _may_mean(condition: Condition | None, battle: BattleMoment) -> bool:
    if condition is None:
        return True

    def fits(fact: object, wanted: bool) -> bool:
        match fact:
            case Fact(number, (opponent,)) if number == FIGHTING:
                return (opponent in battle.sides) is wanted
            case Fact(number, (territory,)) if number == BATTLE_IN:
                return (territory == battle.territory) is wanted
        return True

    cases = alternatives(condition, MOST_FACTS) or ()
    return any(all(fits(fact, wanted) for fact, wanted in case) for case in cases)


def nearest_plans(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> list[Plan]:
    leaders = _leaders(game, battle, faction, plan.leader)
    weapons = _cards(game, faction, plan.weapon, "weapon")
    defenses = _cards(game, faction, plan.defense, "defense")
    dials = _dials(game, battle, faction, plan)
    found = _legal_plans(game, battle, faction, product(leaders, weapons, defenses, [plan.kwisatz_haderach], dials))
    fewer = product(leaders, dict.fromkeys((*weapons, None)), dict.fromkeys((*defenses, None)), [False], dials)
    return found or _legal_plans(game, battle, faction, fewer)


_Sketch = tuple[str | None, Card | None, Card | None, bool, tuple[float, int]]


def _legal_plans(game: Game, battle: BattleMoment, faction: Faction, sketches: Iterable[_Sketch]) -> list[Plan]:
    found: dict[Plan, None] = {}
    for leader, weapon, defense, haderach, (dial, spice) in sketches:
        plan = Plan(dial, leader, weapon, defense, spice, haderach)
        legal = battle_plans.obedient_plan(game, battle, faction, plan)
        refusal = battle_plans.plan_refusal(game, battle, faction, legal)
        if not refusal and not any(battle_plans.plan_faults(game, battle, faction, legal)):
            found[legal] = None
        if len(found) == MOST_OFFERED:
            break
    return list(found)


def _leaders(game: Game, battle: BattleMoment, faction: Faction, wanted: str | None) -> list[str | None]:
    able = battle_leaders.available_leaders(game, battle, faction)
    hero = [CHEAP_HERO] if battle_leaders.cheap_hero_of(game, faction) else []
    if wanted is None:
        return [None, *able, *hero]
    if battle_leaders.leader_unavailable(game, battle, faction, wanted) is None:
        return [wanted]
    strength = 0 if wanted == CHEAP_HERO else leader_strength(Leader(wanted))
    able.sort(key=lambda leader: abs(leader_strength(leader) - strength))
    return [*able, *hero] or [None]


def _cards(game: Game, faction: Faction, wanted: Card | None, place: Place) -> list[Card | None]:
    hand = game.player(faction).hand
    if wanted is None or wanted in hand:
        return [wanted]
    fits = is_weapon if place == "weapon" else is_defense
    return [None, *dict.fromkeys(card for card in hand if fits(card))]


def _dials(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> list[tuple[float, int]]:
    forces = battle_strength.forces_in(game, battle, faction)
    worth = battle_strength.worth_of_tokens(game, battle, faction)
    counts = battle_strength.SPICE_COUNTS(game.rules)
    held = game.player(faction).spice if counts else 0
    most = min(held, forces.elite) if worth.half else held
    wanted, spice = max(int(plan.dial * 2), 0), max(min(plan.spice, most), 0)
    made = battle_strength.highest_dial_made(forces, worth, spice, wanted)
    highest = battle_strength.highest_dial_made(forces, worth, most, wanted)
    least = battle_strength.least_spice_for_dial(forces, worth, most, highest) or 0
    dials = dict.fromkeys([(wanted, spice)] if made == wanted == highest else [(highest, least), (made, spice)])
    if plan.spice > most:
        dials[highest, least] = None
    return [(battle_strength.as_dial(dial), paid) for dial, paid in dials]
