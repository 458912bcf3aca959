"""Deadlines that run on time banks, as rows; what they cost follows in ``bot.table.overruns``."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from bot.store.tables import OVERRUN
from bot.table.overruns import measure, settle
from bot.table.table import Deadlines, Overrun, Overruns, Place, Table
from rules.components import as_faction


def load(conn: Connection, game_id: str) -> Overruns:
    """The overruns of a game that are not settled."""
    rows = conn.execute(select(OVERRUN).where(OVERRUN.c.game_id == game_id))
    return {
        (row.opened_at, (as_faction(row.faction), row.kind, row.subject)): Overrun(row.hours, row.zone, row.left)
        for row in rows
    }


def begin(conn: Connection, table: Table, place: Place, overrun: Overrun) -> None:
    """Let a player's time bank run for this question."""
    stop, (faction, kind, subject) = place
    conn.execute(
        insert(OVERRUN),
        {"game_id": table.id, "opened_at": stop, "faction": faction, "kind": kind, "subject": subject,
         "hours": overrun.hours, "zone": overrun.zone, "left": overrun.left},
    )  # fmt: skip
    table.overruns[place] = overrun


def follow(conn: Connection, table: Table, known: Deadlines, now: datetime) -> None:
    """Note which of them were answered, and settle with who is asked none of them any more. ``known`` are the deadlines
    before."""
    for place, left in measure(table, known, now).items():
        conn.execute(update(OVERRUN).where(*_this(table.id, place)).values(left=left))
    drop(conn, table, settle(table))


def drop(conn: Connection, table: Table, places: Iterable[Place]) -> None:
    """Forget overruns without taking anything off."""
    for place in list(places):
        conn.execute(delete(OVERRUN).where(*_this(table.id, place)))
        del table.overruns[place]


def _this(game_id: str, place: Place) -> tuple[ColumnElement[bool], ...]:
    stop, (faction, kind, subject) = place
    return (
        OVERRUN.c.game_id == game_id, OVERRUN.c.opened_at == stop, OVERRUN.c.faction == faction,
        OVERRUN.c.kind == kind, OVERRUN.c.subject == subject,
    )  # fmt: skip
