"""Databases of older Mentats are renewed when they are opened, and the games in them go on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlmodel import SQLModel, create_engine

from bot.store.database import MIGRATIONS, open_database, reading
from bot.table.table import Seat
from tests.moderator.table import World, make_settings

OLDER = sorted(file.name.partition("_")[0] for file in (MIGRATIONS / "versions").glob("[0-9]*.py"))[:-1]


def as_it_was(world: World, revision: str, path: Path) -> None:
    """The rows of a world in the tables and columns of an older schema."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    engine.dispose()
    with closing(sqlite3.connect(world.settings.mentat.database)) as now, closing(sqlite3.connect(path)) as old:
        for (table,) in old.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            if table == "alembic_version":
                continue
            columns = [[row[1] for row in db.execute(f"PRAGMA table_info({table})")] for db in (now, old)]
            names = ", ".join(column for column in columns[1] if column in columns[0])
            rows = now.execute(f"SELECT {names} FROM {table}").fetchall()
            old.executemany(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(names.split(',')))})", rows)
        old.commit()


def test_the_migrations_make_the_tables_as_they_are_declared(world: World) -> None:
    with reading(world.engine) as conn:
        assert compare_metadata(MigrationContext.configure(conn), SQLModel.metadata) == []


@pytest.mark.parametrize("revision", OLDER)
def test_a_game_goes_on_in_a_database_of_an_older_mentat(world: World, tmp_path: Path, revision: str) -> None:
    world.new_game(factions=("atreides", "guild", "harkonnen"))
    (tmp_path / "old").mkdir()
    settings = make_settings(tmp_path / "old")
    as_it_was(world, revision, settings.mentat.database)
    older = World.at(tmp_path / "old")
    older.now = world.now
    older.say("guild", older.line("guild", "traitor"))
    assert "1 line taken" in older.newest("guild").subject
    assert older.wait(24) == 1


def test_letters_that_went_out_before_come_back_to_the_token_that_they_had(world: World, tmp_path: Path) -> None:
    world.new_game()
    old = tmp_path / "old.db"
    as_it_was(world, "0003", old)
    with reading(open_database(old)) as conn:
        tokens = conn.exec_driver_sql("SELECT token, bounce_token FROM seat").all()
    assert tokens
    assert all(token == bounce_token for token, bounce_token in tokens)


def test_letters_come_back_to_another_token_than_replies(world: World) -> None:
    world.new_game()
    seats: list[Seat] = list(world.table().seats.values())
    tokens = {seat.token for seat in seats} | {seat.bounce_token for seat in seats}
    assert len(tokens) == 2 * len(seats)
    for seat in seats:
        letter = world.newest(seat.faction)
        assert seat.bounce_token in letter.envelope_from
        assert seat.bounce_token not in letter.message.as_string()
        assert seat.token not in letter.envelope_from
