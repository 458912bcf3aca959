"""A game master's notes and sitters' data are deleted with the person or after a time, and are never passed on."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.desk import clocks, seats, speech
from bot.desk.powers import DeskRequest
from bot.games import proof, retention
from bot.store import desk
from bot.store.archive import record_lines
from bot.store.database import reading
from tests.moderator.table import GAME, World, address_of

SAM = "sam@elsewhere.example"
SECRET = "thinks aloud of leaving"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World.at(tmp_path)
    world.silent_game("bidding")
    games = world.moderator.open_games
    speech.note(DeskRequest(games, GAME, world.now), f"The table: {SECRET}")
    speech.note(DeskRequest(games, GAME, world.now), f"The seat: {SECRET}", about="guild")
    speech.note(DeskRequest(games, GAME, world.now), f"The person: {SECRET}", about=address_of("guild"))
    speech.note(DeskRequest(games, GAME, world.now), f"Somebody else: {SECRET}", about=address_of("fremen"))
    seats.set_sitter(DeskRequest(games, GAME, world.now), "guild", SAM, world.now + timedelta(days=20))
    return world


def notes(world: World) -> list[str]:
    with reading(world.engine) as conn:
        return [note.about for note in desk.notes_of_game(conn, GAME)]


def everything(world: World) -> bytes:
    world.engine.dispose()
    return world.settings.mentat.database.read_bytes()


def test_notes_are_in_no_letter_record_or_proof(world: World) -> None:
    world.silence_until("revival")
    assert not any(SECRET in letter.message.as_string() for letter in world.letters())
    with reading(world.engine) as conn:
        assert SECRET.encode() not in record_lines(conn, GAME)
        assert SECRET not in str(proof.full_record(conn, GAME))


def test_notes_on_a_person_and_their_seat_go_with_them(world: World) -> None:
    games = world.moderator.open_games
    clocks.end_game(DeskRequest(games, GAME, world.now), "void", ())
    retention.carry_out_deletion(games, retention.a_person(address_of("guild")))
    assert notes(world) == ["", address_of("fremen")]


def test_notes_on_a_seat_go_with_whoever_left_it_and_not_those_on_who_came(world: World) -> None:
    games = world.moderator.open_games
    seats.replace_player(DeskRequest(games, GAME, world.now), "guild", "gus@elsewhere.example")
    world.now += timedelta(hours=1)
    speech.note(DeskRequest(games, GAME, world.now), "The new one is quick.", about="guild")
    retention.carry_out_deletion(games, retention.a_person(address_of("guild")))
    with reading(world.engine) as conn:
        left = [note.words for note in desk.notes_of_game(conn, GAME) if note.about == "guild"]
    assert left == ["The new one is quick."]


@pytest.mark.sqlite_only
def test_whoever_sat_in_can_be_deleted(world: World) -> None:
    games = world.moderator.open_games
    clocks.end_game(DeskRequest(games, GAME, world.now), "void", ())
    assert SAM.encode() in everything(world)
    retention.carry_out_deletion(games, retention.a_person(SAM))
    assert SAM.encode() not in everything(world)
    assert not world.table().seats["guild"].sitter


@pytest.mark.sqlite_only
def test_notes_and_sitters_of_old_games_go_with_time(world: World) -> None:
    games = world.moderator.open_games
    clocks.end_game(DeskRequest(games, GAME, world.now), "void", ())
    retention.carry_out_deletion(games, retention.mail_older_than(world.now - timedelta(days=1)))
    assert len(notes(world)) == 4
    world.now += timedelta(days=400)
    retention.carry_out_deletion(games, retention.mail_older_than(world.now - timedelta(days=365)))
    assert notes(world) == []
    assert SECRET.encode() not in everything(world)
    assert not world.table().seats["guild"].sitter
