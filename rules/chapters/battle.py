"""The Battle Round (AH.X, WBC.X).

The aggressors take their turns in the order of play, and each of them fights all of their battles in any order they
like. A battle has eleven steps (WBC.X.3 to 13). In short:

- The Voice is used, and may be cancelled.
- Prescience is used, may be cancelled, and is answered.
- In the last gap before the plans, Atreides' special Karama may be played, and the Karamas against the Kwisatz
  Haderach, starred tokens and the Fremen's support.
- The plans are committed, then revealed.
- The battle is resolved.

Until the plans are committed, a Karama may be played at every stop.

The answer to prescience (WBC.X.7): the opponent sends a whole plan. The element that was asked about is taken from it
and binds the opponent. A plan that was filed ahead serves as the answer, and stays on file for the battle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rules.chapters import (
    battle_leaders,
    battle_list,
    battle_plans,
    battle_resolution,
    battle_strength,
    voice_and_prescience,
)
from rules.chapters.battle_list import Battle
from rules.chapters.battle_plans import PlanQuestion
from rules.chapters.spice_blow import calling_gap
from rules.components import Card, Faction, the_faction
from rules.decisions.catalogue import factions_with, rules_of, tokens_gone
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow, Question, ask
from rules.decisions.windows import karama_can, window
from rules.orders import Element, Order, Plan, Prescience, Voice
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.state.game import Game
from rules.state.moments import BattleMoment


def _never_barred(game: Game) -> bool:
    return False


def _question_open(game: Game) -> bool:
    battle = game.moments.battle
    return battle is not None and battle.stage == "prescience" and answer_is_due(battle)


TRUTHTRANCE_BARRED = Option(
    "truthtrance_in_battle",
    {"any_time": _never_barred, "between_steps": _never_barred, "not_inside_prescience": _question_open},
)
"""A function that returns true if a Truthtrance must wait now. Each stop of a battle lies between two steps, so only
one of the values ever makes the card wait."""


def foresee(game: Game, battle: BattleMoment) -> Flow:
    answers = yield from ask(lambda: voice_and_prescience.prescience_questions(game, battle))
    match voice_and_prescience.asker_and_target(game, battle):
        case asker, target if isinstance(order := answers.of(asker), Prescience):
            voice_and_prescience.put_question(game, battle, asker, target, order)
            about = {"element": order.element, "territory": battle.territory}
            yield from window(game, "prescience", lambda: answer_is_due(battle), **about)
            yield from show_answer(game, battle, asker, target, order.element)


def answer_is_due(battle: BattleMoment) -> bool:
    return (
        battle.questioned is not None
        and "prescience" not in battle.cancelled
        and battle.questioned not in battle.forced
    )


def show_answer(game: Game, battle: BattleMoment, asker: Faction, target: Faction, element: Element) -> Flow:
    filed_ahead = [order for order in game.held.get(target, ()) if isinstance(order, Plan)]
    answers = yield from ask(lambda: [AnswerQuestion(game, battle, target, element)] if answer_is_due(battle) else [])
    plan = answers.of(target)
    if not isinstance(plan, Plan):
        return
    if plan in filed_ahead and plan not in game.held.get(target, ()):
        game.hold(target, plan)
    battle.bound[target] = plan
    hero = battle_leaders.cheap_hero_of(game, target)
    words = voice_and_prescience.answer_in_words(plan, element, hero)
    game.tell(
        "prescience-answered",
        target=target,
        element=element,
        territory=battle.territory,
        private={asker: {"answer": words}, target: {"answer": words}},
    )


class AnswerQuestion(PlanQuestion):
    """The question that asks the opponent for a plan, which must show the element that prescience has asked about. Only
    what the plan says about that element is checked."""

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
    """Return the reason why the plan cannot answer prescience, or None. The element asked about must be one that the
    player can use and that the Voice allows (AH.SHIELD.ATR.3-c)."""
    if refusal := voice_and_prescience.breach_of_voice(game, battle, target, plan):
        return refusal
    if voice_and_prescience.element_is_possible(game, battle, target, plan, element):
        return None
    value = voice_and_prescience.shown_element(plan, element)
    if element == "leader" and value is not None:
        return battle_leaders.leader_unavailable(game, battle, target, str(value))
    if element == "leader":
        return Refusal("You must show a leader or a cheap hero, because you must use one.", "battle.leader-required")
    if element == "number":
        dial = voice_and_prescience.element_in_words(value)
        why = f"With the tokens and spice there, {the_faction(target)} cannot dial {dial}."
        return Refusal(why, "battle.prescience-binds")
    if game.holds(target, Card(str(value))):
        why = f"{value} cannot be your {element}; you can show only what you will use."
        return Refusal(why, "battle.prescience-binds")
    return Refusal(f"You do not hold {value}; you can show only what you will use.", "battle.cards-in-hand")


__all__ = ["QUESTIONS", "flow"]


def flow(game: Game) -> Flow:
    if battle_list.all_battles(game):
        yield from calling_gap(game)
    game.moments.battles_begun = True
    battles = battle_list.all_battles(game)
    listed = [{"territory": b.territory, "aggressor": b.aggressor, "defender": b.defender} for b in battles]
    game.tell("battles-listed", battles=listed)
    for aggressor in game.order_of_play():
        while battle := (yield from battle_list.choose_battle(game, aggressor)):
            yield from fight(game, battle)


def fight(game: Game, chosen: Battle) -> Flow:
    battle = BattleMoment(chosen.territory, chosen.areas, (chosen.aggressor, chosen.defender))
    game.moments.battle = battle
    game.filed = {key: orders for key, orders in game.filed.items() if key[1] != "battle-plan"}
    game.tell(
        "battle-begins",
        territory=battle.territory,
        areas=list(battle.areas),
        aggressor=chosen.aggressor,
        defender=chosen.defender,
        forces={faction: str(battle_strength.forces_in(game, battle, faction)) for faction in battle.sides},
    )
    yield from speak(game, battle)
    battle.stage = "prescience"
    yield from foresee(game, battle)
    battle.stage = "plans"
    yield from window(game, "battle", lambda: has_last_gap(game, battle), territory=battle.territory)
    yield from battle_plans.commit_plans(game, battle)
    battle.stage = "resolution"
    yield from battle_resolution.resolve(game, battle)
    bind_leaders(game, battle)
    yield from battle_resolution.take_tech_token(game, battle)
    for faction in factions_with(game, FactionRules.after_battle):
        yield from rules_of(game, faction).after_battle(game, battle)
    for faction in factions_with(game, FactionRules.when_battle_is_over):
        yield from rules_of(game, faction).when_battle_is_over(game, battle)
    tokens_gone(game)
    game.state.storm_dialers = battle.sides
    game.moments.battle = None


def speak(game: Game, battle: BattleMoment) -> Flow:
    """Play the first two steps: the Voice is used, and may be cancelled. A separate window for cancelling the Voice
    opens only if an answer to prescience would have to obey the Voice. Otherwise the Voice can be cancelled in the last
    gap before the plans."""
    answers = yield from ask(
        lambda: [*voice_and_prescience.voice_questions(game, battle), *battle_strength.support_questions(game, battle)]
    )
    battle_strength.settle_support(game, battle, answers)
    match voice_and_prescience.speaker_and_target(game, battle):
        case speaker, _ if isinstance(order := answers.of(speaker), Voice):
            voice_and_prescience.give_voice(game, battle, order)
            if voice_and_prescience.prescience_questions(game, battle):
                yield from window(game, "voice", lambda: "voice" not in battle.cancelled, territory=battle.territory)


def has_last_gap(game: Game, battle: BattleMoment) -> bool:
    """Return whether, as far as everybody knows, a Karama may still change this battle before the plans are made
    (WBC.X.14)."""
    fighters_left = [faction for faction in battle.sides if faction not in battle.committed]
    if not fighters_left:
        return False
    at_stake = (
        (battle.voice is not None and "voice" not in battle.cancelled)
        or (battle.question is not None and "prescience" not in battle.cancelled)
        or (battle_leaders.haderach_may_appear(game, battle) and "kwisatz haderach" not in battle.cancelled)
        or any(rules_of(game, faction).has_karama_power(game, "see plan") for faction in game.state.players)
    )
    support_at_stake = karama_can(game.rules, "cancel fremen support")
    return at_stake or any(
        (support_at_stake and battle_strength.is_supported(game, battle, faction))
        or (
            battle_strength.has_starred_bonus(game, battle, faction)
            and karama_can(game.rules, battle_strength.karama_against_bonus(faction))
        )
        for faction in fighters_left
    )


def bind_leaders(game: Game, battle: BattleMoment) -> None:
    for faction in battle.sides:
        leader = battle_leaders.shown_leader(battle, faction)
        if leader and game.state.leaders[leader].status == "ready":
            game.state.leaders[leader].fought_in = battle.territory
        if battle.committed[faction].plan.kwisatz_haderach and game.state.kwisatz_haderach == "ready":
            game.state.kwisatz_haderach = "used"


QUESTIONS: tuple[type[Question], ...] = (
    battle_list.BattleOrderQuestion,
    voice_and_prescience.VoiceQuestion,
    battle_strength.SupportQuestion,
    voice_and_prescience.PrescienceQuestion,
    AnswerQuestion,
    battle_plans.PlanQuestion,
    battle_leaders.TreacheryQuestion,
    battle_resolution.PoisonToothQuestion,
    battle_resolution.LossesQuestion,
    battle_resolution.DiscardsQuestion,
    battle_leaders.CaptureQuestion,
    battle_resolution.TokenQuestion,
)
