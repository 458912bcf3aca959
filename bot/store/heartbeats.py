"""Heartbeats: when the service and the mailbox were last known to work, and what was done to the clocks of games.

``service`` beats while `mentat run` runs, ``mailbox`` when the mailbox was read. ``silence`` fails while all clocks are
stopped because nobody writes; its ``at`` is when they last were, or went on. ``retention`` is when old mail was last
deleted, ``archive`` when its folder was last written with the running games. ``ratings`` fails while a result has come
or gone that the ratings do not have yet; its ``at`` is when they were last computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, insert, select

from bot.store.tables import ACT, HEARTBEAT

Name = Literal["service", "mailbox", "silence", "retention", "archive", "ratings"]
What = Literal[
    "pause", "resume", "extend", "clock", "outage", "silence", "replace", "address", "freeze", "last-turn", "end"
]


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
    conn.execute(_BEAT, {"name": name, "at": now, "failing_since": None})


def fail(conn: Connection, name: Name, now: datetime) -> None:
    """It does not work; a failure that is known already goes on."""
    known = heartbeat(conn, name)
    if known is None or known.failing_since is None:
        at = known.at if known else now
        conn.execute(_BEAT, {"name": name, "at": at, "failing_since": now})


def stop(conn: Connection, name: Name, now: datetime, since: datetime) -> None:
    """It is found now that it has not worked since an earlier instant."""
    conn.execute(_BEAT, {"name": name, "at": now, "failing_since": since})


_BEAT = insert(HEARTBEAT).prefix_with("OR REPLACE")


@dataclass(frozen=True, slots=True)
class Act:
    """Something done to a game's clocks; ``why`` is not for the players."""

    at: datetime
    what: What
    why: str


def record(conn: Connection, game_id: str, what: What, why: str, now: datetime) -> None:
    """Write down what was done to a game's clocks (``bot.store.acts.done`` puts it into the record of the game too)."""
    conn.execute(insert(ACT), {"game_id": game_id, "at": now, "what": what, "why": why})


def acts_of(conn: Connection, game_id: str) -> list[Act]:
    """What was done to a game's clocks, in order."""
    rows = conn.execute(select(ACT).where(ACT.c.game_id == game_id).order_by(ACT.c.id))
    return [Act(row.at, row.what, row.why) for row in rows]
