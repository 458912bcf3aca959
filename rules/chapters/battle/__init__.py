"""The Battle Round (AH.X, WBC.X).

The aggressors fight in the order of play, each all their battles in the order that they like. A battle goes in eleven
steps (WBC.X.3 to 13): the Voice, and the chance to cancel it; prescience, the chance to cancel it, and the answer; the
last gap before the plans, in which Atreides' Karama and the Karamas against the Kwisatz Haderach, starred tokens and
the Fremen's support have their place; the plans are committed; they are shown; the battle is resolved. Until the
plans are committed a Karama may be played at every stop.
"""

from __future__ import annotations

from typing import Any

from rules.chapters.battle import (
    answering,
    capture,
    commitment,
    kwisatz_haderach,
    leaders,
    listing,
    plans,
    poison_tooth,
    prescience,
    repair,
    resolution,
    spoils,
    strength,
    support,
    tokens_taken,
    traitors,
    voice,
)
from rules.chapters.battle.listing import Battle
from rules.decisions.asking import ask
from rules.decisions.catalogue import factions_with, rules_of
from rules.decisions.departures import tokens_gone
from rules.decisions.faction_rules import FactionRules
from rules.decisions.karama import can_do
from rules.decisions.question import Flow, Question
from rules.decisions.windows import window
from rules.orders import Voice
from rules.rulesets.options import Option
from rules.state.game import Game
from rules.state.moments import BattleMoment

__all__ = ["OPTIONS", "QUESTIONS", "flow"]


def flow(game: Game) -> Flow:
    """The Battle Round."""
    battles = listing.all_battles(game)
    listed = [{"territory": b.territory, "aggressor": b.aggressor, "defender": b.defender} for b in battles]
    game.tell("battles-listed", battles=listed)
    for aggressor in game.order_of_play():
        while battle := (yield from listing.choose_battle(game, aggressor)):
            yield from fight(game, battle)


def fight(game: Game, chosen: Battle) -> Flow:
    """One battle from the Voice to the captive."""
    battle = BattleMoment(chosen.territory, chosen.areas, (chosen.aggressor, chosen.defender))
    game.moments.battle = battle
    game.filed = {key: orders for key, orders in game.filed.items() if key[1] != "battle-plan"}
    game.tell(
        "battle-begins",
        territory=battle.territory,
        areas=list(battle.areas),
        aggressor=chosen.aggressor,
        defender=chosen.defender,
        forces={faction: str(strength.forces_in(game, battle, faction)) for faction in battle.sides},
    )
    yield from speak(game, battle)
    battle.stage = "prescience"
    yield from answering.foresee(game, battle)
    battle.stage = "plans"
    yield from window(game, "battle", lambda: has_last_gap(game, battle), territory=battle.territory)
    yield from commitment.commit_plans(game, battle)
    battle.stage = "resolution"
    yield from resolution.resolve(game, battle)
    bind_leaders(game, battle)
    yield from tokens_taken.take(game, battle)
    for faction in factions_with(game, FactionRules.after_battle):
        yield from rules_of(game, faction).after_battle(game, battle)
    for faction in factions_with(game, FactionRules.when_battle_is_over):
        yield from rules_of(game, faction).when_battle_is_over(game, battle)
    tokens_gone(game)
    game.state.storm_dialers = battle.sides
    game.moments.battle = None


def speak(game: Game, battle: BattleMoment) -> Flow:
    """Steps one and two. A window of its own is held only where an answer to prescience would have to obey the Voice;
    else the last gap before the plans serves.
    """
    answers = yield from ask(lambda: [*voice.questions(game, battle), *support.questions(game, battle)])
    support.settle(game, battle, answers)
    match voice.speaker_and_target(game, battle):
        case speaker, _ if isinstance(order := answers.of(speaker), Voice):
            voice.give(game, battle, order)
            if prescience.questions(game, battle):
                yield from window(game, "voice", lambda: "voice" not in battle.cancelled, territory=battle.territory)


def has_last_gap(game: Game, battle: BattleMoment) -> bool:
    """Whether, by what everybody can see, a Karama may still change this battle before the plans (WBC.X.14)."""
    fighters_left = [faction for faction in battle.sides if faction not in battle.committed]
    if not fighters_left:
        return False
    at_stake = (
        (battle.voice is not None and "voice" not in battle.cancelled)
        or (battle.question is not None and "prescience" not in battle.cancelled)
        or (kwisatz_haderach.may_appear(game, battle) and "kwisatz haderach" not in battle.cancelled)
        or any(rules_of(game, faction).has_karama_power(game, "see plan") for faction in game.state.players)
    )
    support_at_stake = can_do(game.rules, "cancel fremen support")
    return at_stake or any(
        (support_at_stake and strength.supported_free(game, battle, faction))
        or (strength.has_bonus(game, battle, faction) and can_do(game.rules, strength.karama_against(faction)))
        for faction in fighters_left
    )


def bind_leaders(game: Game, battle: BattleMoment) -> None:
    """Leaders who lived are bound to this territory for the round, and the Kwisatz Haderach has done its turn's
    work.
    """
    for faction in battle.sides:
        leader = traitors.shown_leader(battle, faction)
        if leader and game.state.leaders[leader].status == "ready":
            game.state.leaders[leader].fought_in = battle.territory
        if battle.committed[faction].plan.kwisatz_haderach and game.state.kwisatz_haderach == "ready":
            game.state.kwisatz_haderach = "used"


QUESTIONS: tuple[type[Question], ...] = (
    listing.BattleOrderQuestion,
    voice.VoiceQuestion,
    support.SupportQuestion,
    prescience.PrescienceQuestion,
    answering.AnswerQuestion,
    plans.PlanQuestion,
    traitors.TreacheryQuestion,
    poison_tooth.PoisonToothQuestion,
    spoils.LossesQuestion,
    spoils.DiscardsQuestion,
    capture.CaptureQuestion,
    tokens_taken.TokenQuestion,
)

OPTIONS: tuple[Option[Any], ...] = (
    *listing.OPTIONS,
    *strength.OPTIONS,
    *leaders.OPTIONS,
    *plans.OPTIONS,
    *kwisatz_haderach.OPTIONS,
    *commitment.OPTIONS,
    *repair.OPTIONS,
    *traitors.OPTIONS,
    *answering.OPTIONS,
    *voice.OPTIONS,
    *resolution.OPTIONS,
)
