"""Mail for a finished game: Mentat answers the sender and tells nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.desk import clocks
from bot.desk.powers import DeskRequest
from tests.moderator.table import GAME, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World.at(tmp_path)
    world.silent_game("bidding")
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "agreed", ("guild",))
    return world


@pytest.mark.parametrize("line", ["status", "history", "map", "bid 2", "ship 3 to Carthag", "if I win: pass", "hello?"])
def test_a_line_is_answered_and_the_end_is_not_told_again(world: World, line: str) -> None:
    before = len(world.letters())
    world.say("emperor", line)
    assert [letter.faction for letter in world.letters(after=before)] == ["emperor"]


def test_an_order_is_told_that_the_game_is_over(world: World) -> None:
    world.say("emperor", "bid 2")
    told = " ".join(world.newest("emperor").text.split())
    assert "REFUSED The game is over." in told
    assert "NOTHING TO DO RIGHT NOW The game is over." in told


def test_the_end_is_told_once_to_everybody(world: World) -> None:
    told = [letter.faction for letter in world.letters() if letter.subject == f"[{GAME}] The game is over: Guild won"]
    assert {seat: told.count(seat) for seat in world.table().seats} == dict.fromkeys(world.table().seats, 1)
