"""What the doctor asks of a database: whether it is sound, and what is in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from bot.store.database import backend_of
from bot.store.tables import GAME, MESSAGE


@dataclass(frozen=True, slots=True)
class Inspection:
    """``damage``: what the database says is broken, empty if nothing is. ``running`` of the ``games`` go on, and
    ``newest_message`` is when the last mail came, None before the first."""

    damage: str
    games: int
    running: int
    newest_message: datetime | None


def inspect(conn: Connection) -> Inspection:
    """Look through a database; it takes as long as reading the file."""
    games, running = conn.execute(
        select(func.count(), func.count().filter(GAME.c.status == "running")).select_from(GAME)
    ).one()
    newest = conn.execute(select(func.max(MESSAGE.c.received_at))).scalar_one()
    return Inspection(backend_of(conn).damage(conn), games, running, newest)
