"""A game's act log survives rollbacks, handovers, retention and the deletion of persons."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import clocks, people, positions, rights, seats
from bot.desk.powers import DeskRequest, PowerRefused, Use
from bot.games import retention
from bot.games.open_games import acts_of
from bot.store.database import reading
from tests.moderator.table import GAME, World, address_of

REY, GUS = "rey@elsewhere.example", "gus@elsewhere.example"


def kinds(world: World) -> list[str]:
    with reading(world.engine) as conn:
        return [act.what for act in acts_of(conn, GAME)]


def test_no_line_of_the_act_log_goes(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.silent_game("bidding")
    games = world.moderator.open_games
    world.say("guild", "press to gm: hello")
    seats.change_bank(DeskRequest(games, GAME, world.now, Use(why="a wedding")), "guild", 3)
    seats.replace_player(DeskRequest(games, GAME, world.now), "guild", GUS)
    positions.roll_back(DeskRequest(games, GAME, world.now, Use(why="wrong")), 2)
    rights.hand_over(DeskRequest(games, GAME, world.now), REY)
    done = kinds(world)
    assert done == ["bank", "replace", "rollback", "handover"]
    clocks.end_game(DeskRequest(games, GAME, world.now), "void", ())
    done = kinds(world)
    with pytest.raises(PowerRefused):
        positions.roll_back(DeskRequest(games, GAME, world.now), 1)
    retention.carry_out_deletion(games, retention.a_person(address_of("guild")))
    retention.carry_out_deletion(games, retention.a_person(GUS))
    assert kinds(world) == done
    world.now += timedelta(days=400)
    retention.carry_out_deletion(games, retention.mail_older_than(world.now - timedelta(days=365)))
    retention.carry_out_deletion(games, retention.bodies_before(world.now))
    assert kinds(world) == done
    with reading(world.engine) as conn:
        said = " ".join(act.told for act in acts_of(conn, GAME))
    assert GUS not in said
    assert address_of("guild") not in said


def test_a_game_in_which_somebody_ordered_is_not_deleted_with_its_log(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.silent_game("bidding")
    asked = next(question.faction for question in world.table().play.questions() if question.kind == "bid")
    world.say(asked, "pass")
    seats.excuse_seat(DeskRequest(world.moderator.open_games, GAME, world.now), "guild")
    with pytest.raises(PowerRefused, match="cannot be deleted"):
        people.delete_game(DeskRequest(world.moderator.open_games, GAME, world.now))
    assert kinds(world) == ["excuse"]


def test_a_game_that_is_over_is_not_deleted_with_its_log(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.silent_game("bidding")
    clocks.end_game(DeskRequest(world.moderator.open_games, GAME, world.now), "void", ())
    with pytest.raises(PowerRefused, match="cannot be deleted"):
        people.delete_game(DeskRequest(world.moderator.open_games, GAME, world.now))
    assert kinds(world) == ["end"]
