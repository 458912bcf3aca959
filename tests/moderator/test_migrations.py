"""The migrations make the tables as they are declared. Databases of older Mentats: ``tests/old_databases``."""

from __future__ import annotations

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from bot.store.database import reading
from bot.store.rows import METADATA
from bot.table.seat import Seat
from tests.moderator.table import World


def test_the_migrations_make_the_tables_as_they_are_declared(world: World) -> None:
    with reading(world.engine) as conn:
        assert compare_metadata(MigrationContext.configure(conn), METADATA) == []


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
