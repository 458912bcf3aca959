"""Rollbacks: that a game was taken back, to where, and why. The rows stay, although the entries that were cut are gone
from the log."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, insert, select, update

from bot.store.tables import ROLLBACK


@dataclass(frozen=True, slots=True)
class Rollback:
    """A game was taken back to where it had so many log ``entries`` and ``events``, in this turn and phase."""

    at: datetime
    entries: int
    events: int
    turn: int
    phase: str
    why: str
    undone: bool = False
    number: int = 0


def record(conn: Connection, game_id: str, rollback: Rollback) -> int:
    """Write down that a game was taken back; the number of the rollback."""
    row = {
        "game_id": game_id, "at": rollback.at, "entries": rollback.entries, "events": rollback.events,
        "turn": rollback.turn, "phase": rollback.phase, "why": rollback.why,
    }  # fmt: skip
    return int(conn.execute(insert(ROLLBACK).values(row).returning(ROLLBACK.c.id)).scalar_one())


def undo(conn: Connection, rollback: Rollback) -> None:
    """What it had cut was put back."""
    conn.execute(update(ROLLBACK).where(ROLLBACK.c.id == rollback.number).values(undone=True))


def rollbacks_of(conn: Connection, game_id: str) -> list[Rollback]:
    """How often a game was taken back, in order."""
    rows = conn.execute(select(ROLLBACK).where(ROLLBACK.c.game_id == game_id).order_by(ROLLBACK.c.id))
    return [Rollback(row.at, row.entries, row.events, row.turn, row.phase, row.why, row.undone, row.id) for row in rows]


def last_of_each(conn: Connection) -> dict[str, datetime]:
    """When each game that was ever taken back last was."""
    rows = conn.execute(select(ROLLBACK.c.game_id, func.max(ROLLBACK.c.at).label("at")).group_by(ROLLBACK.c.game_id))
    return {row.game_id: row.at for row in rows}
