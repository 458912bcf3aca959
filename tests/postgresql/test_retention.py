"""Tests for deletion on a server: daily retention blocks nobody, and data that must go leaves the server's files."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from bot.games import retention
from bot.service import loop
from bot.store.database import DatabaseUnavailable, open_database, reading, writing
from bot.store.retention import EmptiedCounts
from tests.moderator.table import World
from tests.moderator.test_outbox import Server
from tests.postgresql.test_database import ON_A_SERVER
from tests.postgresql_server import PostgresqlServer

WORDS = "Feyd hides a poisoned blade in the arena of Giedi Prime"


@pytest.fixture
def world(fresh: Callable[[], str], tmp_path: Path) -> World:
    made = World.at(tmp_path, f"{ON_A_SERVER.format(url=fresh())}[retention]\ndays = 1\n")
    made.new_game()
    loop.send(made.outbox, Server(), made.now)
    made.now += timedelta(days=40)
    return made


def test_daily_retention_waits_for_nobody_who_reads(world: World) -> None:
    reader = open_database(world.settings.database_place)
    with reading(reader) as conn:
        letters = conn.exec_driver_sql("SELECT count(*) FROM letter WHERE length(content) > 0").scalar_one()
        assert letters
        retention.delete_expired(world.moderator.open_games, world.now)
    with reading(reader) as conn:
        assert not conn.exec_driver_sql("SELECT count(*) FROM letter WHERE length(content) > 0").scalar_one()
    reader.dispose()
    world.engine.dispose()


def test_what_a_reader_kept_in_the_files_is_cleared_by_the_same_command_again(
    world: World, server: PostgresqlServer
) -> None:
    with writing(world.engine) as conn:
        conn.exec_driver_sql(f"UPDATE letter SET content = '{WORDS}'::bytea")
    deletion = retention.mail_older_than(world.now)
    reader = open_database(world.settings.database_place)
    with reading(reader) as conn:
        conn.exec_driver_sql("SELECT count(*) FROM letter")
        with pytest.raises(DatabaseUnavailable, match="held by another program"):
            retention.carry_out_deletion(world.moderator.open_games, deletion)
    reader.dispose()
    assert server.holds(WORDS)
    assert retention.carry_out_deletion(world.moderator.open_games, deletion) == EmptiedCounts()
    assert not server.holds(WORDS)
    world.engine.dispose()
