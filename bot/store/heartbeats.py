"""Heartbeats: when the service and the mailbox were last known to work.

``service`` beats while `mentat run` runs, ``loop`` while its main loop turns, ``mailbox`` when the mailbox was read.
``silence`` fails while all clocks are stopped because nobody writes; its ``at`` is when they last were, or went on.
``canary`` fails while no mail from Mentat to itself comes back; its ``at`` is when one last did, and that of
``canary-sent`` when one was last written. ``retention`` is when old mail was last deleted, ``archive`` when its folder
was last written with the running games, ``desk`` for which moment the game master's letter of the day was last written
or left out. ``ratings`` fails while a result has come or gone that the ratings do not have yet; its ``at`` is when they
were last computed. Those that begin with ``alert-`` fail while something is wrong that somebody hears of by mail; their
``at`` is when it was last told. ``inbox`` is when all that lay in the mailbox was last stored for the workers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, bindparam, delete, select

from bot.store.inserting import replacing
from bot.store.tables import HEARTBEAT

Name = Literal[
    "service", "loop", "mailbox", "silence", "canary", "canary-sent", "retention", "archive", "ratings", "desk",
    "backup", "inbox", "alert-loop", "alert-mailbox", "alert-canary", "alert-outbox", "alert-deadlines", "alert-disk",
    "alert-certificate",
]  # fmt: skip


ALERTS: Mapping[str, Name] = {
    "loop": "alert-loop", "mailbox": "alert-mailbox", "canary": "alert-canary", "outbox": "alert-outbox",
    "deadlines": "alert-deadlines", "disk": "alert-disk", "certificate": "alert-certificate",
}  # fmt: skip
"""The heartbeats of what somebody hears of by mail."""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """``at``: when it was last known to work; ``failing_since``: since when it has not, None while it works."""

    at: datetime
    failing_since: datetime | None


def heartbeat(conn: Connection, name: Name) -> Heartbeat | None:
    """The last heartbeat of a part of Mentat; None if it never had one."""
    row = conn.execute(_HEARTBEAT, {"of": name}).one_or_none()
    return None if row is None else Heartbeat(row.at, row.failing_since)


_HEARTBEAT = select(HEARTBEAT.c.at, HEARTBEAT.c.failing_since).where(HEARTBEAT.c.name == bindparam("of"))


def beat(conn: Connection, name: Name, now: datetime) -> None:
    """Note that a part of Mentat works."""
    conn.execute(replacing(conn, HEARTBEAT), {"name": name, "at": now, "failing_since": None})


def fail(conn: Connection, name: Name, now: datetime) -> None:
    """Note that a part of Mentat does not work; a failure that is known already goes on."""
    known = heartbeat(conn, name)
    if known is None or known.failing_since is None:
        at = known.at if known else now
        conn.execute(replacing(conn, HEARTBEAT), {"name": name, "at": at, "failing_since": now})


def forget(conn: Connection, name: Name) -> None:
    """Delete the heartbeat of a part of Mentat, as if it had never worked."""
    conn.execute(delete(HEARTBEAT).where(HEARTBEAT.c.name == name))


def stop(conn: Connection, name: Name, now: datetime, since: datetime) -> None:
    """Note that a part of Mentat, as was found now, has not worked since an earlier instant."""
    conn.execute(replacing(conn, HEARTBEAT), {"name": name, "at": now, "failing_since": since})
