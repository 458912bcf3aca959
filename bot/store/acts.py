"""What a game master or the calendar does to a game: written into its act log, and into its record."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection

from bot.store import act_log, record_parts
from bot.store.act_log import Act, What
from bot.table.table import Table


def done(conn: Connection, table: Table, what: What, why: str, now: datetime) -> None:
    """Something was done to a game. ``why`` is not for the players; the record has of it what is fit for the
    archive."""
    add(conn, table, Act(now, what, why))


def add(conn: Connection, table: Table, act: Act) -> None:
    """Write an act into the log and, as far as it is fit for the archive, into the record of the game."""
    act_log.add(conn, table.id, act)
    record_parts.act(conn, table, act.what, act.told, act.at)
