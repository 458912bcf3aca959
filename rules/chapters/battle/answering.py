"""The answer to prescience (WBC.X.7): the opponent sends a plan, and what was asked is taken from it and binds.

A plan that was filed ahead answers by itself and stays on file for the battle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters.battle import leaders, prescience, voice
from rules.chapters.battle.plans import PlanQuestion
from rules.components import Card, Faction, faction_name
from rules.decisions.asking import ask
from rules.decisions.question import Flow
from rules.decisions.windows import window
from rules.orders import Element, Order, Plan, Prescience
from rules.rulesets.options import Option
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment


def _never(game: Game) -> bool:
    return False


def _question_open(game: Game) -> bool:
    """Whether prescience has asked and has no answer yet."""
    battle = game.moments.battle
    return battle is not None and battle.stage == "prescience" and is_due(battle)


TRUTHTRANCE_BARRED = Option(
    "truthtrance_in_battle", {"any_time": _never, "between_steps": _never, "not_inside_prescience": _question_open}
)
"""Whether a Truthtrance must wait now. Each stop of a battle lies between two of its steps, so only one value bars."""

OPTIONS = (TRUTHTRANCE_BARRED,)


def foresee(game: Game, battle: BattleMoment) -> Flow:
    """Steps three to five: the question, the chance to cancel it, the answer."""
    answers = yield from ask(lambda: prescience.questions(game, battle))
    match prescience.asker_and_target(game, battle):
        case asker, target if isinstance(order := answers.of(asker), Prescience):
            prescience.put(game, battle, asker, target, order)
            about = {"element": order.element, "territory": battle.territory}
            yield from window(game, "prescience", lambda: is_due(battle), **about)
            yield from answer(game, battle, asker, target, order.element)


def is_due(battle: BattleMoment) -> bool:
    """Whether an answer is still wanted: no Karama has cancelled it, and the plan does not lie open anyhow."""
    return (
        battle.questioned is not None
        and "prescience" not in battle.cancelled
        and battle.questioned not in battle.forced
    )


def answer(game: Game, battle: BattleMoment, asker: Faction, target: Faction, element: Element) -> Flow:
    """The opponent shows the element, to the asker alone."""
    filed_ahead = [order for order in game.held.get(target, ()) if isinstance(order, Plan)]
    answers = yield from ask(lambda: [AnswerQuestion(game, battle, target, element)] if is_due(battle) else [])
    plan = answers.of(target)
    if not isinstance(plan, Plan):
        return
    if plan in filed_ahead and plan not in game.held.get(target, ()):
        game.hold(target, plan)
    battle.bound[target] = plan
    hero = leaders.cheap_hero(game, target)
    words = prescience.answer_words(plan, element, hero)
    game.tell(
        "prescience-answered",
        target=target,
        element=element,
        territory=battle.territory,
        private={asker: {"answer": words}, target: {"answer": words}},
    )


class AnswerQuestion(PlanQuestion):
    """Which plan do you show an element of? Only what the plan says about that element is judged."""

    kind = "prescience-answer"
    leads_on = False

    def __init__(self, game: Game, battle: BattleMoment, faction: Faction, element: Element) -> None:
        super().__init__(game, battle, faction)
        self._element = element

    def refusal(self, order: Order) -> Refusal | None:
        if not isinstance(order, Plan):
            return Refusal("Answer with a battle plan.", "battle.prescience-answer")
        return _unfit(self.game, self.battle, self.faction, order, self._element)

    @property
    def default(self) -> Order:
        return self.safe

    def warnings(self, order: Order) -> Sequence[Refusal]:
        return ()

    @property
    def facts(self) -> Mapping[str, Any]:
        return {**super().facts, "element": self._element}


def _unfit(game: Game, battle: BattleMoment, target: Faction, plan: Plan, element: Element) -> Refusal | None:
    """What is shown must be what they can and, by the Voice, may use (AH.SHIELD.ATR.3-c)."""
    if refusal := voice.breach(game, battle, target, plan):
        return refusal
    if prescience.is_possible(game, battle, target, plan, element):
        return None
    value = prescience.shown(plan, element)
    if element == "leader" and value is not None:
        return leaders.unavailable(game, battle, target, str(value))
    if element == "leader":
        return Refusal("You must use a leader or a cheap hero, and that is what is asked.", "battle.leader-required")
    if element == "number":
        why = f"{faction_name(target)} cannot dial {prescience.shown_text(value)} with the tokens and spice there."
        return Refusal(why, "battle.prescience-binds")
    if game.holds(target, Card(str(value))):
        why = f"{value} cannot be your {element}, and only what you will use may be shown."
        return Refusal(why, "battle.prescience-binds")
    return Refusal(f"You do not hold {value}, and only what you will use may be shown.", "battle.cards-in-hand")
