"""Committing the plans: both in secret, both at once (AH.X.B.1-a, AH.X.B.4, WBC.X.11 and 12).

A plan may be replaced until both are in. Then both are final: faults are mended, the spice is set aside and the plans
are shown together. Atreides' Karama makes one fighter commit before (WBC.XVII.11 to 14).
"""

from __future__ import annotations

from rules.chapters.battle import leaders, plans, prescience, repair
from rules.components import Card, Faction
from rules.decisions.asking import ask
from rules.decisions.question import Flow
from rules.orders import CHEAP_HERO, Key, Plan
from rules.rulesets.options import Option
from rules.state.events import Facts
from rules.state.game import Game
from rules.state.moments import BattleMoment, Committed

DRAFT_COUNTS = Option("forced_plan", {"draft_now": True, "finalise": False})

OPTIONS = (DRAFT_COUNTS,)


def commit_plans(game: Game, battle: BattleMoment) -> Flow:
    """Steps nine and ten: both plans become final and are shown."""
    chosen: dict[Faction, Plan] = {}
    while True:
        given: dict[Key, tuple[Plan, ...]] = {(faction, "battle-plan", ""): (plan,) for faction, plan in chosen.items()}
        answers = yield from ask(lambda: [plans.PlanQuestion(game, battle, f) for f in _open(battle)], given)
        chosen = {f: plan for f in _open(battle) if isinstance(plan := answers.of(f), Plan)}
        declined = _leader_wanted(game, battle, chosen)
        if declined is None:
            break
        del chosen[declined]
    for faction, plan in chosen.items():
        commit(game, battle, faction, plan)
    game.tell(
        "plans-revealed",
        territory=battle.territory,
        plans=[plan_facts(faction, battle.committed[faction]) for faction in battle.sides],
    )


def _open(battle: BattleMoment) -> list[Faction]:
    return [faction for faction in battle.sides if faction not in battle.committed]


def _leader_wanted(game: Game, battle: BattleMoment, chosen: dict[Faction, Plan]) -> Faction | None:
    """The fighter who must now name a leader, as only they have proposed a battle without leaders (AH.QA.B.7-b).

    None where the rule set takes such a plan and puts in the lowest leader (VACA.X.B.2.a).
    """
    proposing = [f for f, plan in chosen.items() if plans.proposes_no_leader(game, battle, f, plan)]
    if battle.leaders != "as usual" or not proposing:
        return None
    if len(proposing) == len(battle.sides):
        battle.leaders = "waived"
        game.tell("leaders-waived", territory=battle.territory)
        return None
    battle.leaders = "required"
    if plans.check(game, battle, proposing[0], chosen[proposing[0]]) is None:
        return None
    game.tell("leaders-required", territory=battle.territory, proposed_by=proposing[0])
    return proposing[0]


def commit(game: Game, battle: BattleMoment, faction: Faction, plan: Plan) -> None:
    """The plan is final: mended where it must be, and its spice set aside (AH.XXII.A.2)."""
    _tell_lapsed(game, battle, faction)
    if battle.leaders != "waived" and not leaders.has_any(game, battle, faction):
        game.tell("no-leader", faction=faction, territory=battle.territory)
    final = repair.mended(game, battle, faction, plan)
    game.pay(faction, final.plan.spice)
    battle.committed[faction] = final


def _tell_lapsed(game: Game, battle: BattleMoment, faction: Faction) -> None:
    """An answer that somebody else made impossible has lapsed, and who had asked hears of it (A-21)."""
    given = faction in battle.bound and "prescience" not in battle.cancelled
    if given and battle.asker and prescience.live(game, battle, faction) is None:
        audience = (battle.asker, faction)
        game.tell("prescience-lapsed", audience=audience, target=faction, territory=battle.territory)


def force(game: Game, battle: BattleMoment, seer: Faction, faction: Faction) -> Flow:
    """A special Karama, the Atreides', makes this plan final now. All see it in a battle of the seer's own, else the
    seer alone.

    "Immediately" takes the plan that lies there; who has sent none yet is asked for one (A-19).
    """
    battle.forced.append(faction)
    key: Key = (faction, "battle-plan", "")
    filed = game.filed.get(key, ()) if DRAFT_COUNTS(game.rules) else ()
    answers = yield from ask(lambda: [plans.PlanQuestion(game, battle, faction)], {key: filed} if filed else {})
    plan = answers.of(faction)
    if not isinstance(plan, Plan):
        return
    commit(game, battle, faction, plan)
    shown = plan_facts(faction, battle.committed[faction])
    if seer in battle.sides:
        game.tell("plan-laid-open", territory=battle.territory, target=faction, plan=shown)
    else:
        private: dict[Faction, Facts] = {seer: {"plan": shown}}
        game.tell("plan-seen", territory=battle.territory, target=faction, private=private)


def plan_facts(faction: Faction, committed: Committed) -> dict[str, object]:
    """A final plan as a fact; a cheap hero is named by its card."""
    plan = committed.plan
    return {
        "faction": faction,
        "dial": float(plan.dial),
        "spice": plan.spice,
        "leader": committed.cards[0] if plan.leader == CHEAP_HERO else plan.leader,
        "cheap_hero": plan.leader == CHEAP_HERO,
        "kwisatz_haderach": plan.kwisatz_haderach,
        "weapon": plan.weapon,
        "defense": plan.defense,
        "repairs": list(committed.repairs),
    }


def shown_cards(game: Game, faction: Faction) -> tuple[Card, ...]:
    """Cards of the faction that a binding answer to Atreides names; it may not give them away (WBC.XVII.9)."""
    battle = game.moments.battle
    if battle is None or battle.question is None or faction in battle.committed:
        return ()
    answer = prescience.live(game, battle, faction)
    named = prescience.shown(answer, battle.question.element) if answer else None
    if named == CHEAP_HERO:
        hero = leaders.cheap_hero(game, faction)
        return (hero,) if hero else ()
    return (Card(named),) if isinstance(named, str) and battle.question.element in ("weapon", "defense") else ()
