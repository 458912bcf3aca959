"""How often a seat's owner is told about quarantined mail that may be a forgery."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.desk import clocks
from bot.desk.powers import DeskRequest
from bot.games.identity import warn_owners
from bot.games.open_games import Session
from bot.store.database import writing
from rules.components import Faction
from tests.moderator.table import GAME, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


def told(world: World) -> int:
    """Report such mail twice; return the number of letters to the owner."""
    before = world.written()
    with writing(world.engine) as conn:
        warn_owners(Session(conn, world.moderator.open_games, world.now), [(GAME, "guild"), (GAME, "guild")])
    return len(world.letters("guild", after=before))


@pytest.fixture
def world(world: World) -> World:
    world.new_game(factions=FEW)
    return world


def test_it_is_told_once_a_day(world: World) -> None:
    assert told(world) == 1
    world.now += timedelta(days=1) - timedelta(seconds=1)
    assert told(world) == 0
    world.now += timedelta(seconds=1)
    assert told(world) == 1


def test_of_a_game_that_is_over_nothing_is_told(world: World) -> None:
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    assert told(world) == 0
