"""Tests that random games create and lose nothing, that all questions have answers, and that the log replays them."""

import pytest

from bot.lab.soak import check_replay, play_under_watch, setting
from rules.rulesets.ruleset import RULE_SETS
from tests.size import size


@pytest.mark.parametrize("ruleset", RULE_SETS)
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_a_random_game_is_sound_at_every_event_and_replays_to_the_byte(ruleset: str, players: int) -> None:
    for number, seed in enumerate(size(("dune",), [f"dune {number}" for number in range(200)])):
        game = setting(ruleset, f"{seed} {players}", players, late=(players + number) % 2 == 1)
        check_replay(game, play_under_watch(game))
