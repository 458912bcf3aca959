"""Dangerous commands that came by mail, and handovers: each waits, once, for the answer to a letter with its code."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, bindparam, func, insert, select, update

from bot.store.desk_tables import MASTER_CODE

State = Literal["waiting", "done", "refused"]
OUTDATED = -1
"""Of how many entries no log is."""


@dataclass(frozen=True, slots=True)
class Pending:
    """What waits for its ``code`` from an ``address``: a line about a game whose log had so many ``entries`` then. It
    is over after ``until``."""

    code: str
    game_id: str
    address: str
    line: str
    entries: int
    asked_at: datetime
    until: datetime


def keep(conn: Connection, pending: Pending) -> None:
    """Let something wait for its code."""
    row = {
        "code": pending.code, "game_id": pending.game_id, "address": pending.address, "line": pending.line,
        "entries": pending.entries, "asked_at": pending.asked_at, "until": pending.until, "state": "waiting",
    }  # fmt: skip
    conn.execute(insert(MASTER_CODE), row)


def waiting(conn: Connection, code: str, now: datetime) -> Pending | None:
    """What waits for this code, unless its time is over or it was used."""
    row = conn.execute(_WAITING, {"of": code, "now": now}).one_or_none()
    if row is None:
        return None
    return Pending(row.code, row.game_id, row.address, row.line, row.entries, row.asked_at, row.until)


_WAITING = select(MASTER_CODE).where(
    MASTER_CODE.c.code == bindparam("of"), MASTER_CODE.c.state == "waiting", MASTER_CODE.c.until > bindparam("now")
)


def count(conn: Connection) -> int:
    """How many codes there ever were; this number keeps two that are made in the same moment apart."""
    return int(conn.execute(select(func.count()).select_from(MASTER_CODE)).scalar_one())


def outdate(conn: Connection, game_id: str) -> None:
    """A rollback has changed the log of a game: whatever waits there was asked for before, even if the log gets as long
    again."""
    waits = (MASTER_CODE.c.game_id == game_id, MASTER_CODE.c.state == "waiting")
    conn.execute(update(MASTER_CODE).where(*waits).values(entries=OUTDATED))


def settle_those_like(conn: Connection, game_id: str, word: str, state: State) -> None:
    """Whatever waits in a game and begins with this word counts no more."""
    waits = (MASTER_CODE.c.game_id == game_id, MASTER_CODE.c.state == "waiting")
    conn.execute(update(MASTER_CODE).where(*waits, MASTER_CODE.c.line.startswith(word)).values(state=state))


def settle(conn: Connection, code: str, state: State) -> None:
    """A code is used, once."""
    conn.execute(update(MASTER_CODE).where(MASTER_CODE.c.code == code).values(state=state))
