"""The letter that ends a turn and opens the next: the same bytes at the same moments, whatever somebody else holds."""

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
        while world.table().play.state.turn == 1:
            world.wait(12)
        told = [letter for letter in world.letters("fremen", before) if f"{GAME}: turn 1 is over" in letter.text]
        assert len(told) == 1
    assert list(twins.differences(onlookers("guild", "emperor"))) == []
