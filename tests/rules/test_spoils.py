"""What the winner of a battle is asked when it is over."""

from __future__ import annotations

import pytest

from rules.orders import Plan
from tests.rules.stage import at, say, told


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
