"""Single pages of a finished game, each made from all steps of the game at once."""

from __future__ import annotations

from collections.abc import Iterable

from bot.archive.given import Finished
from bot.archive.plots.page import PlotsPage
from bot.archive.replay.page import Replay
from bot.archive.steps import Step, steps


def replay_page(game: Finished, seed: str) -> bytes:
    """The whole page. ValueError if the game's log does not play."""
    replay = Replay(game)
    for step in steps(game, seed):
        replay.see(step)
    return replay.page()


def plots_page(game: Finished, steps: Iterable[Step]) -> dict[str, bytes]:
    """The page from all steps of the game at once."""
    made = PlotsPage(game)
    for step in steps:
        made.see(step)
    return made.files()
