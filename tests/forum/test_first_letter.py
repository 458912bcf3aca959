"""The first letter says where the game's public thread is and what players can do there."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.components import Faction
from tests.forum.place import DISCOURSE, FORUM
from tests.moderator.table import CONFIG, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
WHERE = "What everybody may know of this game is also posted in a thread of the forum arrakis."
NOTHING = "You can only read the thread: nobody may know who plays whom, so your orders count only by mail."
BY_POST = "Send “forum name” and the name of your account there"
BY_HAND = "They count once the game master has passed them on to me"


@pytest.mark.parametrize(
    ("settings", "press", "forum", "told"),
    [
        (DISCOURSE, "open", "arrakis", [WHERE, BY_POST]),
        (FORUM, "open", "arrakis", [WHERE, BY_HAND]),
        (DISCOURSE, "open,gunboat", "arrakis", [WHERE, NOTHING]),
        (FORUM, "open,gunboat", "arrakis", [WHERE, NOTHING]),
        (DISCOURSE, "open", "", []),
    ],
)
def test_the_first_letter_tells_of_the_thread_and_how_one_plays_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str, press: str, forum: str, told: list[str]
) -> None:
    monkeypatch.setenv("MENTAT_FORUM_ARRAKIS_KEY", "key-of-arrakis")
    world = World.at(tmp_path, CONFIG + settings)
    world.new_game(factions=FEW, tempo="steady", press=press, forum=forum)
    for faction in FEW:
        letter = " ".join(world.letters(faction)[0].text.split())
        assert [words for words in (WHERE, BY_POST, BY_HAND, NOTHING) if words in letter] == told
    world.engine.dispose()
