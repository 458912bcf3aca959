"""The beginning of games: seats, the first letters, and the first turn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.transcripts.scenario import scenario
from tests.transcripts.story import Story
from tests.transcripts.transcript import Piece


@scenario
def ah_basic(folder: Path) -> Iterator[Piece]:
    """Six say nothing, but one who asks for this and that, and mistypes."""
    story = Story.at(folder)
    story.world.new_game()
    story.does("a game of six begins")
    story.says("guild", "help", "status", "map", "history", "orders", "rules lasgun")
    story.says("guild", "I bid 7 for the moon", "stormm 3")
    story.runs("game show sietch-12")
    story.runs("game seats sietch-12")
    story.until("storm")
    story.until("bidding")
    story.runs("game show sietch-12 --json")
    yield from story.told()
