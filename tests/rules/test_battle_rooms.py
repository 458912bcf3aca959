"""Tests for battles in which a faction has other factions' powers, and for the clauses that battle refusals cite."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rules.chapters import battle_leaders
from rules.components import Card, Leader
from rules.decisions.catalogue import rules_of
from rules.decisions.faction_rules import FactionRules
from rules.decisions.question import Flow
from rules.engine.catalogue import CATALOGUE
from rules.engine.play import Play
from rules.orders import Capture, FremenSupport, Karama, NoVoice, Order, Plan, Prescience, Treachery, Voice
from rules.positions.position import position
from rules.state.game import Game
from rules.state.moments import BattleMoment
from tests.rules.stage import at, say


class Newcomer(FactionRules):
    """An unknown faction whose powers belong to known ones."""

    def has_voice(self, game: Game) -> bool:
        return True

    def has_prescience(self, game: Game) -> bool:
        return True

    def takes_captives(self, game: Game) -> bool:
        return True

    def supports(self, game: Game, fighter: str) -> bool:
        return fighter == self.faction

    def after_battle(self, game: Game, battle: BattleMoment) -> Flow:
        yield from battle_leaders.capture_leader(game, battle, self.faction)


def a_battle(ruleset: str = "wbc-2018", newcomer: str | None = None, **given: dict[str, Any]) -> Play:
    """Return a battle between Guild and Emperor in the Plastic Basin, one of whom may be a newcomer."""
    start = {
        "phase": "battle",
        "turn": 3,
        "storm": 7,
        "factions": ["guild", "emperor"],
        "dots": {"guild": 8, "emperor": 11},
        "faction": {
            name: {"forces": {"plastic-basin/13": "4"}, **given.get(name, {})} for name in ("guild", "emperor")
        },
    }
    play = position({"ruleset": ruleset, "start": start}).play()
    if newcomer:
        catalogue = replace(CATALOGUE, factions={**CATALOGUE.factions, newcomer: Newcomer(newcomer)})
        play.game.rules = replace(play.game.rules, catalogue=catalogue)
    play.begin_phase("battle")
    play.settle()
    return play


def asked(play: Play) -> list[tuple[str, str]]:
    return [(question.faction, question.kind) for question in play.questions()]


@pytest.mark.clause("WBC.HR.6a", "WBC.HR.6c")
@pytest.mark.parametrize(
    ("value", "granted", "supported"),
    [
        ("paid", True, []),
        ("free", True, ["fremen"]),
        ("free_and_lendable", True, ["fremen", "guild"]),
        ("free_and_lendable", False, ["fremen"]),
    ],
)
def test_whom_the_fremen_let_fight_at_full_strength(value: str, granted: bool, supported: list[str]) -> None:
    factions = ["emperor", "fremen", "guild"]
    start = {"turn": 3, "phase": "battle", "factions": factions, "alliances": [["fremen", "guild"]]}
    game = position({"ruleset": "wbc-2018", "options": {"fremen_support": value}, "start": start}).play().game
    game.state.fremen_support = granted
    assert [fighter for fighter in factions if rules_of(game, "fremen").supports(game, fighter)] == supported


@pytest.mark.clause("AH.SHIELD.BG.3-a", "AH.SHIELD.ATR.3-a")
def test_whoever_has_them_speaks_with_the_voice_and_foresees() -> None:
    play = a_battle(newcomer="guild", emperor={"hand": ["Shield"]})
    assert asked(play) == [("guild", "voice")]
    assert play.submit("guild", [Voice("emperor", "shield", play=True)])[0].status == "accepted"
    while asked(play) != [("guild", "prescience")]:
        play.expire()
    play.submit("guild", [Prescience("defense")])
    while asked(play) != [("emperor", "prescience-answer")]:
        play.expire()
    disobedient = play.check("emperor", Plan(1, "Caid"))
    assert disobedient.refusal
    assert disobedient.refusal.clause == "AH.SHIELD.BG.3-a"
    play.submit("emperor", [Plan(1, "Caid", defense=Card("Shield"))])
    answered = next(event for event in play.events if event.kind == "prescience-answered")
    assert answered.seen_by("guild")["answer"] == "Shield"
    assert "answer" not in answered.seen_by("public")


@pytest.mark.clause("AH.SHIELD.HAR.3-a", "AH.SHIELD.HAR.3-d", "WBC.HR.6a")
def test_whoever_takes_captives_keeps_one_and_leads_with_it() -> None:
    play = a_battle(newcomer="guild")
    plan = Plan(4, "Staban Tuek")  # at full strength even without spice
    while ("guild", "battle-plan") not in asked(play):
        play.expire()
    assert play.check("guild", plan).warnings == ()
    play.submit("guild", [plan])
    while ("guild", "capture") not in asked(play):
        play.expire()
    play.submit("guild", [Capture("keep")])
    (captive,) = play.state.players["guild"].captured
    assert play.state.players["guild"].captured[captive] == "emperor"
    assert Leader(captive) not in play.state.players["emperor"].captured


def test_nobody_is_asked_for_a_power_that_nobody_has() -> None:
    assert {kind for _, kind in asked(a_battle())} == {"battle-plan"}


def _refused(play: Play, order: Order) -> str:
    refusal = play.check("guild", order).refusal
    assert refusal is not None, order
    return refusal.clause


BY_RULE_SET = [
    (FremenSupport(granted=True), "WBC.HR.6c", "AH.XXII.A.1"),
    (Capture("keep"), "AH.SHIELD.HAR.3-a", "AH.SHIELD.HAR.3-a"),
    (Voice("emperor", "shield", play=True), "AH.SHIELD.BG.3-a", "AH.SHIELD.BG.3-a"),
    (NoVoice(), "AH.SHIELD.BG.3-a", "AH.SHIELD.BG.3-a"),
    (Prescience("number"), "AH.SHIELD.ATR.3-a", "AH.SHIELD.ATR.3-a"),
]


@pytest.mark.clause("WBC.HR.6c", "AH.SHIELD.HAR.3-a", "AH.SHIELD.BG.3-a", "AH.SHIELD.ATR.3-a")
@pytest.mark.parametrize(("order", "wbc", "printed"), BY_RULE_SET, ids=lambda value: type(value).__name__)
def test_an_order_for_a_power_of_others_is_refused_by_the_book_that_is_played(
    order: Order, wbc: str, printed: str
) -> None:
    assert _refused(a_battle(), order) == wbc
    assert _refused(a_battle("ah-basic"), order) == printed


@pytest.mark.clause("AH.X.B.4", "WBC.X.11", "AH.SHIELD.ATR.4-a")
def test_a_plan_that_is_final_or_has_no_right_to_its_hero_is_refused_by_the_book_that_is_played() -> None:
    printed = a_battle("ah-basic")
    assert _refused(printed, Plan(1, "Staban Tuek", kwisatz_haderach=True)) == "AH.SHIELD.ATR.4-a"
    for play, clause in ((a_battle(guild={"traitors": ["Caid"]}), "WBC.X.11"), (printed, "AH.X.B.4")):
        plans = {"guild": Plan(1, "Staban Tuek"), "emperor": Plan(1, "Caid")}
        while ("guild", "battle-plan") not in asked(play):
            play.expire()
        for faction, plan in plans.items():
            play.submit(faction, [plan])
        assert ("guild", "traitor-call") in asked(play)
        assert _refused(play, Plan(0, "Staban Tuek")) == clause


@pytest.mark.clause("AH.X.D.1-b")
def test_treachery_called_ahead_waits_for_the_plans() -> None:
    play = a_battle()
    assert play.check("guild", Treachery()).status == "held"


@pytest.mark.clause("WBC.XVII.11", "WBC.X.14")
def test_no_gap_before_the_plans_is_left_once_both_lie_open() -> None:
    fighters = {name: {"forces": {"plastic-basin/13": "4"}} for name in ("guild", "emperor")}
    seer = {"atreides": {"hand": ["Karama", "Karama"]}, "bene-gesserit": {}}
    play = at("battle", storm=7, factions=[*fighters, *seer], faction={**fighters, **seer})
    plans = {"guild": Plan(1, "Staban Tuek"), "emperor": Plan(1, "Caid")}
    for target, plan in plans.items():
        assert {kind for _, kind in asked(play)} == {"karama-window"}
        say(play, "atreides", Karama("see plan", faction=target))
        play.expire()
        assert asked(play) == [(target, "battle-plan")]
        say(play, target, plan)
    assert asked(play) == [("guild", "traitor-call"), ("emperor", "traitor-call")]
