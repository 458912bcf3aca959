"""What the doctor asks of a database: whether it is sound, and what is in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from bot.store.tables import GAME, MESSAGE


@dataclass(frozen=True, slots=True)
class Inspection:
    """``damage``: what SQLite says is broken, empty if nothing is. ``running`` of the ``games`` go on, and
    ``newest_message`` is when the last mail came, None before the first."""

    damage: str
    games: int
    running: int
    newest_message: datetime | None


def inspect(conn: Connection) -> Inspection:
    """Look through a database; it takes as long as reading the file."""
    damage = conn.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
    games, running = conn.execute(
        select(func.count(), func.count().filter(GAME.c.status == "running")).select_from(GAME)
    ).one()
    newest = conn.execute(select(func.max(MESSAGE.c.received_at))).scalar_one()
    return Inspection("" if damage == "ok" else str(damage), games, running, newest)
