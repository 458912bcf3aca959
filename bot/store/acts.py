"""What a game master or the calendar does to a game: written down for the game master, and in the game's record."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection

from bot.store import heartbeats, record_parts
from bot.store.heartbeats import What
from bot.table.table import Table


def done(conn: Connection, table: Table, what: What, why: str, now: datetime) -> None:
    """Something was done to a game. ``why`` is not for the players; the record has of it what is fit for the
    archive."""
    heartbeats.record(conn, table.id, what, why, now)
    record_parts.act(conn, table, what, why, now)
