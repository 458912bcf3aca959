"""Tests that two worlds that differ only in hidden facts have the same archive during the game: names, bytes and
times."""

from __future__ import annotations

from pathlib import Path

from bot.archive import shelf, site
from bot.archive.games import ArchivePolicy
from rules.components import Faction
from rules.components.chance import Chance
from rules.random_players import RandomPlayer
from tests.archive.test_site import tree
from tests.moderator.table import GAME, World
from tests.moderator.twins import Twins, advance, change_unseen

FACTIONS: tuple[Faction, ...] = ("atreides", "fremen", "guild")
CHANGED = 3
"""The number of worlds with different secrets to compare."""


def built(world: World, path: Path) -> dict[str, tuple[bytes, float]]:
    """Build this world's archive in its own folder."""
    result = site.build(path, *shelf.offered(world.engine))
    assert result.problems == ()
    return tree(path)


def test_two_worlds_that_differ_only_in_what_is_hidden_have_the_same_archive(world: World, tmp_path: Path) -> None:
    world.new_game("wbc-2018", FACTIONS, tempo="steady", archive=ArchivePolicy("public"))
    chance, player = Chance("archive twins", {}), RandomPlayer("archive twins")
    compared = 0
    for number in range(20):
        advance(world, player, 12)
        twins = Twins(world, tmp_path, str(number))
        if change_unseen(twins, "fremen", chance):
            one, other = (built(half, tmp_path / "archives" / f"{number}-{name}") for name, half in _halves(twins))
            assert one == other
            assert f"game/{GAME}/index.html" in one
            compared += 1
        twins.close()
        if compared == CHANGED:
            return
    raise AssertionError("nothing could be changed behind anybody's back")


def _halves(twins: Twins) -> tuple[tuple[str, World], tuple[str, World]]:
    return ("one", twins.one), ("other", twins.other)
