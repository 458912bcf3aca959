"""Ratings follow a tournament's results, and duties done in time are counted when the games are over."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import update

from bot.competition.statistics import shown_reliability
from bot.desk import positions, sight
from bot.desk.powers import DeskRequest, PowerRefused
from bot.store import deadlines, ratings
from bot.store.database import reading, writing
from bot.store.deadlines import Duties
from bot.store.retention import empty_person
from bot.store.tables import GAME
from rules.components import FACTIONS
from tests.moderator.table import World, address_of
from tests.tournament.cup import Cup


def test_when_a_game_ends_its_players_are_rated(cup: Cup) -> None:
    cup.round()
    for faction in FACTIONS:
        cup.wrote("cup-1-1", faction)
    cup.end("cup-1-1", "atreides", "emperor", turn=7)
    cup.tick()
    with reading(cup.world.engine) as conn:
        everybody = ratings.persons(conn)
        assert sorted(one.rated.rating for one in everybody) == [1484.0] * 4 + [1532.0] * 2
        assert not ratings.is_behind(conn)


def test_duties_are_counted_as_they_are_done_and_shown_when_the_game_is_over(cup: Cup) -> None:
    world = cup.world
    world.new_game()
    for _ in range(40):
        if world.table().seats["guild"].care:
            break
        while others := {faction: kinds for faction, kinds in world.asked().items() if faction != "guild"}:
            faction, kinds = next(iter(others.items()))
            world.say(faction, world.line(faction, kinds[0]))
        world.wait(30)
    guild, fremen = address_of("guild"), address_of("fremen")
    with writing(world.engine) as conn:
        assert deadlines.duties_of(conn, guild) == Duties(), "nothing of a running game"
        conn.execute(update(GAME).values(status="over"))
        silent, punctual = deadlines.duties_of(conn, guild), deadlines.duties_of(conn, fremen)
        assert silent.duties >= 2
        assert silent.on_time == 0
        assert punctual.on_time == punctual.duties > 0
        assert (
            float(shown_reliability(silent.on_time, silent.duties))
            < 0.9
            < float(shown_reliability(punctual.on_time, punctual.duties))
        )
        empty_person(conn, guild)
        assert deadlines.duties_of(conn, guild) == Duties()


def test_a_refusal_to_take_back_a_rated_game_that_is_played_blind_names_nobody_who_learnt_something(cup: Cup) -> None:
    cup.round()
    games, game = cup.open_games, "cup-1-1"
    while cup.world.table(game).play.state.phase in ("setup", "storm"):
        cup.world.wait(24)
    with pytest.raises(PowerRefused, match="have since learnt something hidden"):
        positions.roll_back(DeskRequest(games, game, cup.now), 0)
    sight.play_blind(DeskRequest(games, game, cup.now))
    told = set[str]()
    for consent in ((), FACTIONS[:1], FACTIONS[1:]):
        with pytest.raises(PowerRefused, match="Ask everybody who plays there") as refusal:
            positions.roll_back(DeskRequest(games, game, cup.now), 0, consent=consent)
        told.add(str(refusal.value))
    assert len(told) == 1
    positions.roll_back(DeskRequest(games, game, cup.now), 0, consent=FACTIONS)


def test_a_rated_game_is_taken_back_when_all_agree_who_have_learnt_something(cup: Cup) -> None:
    cup.round()
    games, game = cup.open_games, "cup-1-1"
    while cup.world.table(game).play.state.phase in ("setup", "storm"):
        cup.world.wait(24)
    entries = cup.world.table(game).entries
    with pytest.raises(PowerRefused, match="cup-1-1 is rated, and Harkonnen have since learnt something hidden"):
        positions.roll_back(DeskRequest(games, game, cup.now), 0, consent=FACTIONS[:-1])
    assert cup.world.table(game).entries == entries
    positions.roll_back(DeskRequest(games, game, cup.now), 0, consent=FACTIONS)
    assert cup.world.table(game).entries == 0


def test_a_game_that_is_not_rated_is_taken_back_without_asking_who_has_learnt_something(tmp_path: Path) -> None:
    cup = Cup(World.at(tmp_path), settings='title = "The Cup"\nrated = false\n[rounds]\nheats = 2\nsemifinal = 0\n')
    cup.round()
    games, game = cup.open_games, "cup-1-1"
    while cup.world.table(game).play.state.phase in ("setup", "storm"):
        cup.world.wait(24)
    positions.roll_back(DeskRequest(games, game, cup.now), 0)
    assert cup.world.table(game).entries == 0
    cup.world.engine.dispose()
