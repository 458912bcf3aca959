"""Who works on a database: each process says so in a row, and holds a lock as long as it lives."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, select

from bot.store.inserting import replacing
from bot.store.worker_tables import LEADER, WORKER


@dataclass(frozen=True, slots=True)
class Presence:
    """A process at work. ``version`` names its rules: processes with others play other games."""

    name: str
    host: str
    version: str
    started_at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class Led:
    """Some work that one process does at a time, and who took its lead last."""

    work: str
    holder: str
    since: datetime


def lock_of(name: str) -> str:
    """The lock that a process holds as long as it lives."""
    return f"being {name}"


def here(conn: Connection, own: Presence) -> None:
    """Note that a process is at work."""
    conn.execute(replacing(conn, WORKER), {**asdict(own), "role": "worker"})


def gone(conn: Connection, names: Collection[str]) -> None:
    """Forget processes that have ended."""
    conn.execute(delete(WORKER).where(WORKER.c.name.in_(names)))


def everybody(conn: Connection) -> list[Presence]:
    """All who have begun and not said that they end; some may have died since."""
    rows = conn.execute(select(WORKER).order_by(WORKER.c.started_at, WORKER.c.name))
    return [Presence(row.name, row.host, row.version, row.started_at, row.seen_at) for row in rows]


def led(conn: Connection) -> list[Led]:
    """Who took which lead last."""
    rows = conn.execute(select(LEADER).order_by(LEADER.c.work))
    return [Led(row.work, row.holder, row.since) for row in rows]
