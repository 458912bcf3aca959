"""How it stands with each forum of the settings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, delete, insert, select

from bot.store.forum.rows import values
from bot.store.forum_tables import (
    FORUM_STATE,
)

Work = Literal["reading", "posting"]


@dataclass(frozen=True, slots=True)
class State:
    """How it stands with one kind of work in a forum: why it fails and since when (None: it does not), how often in a
    row, until when the forum is left in peace; for reading, by how many seconds its clock is ahead of ours, and up to
    where private messages were read."""

    forum: str
    work: Work = "reading"
    problem: str = ""
    failing_since: datetime | None = None
    failures: int = 0
    wait_until: datetime | None = None
    skew_seconds: float = 0.0
    messages_cursor: str | None = None


def state_of(conn: Connection, forum: str, work: Work = "reading") -> State:
    """How it stands with a forum."""
    this = (FORUM_STATE.c.forum == forum, FORUM_STATE.c.work == work)
    row = conn.execute(select(FORUM_STATE).where(*this)).one_or_none()
    return State(**row._mapping) if row else State(forum, work)


def put_state(conn: Connection, state: State) -> None:
    """Keep how it stands with a forum."""
    conn.execute(delete(FORUM_STATE).where(FORUM_STATE.c.forum == state.forum, FORUM_STATE.c.work == state.work))
    conn.execute(insert(FORUM_STATE), values(state))
