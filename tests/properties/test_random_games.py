"""Whatever is played, nothing is made or lost, everything can be answered, and the log alone gives the game again."""

import pytest

from bot.soak.watch import RULE_SETS, check_replay, play_under_watch, setting


@pytest.mark.parametrize("ruleset", RULE_SETS)
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_a_random_game_is_sound_at_every_event_and_replays_to_the_byte(ruleset: str, players: int) -> None:
    for seed in ("dune", "arrakis"):
        game = setting(ruleset, f"{seed} {players}", players)
        check_replay(game, play_under_watch(game))
