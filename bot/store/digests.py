"""The daily letters that are to be written (``bot.table.letters_wanted``)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select

from bot.store.instants import NO_INSTANT
from bot.store.persons import SeatName
from bot.store.tables import GAME, SEAT
from rules.components import as_faction


def due(conn: Connection, now: datetime) -> list[SeatName]:
    """The seats whose daily letter is due, in games that go on."""
    found = (
        select(SEAT.c.game_id, SEAT.c.faction)
        .join(GAME, GAME.c.id == SEAT.c.game_id)
        .where(SEAT.c.digest_due != NO_INSTANT, SEAT.c.digest_due <= now, GAME.c.status == "running")
        .order_by(SEAT.c.game_id, SEAT.c.dot)
    )
    return [(row.game_id, as_faction(row.faction)) for row in conn.execute(found)]
