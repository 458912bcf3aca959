from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from bot.store import ratings
from bot.store.database import reading, writing
from tests.competition.a_table import SIX
from tests.competition.rated_tournament import make, write
from tests.moderator.table import World, address_of


def answer(world: World, *lines: str) -> str:
    before = world.written()
    world.say("guild", *lines)
    (letter,) = world.letters(to=address_of("guild"), after=before)
    return " ".join(letter.text.split())


def test_a_player_is_told_their_own_rating_and_reliability(world: World) -> None:
    world.new_game()
    assert "You have no rating yet" in answer(world, "rating")
    with writing(world.engine) as conn:
        make(conn, "cup", people=[address_of(faction) for faction in SIX])
        write(conn, "cup", 1, ["guild"])
        ratings.keep_up(conn, world.now)
    told = answer(world, "rating")
    assert "Your rating is 1540 ± 189, after 1 rated game, too few for a rank." in told
    assert "Your reliability is 0.9000: the share of your deadlines that you met, from 0 duties" in told


def test_a_player_keeps_out_of_the_public_list_and_comes_back(world: World) -> None:
    world.new_game()
    assert "You are not on the public list of ratings." in answer(world, "rating private")
    with reading(world.engine) as conn:
        mine = ratings.find(conn, address_of("guild"))
        assert mine is not None
        assert mine.private
    assert "You will be on the public list of ratings" in answer(world, "rating public")


def test_the_program_of_the_documentation_gives_the_vector() -> None:
    text = Path("docs/ratings.md").read_text()
    found = re.search(r"```python\n(.*?)\n# (.*?)\n```", text, re.DOTALL)
    assert found is not None
    ran = subprocess.run([sys.executable, "-c", found[1]], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == found[2]
