"""Tests for the questions to the winner after a battle."""

from __future__ import annotations

import pytest

from rules.components import Card, Leader
from rules.engine import log
from rules.orders import Discard, Keep, Lose, Plan
from tests.rules.stage import at, say, told, until


@pytest.mark.clause("AH.XXII.C-a")
@pytest.mark.parametrize(("tokens", "asked"), [("5", False), ("5+1", True)])
def test_a_winner_whose_tokens_make_up_the_dial_in_one_way_only_is_not_asked_for_losses(
    tokens: str, asked: bool
) -> None:
    there = {"emperor": {"forces": {"plastic-basin/13": tokens}}, "guild": {"forces": {"plastic-basin/13": "1"}}}
    play = at("battle", storm=7, factions=["emperor", "guild"], dots={"emperor": 8, "guild": 11}, faction=there)
    kinds = set[str]()
    while not any(event.facts["faction"] == "emperor" for event in told(play, "tokens-lost")):
        open_now = play.questions()
        kinds |= {question.kind for question in open_now}
        if open_now[0].kind == "battle-plan":
            say(play, "emperor", Plan(2, "Count Hasimir Fenring"))
            say(play, "guild", Plan(0, "Guild Representative"))
        else:
            play.expire()
    assert ("losses" in kinds) is asked


@pytest.mark.clause("AH.X.C.6")
def test_samples_of_what_is_kept_are_all_none_and_one_card_less() -> None:
    sides = {
        "emperor": {"forces": {"plastic-basin/13": "5"}, "hand": ["Crysknife", "Shield"]},
        "guild": {"forces": {"plastic-basin/13": "1"}},
    }
    play = at("battle", storm=7, factions=list(sides), dots={"emperor": 8, "guild": 11}, faction=sides)
    until(play, "battle-plan")
    knife, shield = Card("Crysknife"), Card("Shield")
    say(play, "emperor", Plan(2, Leader("Count Hasimir Fenring"), weapon=knife, defense=shield))
    (question,) = until(play, "discards")
    assert question.samples() == [
        Keep((knife, shield)),
        Discard((knife,)),
        Discard((shield,)),
        Keep(()),
    ]


@pytest.mark.clause("AH.X.C.4-b", "AH.XXII.C-a")
@pytest.mark.parametrize(("dial", "losses"), [(0, []), (2, ["4", "2+1"])])
def test_the_winner_loses_what_makes_up_the_dial_and_with_a_dial_of_nought_nothing(
    dial: int, losses: list[str]
) -> None:
    there = {"emperor": {"forces": {"plastic-basin/13": "5+1"}}, "guild": {"forces": {"plastic-basin/13": "1"}}}
    play = at("battle", storm=7, factions=list(there), dots={"emperor": 8, "guild": 11}, faction=there)
    until(play, "battle-plan")
    say(play, "emperor", Plan(dial, Leader("Count Hasimir Fenring")))
    say(play, "guild", Plan(0, Leader("Guild Representative")))
    asked = until(play, "losses")
    samples = [order for question in asked for order in question.samples()]
    assert sorted(str(order.forces) for order in samples if isinstance(order, Lose)) == sorted(losses)
    assert bool(told(play, "battle-won"))


@pytest.mark.clause("AH.X.C.4-b")
@pytest.mark.parametrize("left", ["2", "0+1"])
def test_a_winner_of_whom_a_correction_left_fewer_tokens_than_they_dialed_loses_all_of_them(
    left: str,
) -> None:
    """A game master may correct the tokens after the plans were revealed."""
    there = {"emperor": {"forces": {"plastic-basin/13": "5+1"}}, "guild": {"forces": {"plastic-basin/13": "1"}}}
    play = at("battle", storm=7, factions=list(there), dots={"emperor": 8, "guild": 11}, faction=there)
    until(play, "battle-plan")
    say(play, "emperor", Plan(5, Leader("Count Hasimir Fenring")))
    say(play, "guild", Plan(0, Leader("Guild Representative")))
    until(play, "traitor-call")
    play.correct([log.read_correction(f"forces plastic-basin/13 emperor {left}")])
    until(play, "nothing more")
    lost = [event.facts for event in told(play, "tokens-lost")]
    assert [facts["forces"] for facts in lost if facts["faction"] == "emperor"] == [left]
    assert "plastic-basin/13" not in play.state.forces
