"""Tests that orders called never legal are refused or corrected everywhere, and agree with the factions' rules."""

from __future__ import annotations

from collections import defaultdict

import pytest

from bot.lab.soak import Setting
from rules.cards.karama import EFFECTS
from rules.components import FACTIONS, Faction, Forces, leaders_of
from rules.decisions.catalogue import check_play
from rules.decisions.early_orders import may_be_asked, never_legal
from rules.decisions.question import Question
from rules.engine.catalogue import CATALOGUE
from rules.orders import Karama, Order, Plan, QuestionKind, Thumper
from rules.random_players import MOST_STOPS
from rules.state.game import Game
from tests.rules.stage import at

ROOMS = CATALOGUE.factions.values()
GAMES = {rule_set: Setting(rule_set, "never right", FACTIONS) for rule_set in ("wbc-2018", "ah-basic")}


def test_what_is_not_everybodys_decision_is_that_of_some_room() -> None:
    owned = {question for rules in ROOMS for question in rules.own_questions}
    asked = {question for stage in CATALOGUE.stages.values() for question in stage.questions}
    assert {question for question in asked if question.only_refusal is not None} == owned


def test_every_effect_of_a_karama_that_is_not_everybodys_is_that_of_some_room() -> None:
    own = {name for name, effect in EFFECTS.items() if effect.only_refusal is not None}
    assert {effect for rules in ROOMS for effect in rules.own_karama} == own


@pytest.mark.parametrize(("faction", "most"), [("guild", 20), ("fremen", 23), ("emperor", 25)])
def test_nobody_ever_dials_more_than_all_their_tokens_are_worth(faction: Faction, most: int) -> None:
    game = at("battle").game
    leader = leaders_of(faction)[0]
    assert never_legal(game, faction, Plan(most, leader=leader)) is None
    refusal = never_legal(game, faction, Plan(most + 0.5, leader=leader))
    assert refusal is not None
    assert refusal.reason == f"You can never dial more than {most}, with all your tokens in one battle."


def test_what_the_box_does_not_hold_is_never_right() -> None:
    refusal = never_legal(at("spice").game, "atreides", Thumper())
    assert refusal is not None
    assert refusal.reason == "That is not in this game; it belongs to an expansion."


def test_a_window_is_everybodys_and_a_prediction_that_of_one() -> None:
    game = at("storm").game
    asked = [[may_be_asked(game, who, kind) for kind in ("karama-window", "prediction")] for who in FACTIONS]
    assert asked == [[True, who == "bene-gesserit"] for who in FACTIONS]


@pytest.mark.parametrize("rule_set", ["wbc-2018", "ah-basic"])
def test_nothing_that_a_random_player_may_answer_is_called_never_right(rule_set: str) -> None:
    play, player = GAMES[rule_set].start(), GAMES[rule_set].player()
    while not play.over:
        for question in play.questions():
            assert_can_be_right(play.game, question)
        player.act(play)


def assert_can_be_right(game: Game, question: Question) -> None:
    faction = question.faction
    assert may_be_asked(game, faction, question.kind)
    for order in question.samples():
        assert never_legal(game, faction, order) is None, (faction, order)


@pytest.mark.parametrize("rule_set", ["wbc-2018", "ah-basic"])
def test_what_is_called_never_right_is_refused_or_mended_at_every_question(rule_set: str) -> None:
    """Every player tries orders that were legal for somebody. Plans that answer prescience are skipped, because only
    the requested part counts."""
    play, player, tried = GAMES[rule_set].start(), GAMES[rule_set].player(), 0
    known: dict[QuestionKind, dict[Order, None]] = defaultdict(dict)
    while not play.over:
        for question in play.questions():
            if question.kind == "prescience-answer":
                continue
            for order in known[question.kind]:
                if question.fits(order) and never_legal(play.game, question.faction, order):
                    tried += 1
                    assert question.refusal(order) or question.warnings(order), (question.faction, order)
            known[question.kind] |= dict.fromkeys(question.samples()[: 300 - len(known[question.kind])])
        player.act(play)
    assert tried > 1000


@pytest.mark.parametrize("rule_set", ["wbc-2018", "ah-basic"])
def test_a_karama_that_can_never_be_right_is_refused_at_every_stop(rule_set: str) -> None:
    play, player = GAMES[rule_set].start(), GAMES[rule_set].player()
    orders = [
        order
        for effect in EFFECTS
        for order in (Karama(effect), Karama(effect, faction="guild", number=1), Karama(effect, forces=Forces(1)))
    ]
    never = [(who, order) for who in play.state.players for order in orders if never_legal(play.game, who, order)]
    assert len(never) > 50
    for stop in range(MOST_STOPS):
        if play.over:
            return
        for faction, order in never if stop % 10 == 0 else ():
            assert check_play(play.game, faction, order) is not None, (faction, order)
        player.act(play)
