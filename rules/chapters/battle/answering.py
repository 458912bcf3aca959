"""The answer to Atreides (WBC.X.7): the opponent sends a plan, and what was asked is taken from it and binds.

A plan that was filed ahead answers by itself and stays on file for the battle.
"""

from __future__ import annotations

from rules.chapters.battle import leaders, plans, prescience, voice
from rules.components import Card, Faction, faction_name
from rules.decisions.asking import ask
from rules.decisions.closures import Asked
from rules.decisions.question import Flow, Question
from rules.decisions.windows import window
from rules.orders import Element, Order, Plan, Prescience
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment


def foresee(game: Game, battle: BattleMoment) -> Flow:
    """Steps three to five: the question, the chance to cancel it, the answer."""
    answers = yield from ask(lambda: [q for q in [prescience.question(game, battle)] if q])
    order = answers.of("atreides")
    if not isinstance(order, Prescience):
        return
    prescience.put(game, battle, order)
    yield from window(game, "prescience", lambda: is_due(battle), element=order.element, territory=battle.territory)
    yield from answer(game, battle, order.element)


def is_due(battle: BattleMoment) -> bool:
    """Whether an answer is still wanted: no Karama has cancelled it, and the plan does not lie open anyhow."""
    return (
        battle.questioned is not None
        and "prescience" not in battle.cancelled
        and battle.questioned not in battle.forced
        and battle.questioned not in battle.bound
    )


def answer(game: Game, battle: BattleMoment, element: Element) -> Flow:
    """The opponent shows the element; only Atreides see it."""
    target = battle.questioned
    if target is None:
        return
    filed_ahead = [order for order in game.held.get(target, ()) if isinstance(order, Plan)]
    answers = yield from ask(lambda: [_question(game, battle, target, element)] if is_due(battle) else [])
    plan = answers.of(target)
    if not isinstance(plan, Plan):
        return
    if plan in filed_ahead and plan not in game.held[target]:
        game.hold(target, plan)
    battle.bound[target] = plan
    hero = leaders.cheap_hero(game, target)
    words = prescience.answer_words(plan, element, hero)
    game.tell(
        "prescience-answered",
        target=target,
        element=element,
        territory=battle.territory,
        private={"atreides": {"answer": words}, target: {"answer": words}},
    )


def _question(game: Game, battle: BattleMoment, target: Faction, element: Element) -> Question:
    def check(order: Order) -> Refusal | None:
        if not isinstance(order, Plan):
            return Refusal("Answer with a battle plan.", "WBC.X.7")
        return _unfit(game, battle, target, order, element)

    safe = plans.default_plan(game, battle, target)

    def choices() -> list[Order]:
        return list(dict.fromkeys([safe, *plans.examples(game, battle, target)]))

    about = {**plans.about(game, battle, target), "element": element}
    return Asked(target, "prescience-answer", safe, check, choices, about=about)


def _unfit(game: Game, battle: BattleMoment, target: Faction, plan: Plan, element: Element) -> Refusal | None:
    """What is shown must be what he can and, by the Voice, may use (AH.SHIELD.ATR.3-c)."""
    if refusal := voice.breach(game, battle, target, plan):
        return refusal
    if prescience.is_possible(game, battle, target, plan, element):
        return None
    value = prescience.shown(plan, element)
    if element == "leader" and value is not None:
        return leaders.unavailable(game, battle, target, str(value))
    if element == "leader":
        return Refusal("You must use a leader or a cheap hero, and that is what is asked.", "AH.X.C.9-a")
    if element == "number":
        why = f"{faction_name(target)} cannot dial {prescience.shown_text(value)} with the tokens and spice there."
        return Refusal(why, "AH.SHIELD.ATR.3-c")
    if value is not None and game.holds(target, Card(str(value))):
        why = f"{value} cannot be your {element}, and only what you will use may be shown."
        return Refusal(why, "AH.SHIELD.ATR.3-c")
    return Refusal(f"You do not hold {value}, and only what you will use may be shown.", "AH.X.B.3-b")
