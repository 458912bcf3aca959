"""When a tournament seat needs a new player, the game master is told the command that gives it to a standby, which
other games do not have."""

from __future__ import annotations

import pytest

from bot.games.notices import announce_caretaker
from bot.games.open_games import Session
from bot.games.retention import DeletionRefused, a_person
from bot.games.silent_players import FOR_GOOD, take_bounce
from bot.store import games
from bot.store.database import writing
from tests.moderator.table import GAME_MASTER, address_of
from tests.tournament.cup import Cup

COMMAND = "cup: substitute 1.2 guild ENTRANT"


def told(cup: Cup) -> str:
    """Return the text of the game master's newest letter."""
    return " ".join(cup.world.newest(GAME_MASTER).text.split())


@pytest.fixture
def playing(cup: Cup) -> Cup:
    cup.round()
    return cup


def test_whose_mail_comes_back_is_followed_by_a_standby(playing: Cup) -> None:
    with writing(playing.world.engine) as conn:
        table = playing.open_games.table(conn, "cup-1-2")
        take_bounce(Session(conn, playing.open_games, playing.now), table, "guild", FOR_GOOD, "no such mailbox")
        games.close(conn, table)
    assert COMMAND in told(playing)
    assert "game replace" not in told(playing)


def test_who_is_silent_is_followed_by_a_standby(playing: Cup) -> None:
    with writing(playing.world.engine) as conn:
        table = playing.open_games.table(conn, "cup-1-2")
        announce_caretaker(Session(conn, playing.open_games, playing.now), table, ["guild"])
        games.close(conn, table)
    assert COMMAND in told(playing)
    assert "game replace" not in told(playing)


def test_who_resigns_is_followed_by_a_standby(playing: Cup) -> None:
    written = playing.world.mail("guild", "resign", game="cup-1-2")
    of_guild = playing.world.table("cup-1-2").seats["guild"].address
    playing.world.moderator.deliver(written.replace(address_of("guild").encode(), of_guild.encode()), playing.now)
    assert COMMAND in told(playing)
    assert "game replace" not in told(playing)


def test_who_plays_at_a_table_is_not_deleted_before_a_standby_sits_there(playing: Cup) -> None:
    of_guild = playing.world.table("cup-1-2").seats["guild"].address
    with (
        writing(playing.world.engine) as conn,
        pytest.raises(DeletionRefused, match=r"mentat tournament substitute cup 1\.2 guild"),
    ):
        a_person(of_guild)(conn)
