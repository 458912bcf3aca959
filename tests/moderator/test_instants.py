"""Instants in the database: stored in UTC, sorted by time, and readable in older Mentats' formats."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import bindparam, select
from sqlalchemy.exc import StatementError

from bot.store.database import NO_INSTANT, Instant, reading, writing
from bot.store.games import every_table
from bot.store.mail import LETTER
from bot.store.tables import GAME
from bot.table.calendar import stamp
from tests.moderator.table import START, World

PARIS = ZoneInfo("Europe/Paris")


def test_an_instant_is_written_as_ever_and_read_with_its_zone(world: World) -> None:
    world.new_game(factions=("atreides", "guild"))
    with writing(world.engine) as conn:
        conn.execute(LETTER.update().values(sent_at=START.astimezone(PARIS)))
        assert conn.exec_driver_sql("SELECT DISTINCT sent_at FROM letter").scalar_one() == stamp(START)
        conn.exec_driver_sql("UPDATE letter SET sent_at = '2024-11-26T20:00:00.000000+00:00'")
        assert set(conn.scalars(select(LETTER.c.sent_at))) == {datetime(2024, 11, 26, 20, tzinfo=UTC)}
        assert set(conn.scalars(select(LETTER.c.claimed_until))) == {None}


def test_instants_are_compared_and_sorted_as_instants_whatever_zone_they_are_given_in(world: World) -> None:
    world.new_game(factions=("atreides", "guild"))
    moments = [(START + timedelta(microseconds=1)).astimezone(PARIS), START]
    with writing(world.engine) as conn:
        for number, moment in zip(conn.scalars(select(LETTER.c.id)).all(), moments, strict=True):
            conn.execute(LETTER.update().where(LETTER.c.id == number).values(sent_at=moment))
        assert list(conn.scalars(select(LETTER.c.sent_at).order_by(LETTER.c.sent_at))) == moments[::-1]
        assert list(conn.scalars(select(LETTER.c.sent_at).where(LETTER.c.sent_at > START))) == moments[:1]


def test_a_moment_without_a_zone_is_no_instant(world: World) -> None:
    with reading(world.engine) as conn, pytest.raises(StatementError, match="has no time zone"):
        conn.execute(select(LETTER.c.id).where(LETTER.c.sent_at > START.replace(tzinfo=None)))


def test_no_instant_is_an_empty_text_where_older_mentats_wrote_one(world: World) -> None:
    world.new_game(factions=("atreides", "guild"))
    going = select(GAME.c.id).where(GAME.c.stopped_at == NO_INSTANT)
    with writing(world.engine) as conn:
        assert conn.exec_driver_sql("SELECT stopped_at, call_due FROM game").one() == ("", "")
        assert conn.scalars(select(GAME.c.stopped_at)).all() == [None]
        assert len(conn.scalars(going).all()) == 1
        conn.execute(GAME.update().values(stopped_at=START))
        assert conn.exec_driver_sql("SELECT stopped_at FROM game").scalar_one() == stamp(START)
        assert conn.scalars(going).all() == []
        conn.execute(GAME.update().values(stopped_at=None))
        assert len(conn.scalars(going).all()) == 1


def test_no_table_has_an_instant_that_is_text_to_the_code() -> None:
    columns = [column for table in every_table() for column in table.columns]
    named = [column for column in columns if column.name.split("_")[-1] in ("at", "due", "since", "until")]
    texts = {f"{column.table.name}.{column.name}" for column in named if not isinstance(column.type, Instant)}
    stop = {"deadline.opened_at", "overrun.opened_at"}  # the name of a stop
    assert texts == stop | {"last_mail.at"}  # written by an older Mentat


def test_statements_about_any_table_are_made_once_and_then_remembered() -> None:
    for table in every_table():
        statement = select(table).where(*(column == bindparam(column.name) for column in table.c))
        assert statement._generate_cache_key() is not None, table.name
