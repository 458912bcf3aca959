"""Tests for Truthtrance questions about the present: the one true answer, and questions without one."""

from __future__ import annotations

import pytest

from bot.language.lines import Context
from bot.language.orders import Unread, read_line
from bot.language.truthtrance import read
from rules.cards.truthtrance import check, truth
from rules.components import Card, Forces, Leader
from rules.state.state import Prediction
from tests.rules.stage import at, say, told
from tests.rules.truthtrance.questions import asked, game_in


@pytest.mark.clause("AH.AID.TIMED.1-b")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Do you hold the Slip Tip?", True),
        ("Do you have any projectile weapon?", True),
        ("Do you hold a poison weapon or a snooper?", False),
        ("Do you hold Cheap Heroine?", True),
        ("Do you hold Cheap Hero?", False),
        ("Do you hold a cheap hero?", True),
        ("Is Idaho your traitor?", True),
        ("Is Gurney or Hawat in your pay?", False),
        ("Is your spice at least 5?", True),
        ("Is your spice at least 6?", False),
        ("Do you hold two projectile weapons?", True),
        ("Do you hold three projectile weapons?", False),
        ("Do you hold exactly 1 projectile weapon?", False),
        ("Do you hold at most one shield?", True),
        ("Do you hold no shield?", True),
        ("Do you hold two shields?", False),
        ("Have you got both Karamas?", False),
        ("Are you holding a cheap hero and a projectile weapon?", True),
        ("Do you hold a cheap hero and a shield?", False),
        ("Do you have more than 2 treachery cards?", True),
        ("Do you have at least 4 cards in your hand?", False),
        ("Is the Slip-Tip in your hand?", True),
        ("Is your hand full?", False),
        ("Do you have Duncan Idaho as a traitor?", True),
        ("Is one of my leaders in your pay?", True),
        ("Is any Guild leader your traitor?", False),
        ("Do you hold Gurney Halleck captive?", True),
        ("Have you captured Thufir Hawat?", False),
        ("Did you predict me?", False),
        ("Is your spice 5?", True),
        ("Is your spice less than 5?", False),
        ("Do you have 4 spice?", True),
        ("Do you have exactly 4 spice?", False),
        ("Do you have more than 5 spice right now?", False),
        ("Do you have 3 tokens in your tanks?", True),
        ("Do you have more than 3 tokens in the tanks?", False),
        ("Do you have my trust and a shield?", None),
        ("Do you hold your ground?", None),
        ("Do you like me?", None),
    ],
)
def test_a_question_about_facts_has_one_true_answer(question: str, answer: bool | None) -> None:
    game = game_in()
    player = game.player("harkonnen")
    player.hand, player.spice = [Card("Slip-Tip"), Card("Cheap Heroine")], 5
    player.hand.append(Card("Stunner"))
    player.traitors = [Leader("Duncan Idaho")]
    player.captured = {Leader("Gurney Halleck"): "atreides"}
    player.tanks = Forces(3)
    assert truth(game, "harkonnen", read("atreides", "harkonnen", question).facts) is answer


@pytest.mark.clause("AH.AID.TIMED.1-b", "AH.SHIELD.BG.1-c")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Did you predict me?", True),
        ("Did you predict Atreides?", True),
        ("Did you predict the Guild?", False),
        ("Did you predict yourself?", False),
        ("Did you predict the Guild or Atreides?", True),
        ("Did you predict me to win in turn 7?", True),
        ("Did you predict me to win on turn 8?", False),
        ("Did you predict the Guild to win in turn 7?", False),
        ("Did you predict that I will win in turn 7 or 8?", True),
        ("Did you predict turn 7?", True),
        ("Did you predict a win before turn 7?", False),
        ("Did you predict turn 6 or later?", True),
        ("Is your prediction for turn 5?", False),
        ("Is your prediction Atreides in turn 7?", True),
        ("Have you predicted me?", True),
        ("Did you predict my move?", None),
        ("Did you predict rain in turn 7?", None),
    ],
)
def test_a_question_about_the_prediction_has_one_true_answer(question: str, answer: bool | None) -> None:
    game = game_in()
    game.state.prediction = Prediction("atreides", 7)
    assert truth(game, "bene-gesserit", read("atreides", "bene-gesserit", question).facts) is answer


@pytest.mark.clause("WBC.AID.14")
@pytest.mark.parametrize(
    "question",
    [
        "Will you answer No to this?",
        "Is your answer no?",
        "Will you say yes?",
        "Are you lying?",
        "Is this question true?",
    ],
)
def test_a_question_about_its_own_answer_is_refused(question: str) -> None:
    game = game_in()
    game.player("guild").hand = [Card("Truthtrance")]
    refusal = check(game, "guild", asked("guild", "harkonnen", question))
    assert refusal is not None
    assert refusal.topic == "truthtrance.no-paradox"


@pytest.mark.parametrize("question", ["Will you say yes to a deal this turn?", "Will you attack this turn?"])
def test_other_questions_are_not_taken_for_paradoxes(question: str) -> None:
    game = game_in()
    game.player("guild").hand = [Card("Truthtrance")]
    assert check(game, "guild", asked("guild", "harkonnen", question)) is None


@pytest.mark.clause("WBC.AID.4", "AH.AID.TIMED.1-b")
@pytest.mark.parametrize(
    ("question", "answer", "promises"),
    [
        ("Do you like me?", "no answer", 0),
        ("Will you be kind to me?", "no answer", 0),
        ("Do you hold a Shield?", "yes", 0),
        ("Will you ship to Carthag?", "no", 1),
    ],
)
def test_silence_publishes_nothing_that_may_be_untrue(question: str, answer: str, promises: int) -> None:
    play = at("bidding", faction={"harkonnen": {"hand": ["Shield"]}, "guild": {"hand": ["Truthtrance"]}})
    say(play, "guild", asked("guild", "harkonnen", question))
    play.expire()
    (answered,) = told(play, "truthtrance-answered")
    assert answered.facts["answer"] == answer
    assert len(play.state.promises) == promises


@pytest.mark.clause("WBC.AID.4")
def test_nobody_can_write_that_they_do_not_answer() -> None:
    for line in ("no answer", "answer no answer"):
        assert isinstance(read_line(line, Context(faction="guild")), Unread)
