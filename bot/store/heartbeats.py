"""Heartbeats: when the service and the mailbox were last known to work.

``service`` beats while `mentat run` runs, ``mailbox`` when the mailbox was read. ``silence`` fails while all clocks are
stopped because nobody writes; its ``at`` is when they last were, or went on. ``retention`` is when old mail was last
deleted, ``archive`` when its folder was last written with the running games, ``desk`` for which moment the game
master's letter of the day was last written or left out. ``ratings`` fails while a result has come or gone that the
ratings do not have yet; its ``at`` is when they were last computed. ``backup`` is when the last was made.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, select

from bot.store.inserting import replacing
from bot.store.tables import HEARTBEAT

Name = Literal["service", "mailbox", "silence", "retention", "archive", "ratings", "desk", "backup"]


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """``at``: when it was last known to work; ``failing_since``: since when it has not, None while it works."""

    at: datetime
    failing_since: datetime | None


def heartbeat(conn: Connection, name: Name) -> Heartbeat | None:
    """The last heartbeat of a part of Mentat; None if it never had one."""
    row = conn.execute(select(HEARTBEAT.c.at, HEARTBEAT.c.failing_since).where(HEARTBEAT.c.name == name)).one_or_none()
    return None if row is None else Heartbeat(row.at, row.failing_since)


def beat(conn: Connection, name: Name, now: datetime) -> None:
    """It works."""
    conn.execute(replacing(conn, HEARTBEAT), {"name": name, "at": now, "failing_since": None})


def fail(conn: Connection, name: Name, now: datetime) -> None:
    """It does not work; a failure that is known already goes on."""
    known = heartbeat(conn, name)
    if known is None or known.failing_since is None:
        at = known.at if known else now
        conn.execute(replacing(conn, HEARTBEAT), {"name": name, "at": at, "failing_since": now})


def stop(conn: Connection, name: Name, now: datetime, since: datetime) -> None:
    """It is found now that it has not worked since an earlier instant."""
    conn.execute(replacing(conn, HEARTBEAT), {"name": name, "at": now, "failing_since": since})
