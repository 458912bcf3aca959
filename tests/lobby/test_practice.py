"""Practice games by mail: one person against Mentat's opponents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.language.forms import write
from bot.store import people
from bot.store.database import reading
from bot.store.games import open_table
from tests.lobby.people import OPEN_TO_ALL, Lobby, address


@pytest.fixture
def lobby(tmp_path: Path) -> Iterator[Lobby]:
    made = Lobby.at(tmp_path, OPEN_TO_ALL + "practice_a_day = 1\n")
    yield made
    made.world.engine.dispose()


def games(lobby: Lobby) -> list[str]:
    with reading(lobby.world.engine) as conn:
        return [game for game, _ in people.seats_at_addresses(conn, {address("bob")})]


def test_a_game_of_practice_begins_at_once_with_the_faction_that_was_asked_for(lobby: Lobby) -> None:
    lobby.proves("bob", "practice ah-basic as fremen")
    letter = lobby.newest("bob")
    assert "Fremen" in letter.text
    with reading(lobby.world.engine) as conn:
        (game,) = games(lobby)
        table = open_table(conn, game)
    assert table.ruleset == "ah-basic"
    assert table.seats["fremen"].address == address("bob")
    assert sorted(seat.opponent for seat in table.seats.values()) == ["", *["steady"] * 5]


def test_opponents_answer_in_the_same_minute(lobby: Lobby) -> None:
    lobby.proves("bob", "I'd like to practise as the guild please")
    (game,) = games(lobby)
    for letters in range(1, 6):
        with reading(lobby.world.engine) as conn:
            asked = [q for q in open_table(conn, game).play.questions() if q.faction == "guild"]
        assert asked, "whatever the opponents had to do is done"
        assert len(lobby.letters("bob")) == letters
        lines = [write(question.samples()[0]) for question in asked]
        lobby.deliver(lobby.mail("bob", *lines, to=str(lobby.newest("bob").message["Reply-To"])))


def test_a_stranger_confirms_before_a_game_of_practice_begins(lobby: Lobby) -> None:
    lobby.says("bob", "practice wbc-2018 as guild")
    assert games(lobby) == []
    lobby.proves("bob", "yes")
    assert len(games(lobby)) == 1


def test_a_person_begins_so_many_games_of_practice_a_day(lobby: Lobby) -> None:
    lobby.proves("bob", "practice")
    lobby.proves("bob", "practice")
    assert len(games(lobby)) == 1
    assert "You have started one practice game today" in lobby.words("bob")
    lobby.wait(25)
    lobby.proves("bob", "practice")
    assert len(games(lobby)) == 2


def test_practice_does_not_count_among_the_games_that_a_person_may_play(lobby: Lobby) -> None:
    table = lobby.opens("ann")
    lobby.proves("bob", "practice")
    lobby.joins("bob", table.id)
    assert lobby.seats(table.id) == ["ann", "bob"]


def test_there_is_no_practice_where_the_settings_allow_none(tmp_path: Path) -> None:
    lobby = Lobby.at(tmp_path)
    lobby.proves("bob", "practice")
    assert "There are no practice games here" in lobby.words("bob")
    lobby.world.engine.dispose()
