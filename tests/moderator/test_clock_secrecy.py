"""Clocks do not reveal who has answered: other players get the same letters at the same times."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import clocks
from bot.desk.new_game import NewGame, new_game
from bot.desk.powers import DeskRequest, Use
from bot.moderator import outage
from rules.components import Faction
from tests.moderator.table import GAME, World, address_of
from tests.moderator.twins import Twins

FEW: tuple[Faction, ...] = ("atreides", "emperor", "guild")


def extended(world: World) -> None:
    clocks.extend(DeskRequest(world.moderator.open_games, GAME, world.now), 12)


def paused(world: World) -> None:
    clocks.pause(DeskRequest(world.moderator.open_games, GAME, world.now, Use(why="guild asked")))
    world.wait(50)
    clocks.resume(DeskRequest(world.moderator.open_games, GAME, world.now))


def given_back(world: World) -> None:
    outage.give_time_back(world.moderator.open_games, "mailbox", world.now, world.now + timedelta(hours=3))


def changed(world: World) -> None:
    clocks.change_clock(DeskRequest(world.moderator.open_games, GAME, world.now), {"due_at": "07:00"})


@pytest.mark.parametrize("tempo", ["table", "steady", "swift"])
@pytest.mark.parametrize("happens", [extended, paused, given_back, changed])
def test_what_happens_to_a_clock_tells_nobody_who_has_answered(
    world: World, tmp_path: Path, tempo: str, happens: Callable[[World], None]
) -> None:
    world.new_game(factions=FEW, tempo=tempo)
    twins = Twins(world, tmp_path, happens.__name__)
    twins.one.say("guild", twins.one.line("guild", "traitor"))
    for twin in (twins.one, twins.other):
        happens(twin)
        twin.wait(1)
    assert list(twins.differences(("atreides", "emperor", "public"))) == []
    twins.close()


def test_grace_tells_nobody_who_has_answered(world: World, tmp_path: Path) -> None:
    new_game(
        world.moderator.open_games,
        NewGame(
            GAME,
            "ah-basic",
            {faction: address_of(faction) for faction in FEW},
            dict(zip(FEW, (2, 5, 8), strict=True)),
            "spice",
            clock={"grace_hours": 10.0},
        ),
        world.now,
    )
    twins = Twins(world, tmp_path, "grace")
    twins.one.say("guild", twins.one.line("guild", "traitor"))
    for twin in (twins.one, twins.other):
        twin.wait(30)
        assert set(twin.asked()) >= {"atreides", "emperor"}, "the grace runs"
    assert list(twins.differences(("atreides", "emperor", "public"))) == []
    twins.close()
