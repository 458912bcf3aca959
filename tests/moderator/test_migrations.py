"""Migrations create the declared tables; ``tests/old_databases`` tests the databases of older Mentats."""

from __future__ import annotations

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect

from bot.store.database import Connection, reading
from bot.store.rows import METADATA
from bot.table.table import Seat
from tests.moderator.table import World


def test_the_migrations_make_the_tables_as_they_are_declared(world: World) -> None:
    with reading(world.engine) as conn:
        assert compare_metadata(MigrationContext.configure(conn), METADATA) == []
        assert made_in_part(conn) == declared_in_part()


def made_in_part(conn: Connection) -> dict[str, str]:
    """Map each partial index in the database to its condition, which Alembic does not compare."""
    where = f"{conn.dialect.name}_where"
    made = [index for name in inspect(conn).get_table_names() for index in inspect(conn).get_indexes(name)]
    found = {str(index["name"]): index.get("dialect_options", {}).get(where) for index in made}
    return {name: str(condition).strip("()") for name, condition in found.items() if condition is not None}


def declared_in_part() -> dict[str, str]:
    """Map each declared partial index to its condition in ``info`` (``postgresql_where`` would load a dialect)."""
    declared = (index for table in METADATA.tables.values() for index in table.indexes)
    return {str(index.name): index.info["where"] for index in declared if index.info}


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
