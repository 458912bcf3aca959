"""A server's database of each older schema is renewed when it is opened, its games hold, and the running one goes on; an
upgrade is tried beside it before, without anything of it being changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, make_url
from sqlmodel import SQLModel

from bot.game_master.rules_upgrade import check_running_games
from bot.games import proof
from bot.store import games
from bot.store.database import DatabaseUnavailable, open_database, reading, schema_of
from bot.store.schema import newest
from bot.upgrade.trial import try_upgrade
from tests.moderator.table import World
from tests.old_databases.make import RUNNING
from tests.old_databases.test_old_databases import KEPT
from tests.postgresql import old_databases
from tests.postgresql.test_database import ON_A_SERVER
from tests.postgresql_server import PostgresqlServer

Empty = Callable[[], str]


@pytest.mark.parametrize("schema", KEPT)
def test_a_database_of_each_schema_is_renewed_and_its_games_hold_and_go_on(
    schema: str, empty: Empty, tmp_path: Path
) -> None:
    url = empty()
    old_databases.put(schema, url, tmp_path)
    world = World.at(tmp_path, ON_A_SERVER.format(url=url))
    with reading(world.engine) as conn:
        assert compare_metadata(MigrationContext.configure(conn), SQLModel.metadata) == []
        assert [found.difference for game in games.every(conn) if (found := _proof(conn, game)).difference] == []
        before = games.founded(conn, RUNNING).entries
        world.now = conn.exec_driver_sql("SELECT max(received_at) FROM message").scalar_one()
    world.now = _instant(world.now)
    assert check_running_games(world.moderator.open_games, world.now) == []
    world.wait(24)
    with reading(world.engine) as conn:
        assert games.founded(conn, RUNNING).entries > before
        assert _proof(conn, RUNNING).difference == ""
    world.engine.dispose()
