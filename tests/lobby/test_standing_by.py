"""When a seat in a running game becomes free, volunteers are asked one after another."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from bot.lobby.joining import JoinRequest, join
from bot.lobby.requests import Open
from bot.lobby.starting import settle
from bot.lobby.tables import LobbyRefused
from bot.lobby.vacancies import offer_seat_of_game
from bot.store.tables import GAME as GAME_ROW
from bot.store.tables import SEAT
from rules.components import as_faction
from tests.cli.conftest import Mentat
from tests.lobby.people import Lobby
from tests.moderator.table import GAME


def offered(lobby: Lobby) -> str:
    with lobby.session() as session:
        return offer_seat_of_game(session, GAME, "guild").id


def test_the_first_who_stands_by_is_asked_and_takes_the_seat(lobby: Lobby) -> None:
    lobby.world.new_game()
    for name in ("bob", "cid"):
        lobby.proves(name, "standby")
    table = offered(lobby)
    assert lobby.subjects("bob")[-1] == f"A seat for you: Guild in {GAME}, turn 1"
    assert lobby.seats(table, "offered") == ["bob"]
    lobby.proves("bob", f"yes {table}")
    assert lobby.world.table().seats["guild"].address == "bob@example.org"
    assert lobby.newest("bob").faction == "guild"
    assert lobby.table(table).state == "ended"
    assert "A seat for you" not in " ".join(lobby.subjects("cid"))


def test_who_says_no_or_nothing_is_not_asked_again_and_the_next_is(lobby: Lobby) -> None:
    lobby.world.new_game()
    for name in ("bob", "cid", "dora"):
        lobby.proves(name, "standby")
        lobby.wait(0.1)
    table = offered(lobby)
    lobby.proves("bob", "no")
    assert lobby.seats(table, "offered") == ["cid"]
    lobby.wait(52)
    assert lobby.seats(table, "offered") == ["dora"]
    lobby.proves("cid", f"yes {table}")
    assert lobby.world.table().seats["guild"].address == "guild@players.example"
    lobby.proves("dora", "yes")
    assert lobby.world.table().seats["guild"].address == "dora@example.org"


def test_players_of_the_game_are_not_asked_and_later_volunteers_are(lobby: Lobby) -> None:
    lobby.world.new_game()
    lobby.proves("fremen@players.example", "standby")
    table = offered(lobby)
    assert lobby.seats(table, "offered") == []
    lobby.proves("bob", "standby gf9")
    lobby.wait(1)
    assert lobby.seats(table, "offered") == []
    lobby.proves("cid", "standby")
    lobby.wait(1)
    assert lobby.seats(table, "offered") == ["cid"]


def test_a_seat_is_offered_once_at_a_time(lobby: Lobby) -> None:
    lobby.world.new_game()
    offered(lobby)
    with pytest.raises(LobbyRefused, match="already on offer"):
        offered(lobby)


def in_care(lobby: Lobby, name: str, game: str, *, opponent: str = "") -> str:
    """Give this person's seat to the caretaker or an opponent, and return the faction."""
    own = (SEAT.c.game_id == game) & (SEAT.c.address == f"{name}@example.org")
    with lobby.session() as session:
        session.conn.execute(update(SEAT).where(own).values(care=True, opponent=opponent))
        session.games.forget()
        faction = session.conn.execute(select(SEAT.c.faction).where(own)).scalar_one()
    lobby.wait(0.1)
    return str(faction)


def begun(lobby: Lobby) -> str:
    table = lobby.opens("ann", Open(most=2))
    lobby.joins("bob", table.id)
    return table.id


def test_a_seat_that_its_player_left_to_the_caretaker_is_offered_by_itself(lobby: Lobby) -> None:
    game = begun(lobby)
    lobby.proves("dora", "standby")
    faction = in_care(lobby, "bob", game)
    assert lobby.seats(f"{game}-seat-1", "offered") == ["dora"]
    lobby.wait(1)
    assert len(lobby.letters("dora")) == 2
    lobby.proves("dora", "yes")
    seats = lobby.world.table(game).seats
    assert {str(each.faction): each.address for each in seats.values()}[faction] == "dora@example.org"


def test_a_seat_that_an_opponent_plays_is_offered_to_nobody(lobby: Lobby) -> None:
    game = begun(lobby)
    lobby.proves("dora", "standby")
    in_care(lobby, "bob", game, opponent="steady")
    lobby.wait(1)
    assert len(lobby.letters("dora")) == 1


