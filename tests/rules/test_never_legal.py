"""What can never be right of an order is consistent with what is right, and with the rooms of the factions."""

from __future__ import annotations

import pytest

from bot.soak.watch import Setting
from rules.cards.karama.card import EFFECTS
from rules.decisions.never_legal import may_be_asked, never_legal
from rules.decisions.question import Question
from rules.engine.catalogue import CATALOGUE
from rules.state.game import Game

ROOMS = CATALOGUE.factions.values()


def test_what_is_not_everybodys_decision_is_that_of_some_room() -> None:
    owned = {question for rules in ROOMS for question in rules.own_questions}
    asked = {question for stage in CATALOGUE.stages.values() for question in stage.questions}
    assert {question for question in asked if question.only_refusal is not None} == owned


def test_every_effect_of_a_karama_that_is_not_everybodys_is_that_of_some_room() -> None:
    own = {name for name, effect in EFFECTS.items() if effect.only_refusal is not None}
    assert {effect for rules in ROOMS for effect in rules.own_karama} == own


@pytest.mark.parametrize("rule_set", ["wbc-2018", "ah-basic"])
def test_nothing_that_a_random_player_may_answer_is_called_never_right(rule_set: str) -> None:
    setting = Setting(rule_set, "never right", ("atreides", "bene-gesserit", "emperor", "fremen", "guild", "harkonnen"))
    play, player = setting.start(), setting.player()
    while not play.over:
        for question in play.questions():
            assert_can_be_right(play.game, question)
        player.act(play)


def assert_can_be_right(game: Game, question: Question) -> None:
    faction = question.faction
    assert may_be_asked(game, faction, question.kind)
    for order in question.samples():
        assert never_legal(game, faction, order) is None, (faction, order)
