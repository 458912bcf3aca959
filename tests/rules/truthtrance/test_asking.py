"""Tests for the questions allowed under Truthtrance, and for the implied consequences of a yes."""

from __future__ import annotations

import pytest

from rules.cards.truthtrance import check, meaning
from rules.components import Card
from rules.orders import Answer, Truthtrance
from rules.orders import readings as acts
from rules.orders.readings import LONGEST_QUESTION, Occasion, Reading
from rules.positions.position import position
from rules.rulesets.rulebook import Refusal
from rules.state.moments import AuctionMoment
from rules.state.state import Scope
from tests.rules.stage import at, say
from tests.rules.truthtrance.questions import ARRAKEEN, CARTHAG, asked, cards, game_in, meant

PLAIN = "truthtrance.plain-question"


@pytest.mark.clause("AH.AID.TIMED.1-b")
@pytest.mark.parametrize(
    ("question", "refusal"),
    [
        ("a", None),
        ("7", None),
        ("a" * LONGEST_QUESTION, None),
        ("a" * (LONGEST_QUESTION + 1), Refusal("Your question has 301 characters; the limit is 300.", PLAIN)),
        ("?!", Refusal("Write a yes-or-no question after the colon.", "truthtrance.yes-or-no")),
    ],
)
def test_a_question_has_letters_and_not_too_many(question: str, refusal: Refusal | None) -> None:
    game = game_in()
    game.player("guild").hand = [Card("Truthtrance")]
    assert check(game, "guild", Truthtrance("harkonnen", question)) == refusal


@pytest.mark.clause("FAQ.TRUTHTRANCE.6")
@pytest.mark.parametrize(
    ("question", "later"),
    [
        ("Will you be kind to me in turn 3?", False),
        ("Will you be kind to me in turn 4?", False),
        ("Will you be kind to me in turn 5?", True),
        ("Will you be kind to me next turn?", True),
        ("Will you ship to Carthag in turn 3?", False),
        ("Will you ship to Carthag in turn 4?", False),
        ("Will you ship to Carthag in turn 5?", True),
    ],
)
def test_what_is_done_in_a_later_turn_cannot_be_asked_in_2019(question: str, later: bool) -> None:
    game = at("bidding", "gf9-advanced", faction={"guild": {"hand": ["Truthtrance"]}}).game
    why = "You can ask only about what happens this turn."
    assert check(game, "guild", asked("guild", "harkonnen", question)) == (
        Refusal(why, "truthtrance.this-turn") if later else None
    )


@pytest.mark.clause("FAQ.TRUTHTRANCE.3", "WBC.AID.7")
@pytest.mark.parametrize(
    ("question", "journey"),
    [
        ("Will you play a shield against me in battle in Carthag this turn?", acts.Attack("guild", CARTHAG)),
        ("Will you play a shield against me in battle this turn?", acts.Attack("guild", None)),
        ("Will you play a shield in battle in Carthag this turn?", acts.Enter(CARTHAG)),
        ("Will you play a shield in battle this turn?", None),
        ("Will you ship to Carthag this turn?", None),
    ],
)
def test_a_yes_to_a_deed_in_a_battle_leads_there_where_the_words_name_it(
    question: str, journey: acts.Attack | acts.Enter | None
) -> None:
    play = at("revival", "gf9-advanced", faction={"harkonnen": {}, "guild": {"hand": ["Truthtrance"]}})
    say(play, "guild", asked("guild", "harkonnen", question))
    say(play, "harkonnen", Answer("yes"))
    on_the_way = [(promise.act, promise.scope) for promise in play.state.promises if promise.on_the_way]
    assert on_the_way == ([] if journey is None else [(journey, Scope(4, 4))])
    assert len(play.state.promises) == 1 + len(on_the_way)


@pytest.mark.clause("FAQ.TRUTHTRANCE.3")
def test_a_yes_about_a_later_turn_leads_nowhere_in_this_one() -> None:
    options = {"truthtrance_future": "any", "truthtrance_yes_obliges": "yes"}
    start = {"turn": 4, "phase": "revival", "faction": {"harkonnen": {}, "guild": {"hand": ["Truthtrance"]}}}
    play = position({"ruleset": "wbc-2018", "options": options, "start": start}).play()
    play.begin_phase("revival")
    play.settle()
    say(play, "guild", asked("guild", "harkonnen", "Will you play a shield against me in battle next turn?"))
    say(play, "harkonnen", Answer("yes"))
    assert [(promise.scope.first_turn, promise.on_the_way) for promise in play.state.promises] == [(5, False)]


@pytest.mark.clause("WBC.AID.8")
def test_this_battle_is_that_of_the_one_asked_and_names_what_the_words_leave_out() -> None:
    shield = "Will you play a shield in this battle?"
    assert meant("guild", "harkonnen", shield).scope == Scope(4, 4, True, CARTHAG, "atreides")
    assert meant("guild", "emperor", shield).act is None
    against = meant("guild", "harkonnen", "Will you play a shield against me in this battle?")
    assert against.scope == Scope(4, 4, True, CARTHAG, "guild")
    elsewhere = Occasion(in_battle=True, this_battle=True, territory=ARRAKEEN)
    found = meaning(game_in(), "harkonnen", Reading(act=cards("Shield"), occasion=elsewhere))
    assert found.scope == Scope(4, 4, True, ARRAKEEN, "atreides")


@pytest.mark.clause("WBC.AID.8")
@pytest.mark.parametrize(
    "question", ["Will you bid more than 3 on this card?", "If you win this card, will you ship to Carthag?"]
)
def test_this_card_is_none_before_one_is_up(question: str) -> None:
    game = game_in()
    assert meant("guild", "harkonnen", question, game).act is not None
    game.moments.auction = AuctionMoment(number=0)
    assert meant("guild", "harkonnen", question, game).act is None
