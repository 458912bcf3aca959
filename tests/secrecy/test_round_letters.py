"""Tests that the letter that ends a turn has the same bytes at the same times, whatever others hold."""

from __future__ import annotations

import pytest

from tests.moderator.table import GAME
from tests.secrecy.conftest import Twinned
from tests.secrecy.silent_games import differ_in_hands, onlookers


@pytest.mark.parametrize("tempo", ["table", "steady", "swift"])
def test_the_letter_about_a_turn_and_the_next_round_tells_nothing_of_hands(twinned: Twinned, tempo: str) -> None:
    twins = twinned(tempo, "movement")
    differ_in_hands(twins, {"guild": ["Karama", "Weather Control"], "emperor": ["Shield", "Snooper"]},
                    {"guild": ["Shield", "Snooper"], "emperor": ["Karama", "Weather Control"]})  # fmt: skip
    for world in (twins.one, twins.other):
        before = world.written()
        world.wait_until("bidding", turn=2)
        told = [letter for letter in world.letters("fremen", before) if f"{GAME}: turn 1 is over" in letter.text]
        assert len(told) == 1
    assert list(twins.differences(onlookers("guild", "emperor"))) == []


def test_the_end_of_a_turn_is_told_with_the_call_of_the_storm_to_those_who_could_answer_it(twinned: Twinned) -> None:
    twins = twinned("steady", "movement")
    differ_in_hands(twins, {"guild": ["Weather Control"], "emperor": ["Shield"]},
                    {"guild": ["Shield"], "emperor": ["Weather Control"]})  # fmt: skip
    for world, holder, other in ((twins.one, "guild", "emperor"), (twins.other, "emperor", "guild")):
        before = world.written()
        world.wait_until("storm", turn=2)
        (letter,) = world.letters(holder, before)[-1:]
        assert f"{GAME}: turn 1 is over" in letter.text
        assert "anything for the storm?" in letter.subject
        assert not any("turn 1 is over" in letter.text for letter in world.letters(other, before))
        world.wait_until("bidding", turn=2)
        told = [letter for letter in world.letters(other, before) if "turn 1 is over" in letter.text]
        assert ["your bids for this turn?" in letter.subject for letter in told] == [True]
