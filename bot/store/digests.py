"""The daily letters that are to be written (``bot.table.letters_wanted``)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from bot.store.mail import EARLIEST
from bot.store.persons import SeatName
from bot.store.tables import GAME, SEAT
from rules.components import as_faction


def due(conn: Connection, now: datetime) -> list[SeatName]:
    """The seats whose daily letter is due, in games that go on. The games are asked for the few seats that are found:
    joined to them, SQLite would look through all."""
    found = conn.execute(_DUE, {"now": now}).all()
    if not found:
        return []
    games = {row.game_id for row in found}
    running = set(conn.scalars(select(GAME.c.id).where(GAME.c.id.in_(games), GAME.c.status == "running")))
    return [(row.game_id, as_faction(row.faction)) for row in found if row.game_id in running]


_DUE = (
    select(SEAT.c.game_id, SEAT.c.faction)
    .where(SEAT.c.digest_due.between(EARLIEST, bindparam("now")))
    .order_by(SEAT.c.game_id, SEAT.c.dot)
)
