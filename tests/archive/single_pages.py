"""Single pages of a finished game, each made from all steps of the game."""

from __future__ import annotations

from collections.abc import Iterable

from bot.archive.games import FinishedGame, Step, play_steps
from bot.archive.plots import PlotsPage
from bot.archive.replay import Replay


def replay_page(game: FinishedGame, seed: str) -> bytes:
    """Return the complete page. Raise ValueError if the game's log cannot be replayed."""
    replay = Replay(game)
    for step in play_steps(game, seed):
        replay.see(step)
    return replay.page()


def plots_page(game: FinishedGame, steps: Iterable[Step]) -> dict[str, bytes]:
    """Return the plots page made from all steps of the game."""
    made = PlotsPage(game)
    for step in steps:
        made.see(step)
    return made.files()
