"""The grace period after a deadline: silence answers only when it ends."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.desk import clocks
from bot.desk.game_view import game_page
from bot.desk.powers import DeskRequest, Use
from bot.render.text import as_text
from bot.store import deadlines
from bot.store.database import reading
from bot.table.table import Deadline
from bot.wording import moment
from rules.components import Faction
from tests.moderator.table import CONFIG, GAME, START, World

FEW: tuple[Faction, ...] = ("atreides", "emperor", "guild")
GRACE = timedelta(hours=5)


def graceful(folder: Path, more: str = "") -> World:
    world = World.at(folder, f"{CONFIG}[clock]\ngrace_hours = 5\n{more}")
    world.new_game(factions=FEW)
    return world


@pytest.fixture
def world(tmp_path: Path) -> World:
    return graceful(tmp_path)


def of(world: World, faction: Faction) -> Deadline:
    return next(deadline for (_, key), deadline in world.table().deadlines.items() if key[0] == faction)


def grace(deadline: Deadline) -> timedelta:
    return deadline.until - deadline.due


def test_silence_does_not_answer_one_player_within_the_grace_because_anothers_is_over(world: World) -> None:
    with world.moderator.open_games.transaction(GAME) as (conn, table):
        place = next(place for place in table.deadlines if place[1][0] == "emperor")
        deadlines.postpone(conn, table, [place], START + timedelta(hours=26))
    assert world.wait(29) == 1  # the others' grace is over; the Emperor's lasts two more hours
    assert set(world.asked()) == {"emperor"}
    assert world.wait(1.9) == 0
    assert world.wait(0.1) == 1


def test_no_silence_is_seen_and_no_clock_is_stopped_for_it_within_the_grace(tmp_path: Path) -> None:
    world = graceful(tmp_path, "silence_players = 1\n")
    world.now += timedelta(minutes=1)
    for faction in FEW:
        world.say(faction, "status")
    world.now += timedelta(minutes=1)
    world.new_game(factions=FEW, game="sietch-13")
    assert world.wait(28.9) == 0
    assert world.table("sietch-13").stopped_at is None
    world.wait(0.2)
    assert world.table("sietch-13").stopped_why == "silence"


def test_who_is_within_their_grace_is_not_among_those_who_have_fallen_silent(tmp_path: Path) -> None:
    world = World.at(tmp_path, f"{CONFIG}[clock]\ngrace_hours = 5\nsilence_players = 5\n")
    world.new_game(factions=(*FEW, "fremen", "emperor"))
    world.now += timedelta(minutes=1)
    for faction in world.table().seats:
        world.say(faction, "status")
    world.now += timedelta(minutes=1)
    world.new_game(factions=FEW, game="sietch-13")
    world.now += timedelta(hours=2)
    world.new_game(factions=("fremen", "emperor"), game="sietch-14")
    assert world.wait(27) == 2
    assert [world.table(game).stopped_at for game in (GAME, "sietch-13", "sietch-14")] == [None, None, None]


def test_a_game_is_looked_after_when_the_first_grace_is_over(world: World) -> None:
    with reading(world.engine) as conn:
        assert deadlines.due_games(conn, START + timedelta(hours=28.9)) == []
        assert deadlines.due_games(conn, START + timedelta(hours=29)) == [GAME]


def test_a_time_bank_runs_from_the_end_of_the_grace(tmp_path: Path) -> None:
    world = graceful(tmp_path, "bank_hours = 10\n")
    assert world.wait(28.9) == 0
    assert world.table().overruns == {}
    world.wait(0.1)
    assert of(world, "guild").due == START + timedelta(hours=24 + 5 + 10)


def test_a_deadline_that_is_moved_keeps_its_grace(world: World) -> None:
    clocks.extend(DeskRequest(world.moderator.open_games, GAME, world.now), 12)
    assert {grace(of(world, faction)) for faction in FEW} == {GRACE}
    clocks.pause(DeskRequest(world.moderator.open_games, GAME, world.now, Use(why="")))
    world.now += timedelta(hours=7)
    clocks.resume(DeskRequest(world.moderator.open_games, GAME, world.now))
    assert {of(world, faction).due for faction in FEW} == {START + timedelta(hours=24 + 12 + 7)}
    assert {grace(of(world, faction)) for faction in FEW} == {GRACE}


def test_a_question_that_had_to_wait_has_its_grace_after_the_time_it_is_given(world: World) -> None:
    world.now += timedelta(hours=28)
    with world.moderator.open_games.transaction(GAME) as (conn, table):
        table.deadlines = {place: replace(deadline, state="suspended") for place, deadline in table.deadlines.items()}
        clock = world.moderator.open_games.clock(table)
        table.deadlines = deadlines.follow_deadlines(conn, table, world.now, clock)
    assert {of(world, faction).due for faction in FEW} == {world.now + timedelta(hours=12)}
    assert {grace(of(world, faction)) for faction in FEW} == {GRACE}


def test_nothing_is_shown_due_with_a_date_that_is_past(world: World) -> None:
    world.say("guild", world.line("guild", "traitor"))
    past = moment(of(world, "emperor").due, ZoneInfo("UTC"))
    world.wait(24.5)
    for faction in ("emperor", "guild"):
        world.say(faction, "status", "help")
        assert past not in world.newest(faction).text
        page = as_text(game_page(world.table(), faction, world.settings, world.now))
        assert f"until {past}" not in page
        assert f"By {past}" not in page
    assert "The deadline has passed: please answer now." in " ".join(world.newest("emperor").text.split())
    assert ", overdue" in " ".join(world.newest("guild").text.split())