def test_whoever_abandons_a_game_loses_their_seats_at_open_tables(lobby: Lobby) -> None:
    game = begun(lobby)
    with lobby.session() as session:
        session.conn.execute(update(GAME_ROW).where(GAME_ROW.c.id == game).values(turn=2))
    other = lobby.opens("cid")
    lobby.joins("bob", other.id)
    assert lobby.seats(other.id) == ["cid", "bob"]
    in_care(lobby, "bob", game)
    assert lobby.seats(other.id) == ["cid"]
    assert lobby.subjects("bob")[-1] == f"You no longer have a seat at {other.id}"
    lobby.joins("bob", other.id)
    lobby.wait(1)
    assert lobby.seats(other.id) == ["cid", "bob"]


def test_the_seat_of_a_player_who_resigns_is_offered_by_itself(lobby: Lobby) -> None:
    lobby.world.new_game()
    for name in ("bob", "cid"):
        lobby.proves(name, "standby")
        lobby.wait(0.1)
    lobby.world.say("guild", "I'm sorry, I can't go on with this game.", "resign")
    assert not lobby.world.table().seats["guild"].care
    assert lobby.subjects("bob")[-1] == f"A seat for you: Guild in {GAME}, turn 1"
    assert "somebody who stands by has been asked" in lobby.words("guild@players.example")
    assert "bob@example.org will be asked first" in lobby.words("gm@arrakis.example")
    lobby.world.say("guild", "resign")
    assert lobby.seats(f"{GAME}-seat-1", "offered") == ["bob"]
    lobby.proves("bob", "no")
    lobby.proves("cid", "yes")
    assert lobby.world.table().seats["guild"].address == "cid@example.org"


def test_a_player_who_resigned_and_stays_after_all_keeps_the_seat(lobby: Lobby) -> None:
    lobby.world.new_game()
    lobby.proves("bob", "standby")
    lobby.world.say("guild", "resign")
    lobby.world.say("guild", "I'm back, I will play on after all.")
    assert "You keep your seat" in lobby.words("guild@players.example")
    assert "not free any more" in lobby.words("bob")
    lobby.proves("bob", "yes")
    assert lobby.world.table().seats["guild"].address == "guild@players.example"
    lobby.world.say("guild", "resign")
    lobby.wait(1)
    assert lobby.seats(f"{GAME}-seat-2", "offered") == ["bob"]


def test_no_seat_of_a_private_table_is_offered_by_itself(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=2), kind="private")
    with lobby.session() as session:
        join(session, table, JoinRequest("bob@example.org", "opener"))
        settle(session, table.id)
    lobby.proves("dora", "standby")
    lobby.answers("bob", "resign")
    assert "The game master has been told" in lobby.words("bob")
    assert len(lobby.letters("dora")) == 1


def test_the_seats_of_a_banned_person_are_offered_by_themselves(mentat: Mentat, lobby: Lobby) -> None:
    lobby.world.new_game()
    lobby.proves("bob", "standby")
    assert mentat("person", "ban", "guild@players.example", "--why", "two accounts").code == 0
    lobby.wait(0.1)
    assert lobby.seats(f"{GAME}-seat-1", "offered") == ["bob"]


def test_an_offer_ends_when_somebody_else_got_the_seat_from_the_game_master(mentat: Mentat, lobby: Lobby) -> None:
    lobby.world.new_game()
    lobby.proves("bob", "standby")
    table = offered(lobby)
    assert mentat("game", "replace", GAME, "guild", "zoe@example.org").code == 0
    lobby.proves("bob", "yes")
    assert lobby.world.table().seats["guild"].address == "zoe@example.org"
    assert "not free any more" in lobby.words("bob")
    lobby.wait(1)
    assert lobby.table(table).state == "ended"


def test_a_player_who_is_back_before_the_yes_of_a_volunteer_keeps_the_seat(lobby: Lobby) -> None:
    game = begun(lobby)
    lobby.proves("dora", "standby")
    faction = in_care(lobby, "bob", game)
    lobby.answers("bob", "I am back!")
    lobby.proves("dora", "yes")
    assert lobby.world.table(game).seats[as_faction(faction)].address == "bob@example.org"
    lobby.wait(1)
    assert "not free any more" in lobby.words("dora")
    assert lobby.table(f"{game}-seat-1").state == "ended"


def test_a_volunteer_who_said_no_and_then_yes_has_the_seat_if_nobody_else_is_asked(lobby: Lobby) -> None:
    lobby.world.new_game()
    lobby.proves("bob", "standby")
    table = offered(lobby)
    lobby.proves("bob", f"no {table}")
    lobby.proves("cid", "standby")
    lobby.proves("bob", f"yes {table}")
    assert f"You said no to {GAME}" in lobby.words("bob")
    lobby.proves("cid", f"no {table}")
    lobby.proves("bob", f"yes {table}")
    assert lobby.world.table().seats["guild"].address == "bob@example.org"
