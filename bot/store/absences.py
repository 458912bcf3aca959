"""The absences of players as rows; what waits for whom stands in ``bot.table.absences``."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from bot.clock.settings import GameClock
from bot.store import deadlines
from bot.store.tables import ABSENCE
from bot.table.absences import announce, delays, take_back
from bot.table.table import Absence, Absences, Deadlines, Table
from rules.components import Faction, as_faction


def load(conn: Connection, game_id: str) -> Absences:
    """The absences of a game's players, by their first day."""
    rows = conn.execute(select(ABSENCE).where(ABSENCE.c.game_id == game_id).order_by(ABSENCE.c.first)).all()
    found: Absences = {}
    for row in rows:
        away = Absence(row.first, row.last)
        found.setdefault(as_faction(row.faction), []).append(away)
    return found


def add(
    conn: Connection, table: Table, faction: Faction, absence: Absence, now: datetime, clock: GameClock
) -> None:  # fmt: skip
    """Write an absence down, and let the duties that are open now wait for them where they fall into it."""
    conn.execute(
        insert(ABSENCE),
        {"game_id": table.id, "faction": faction, "first": absence.first, "last": absence.last,
         "filed_at": now},
    )  # fmt: skip
    deadlines.delay(conn, table, announce(table, faction, absence, clock))


def remove(conn: Connection, table: Table, faction: Faction, absences: Iterable[Absence]) -> None:
    """Strike absences out. Deadlines that were moved for them stay where they are."""
    for absence in absences:
        this = (
            ABSENCE.c.game_id == table.id,
            ABSENCE.c.faction == faction,
            ABSENCE.c.first == absence.first,
        )
        conn.execute(delete(ABSENCE).where(*this))
        take_back(table, faction, absence)


def follow(conn: Connection, table: Table, known: Deadlines, clock: GameClock) -> None:
    """Let the duties that have just come up wait for players who are away. ``known`` are the deadlines before."""
    deadlines.delay(conn, table, delays(table, known, clock))
