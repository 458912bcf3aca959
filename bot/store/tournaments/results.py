"""The results of tables. One is never changed: the next version supersedes it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.engine import Row

from bot.competition.outcomes import TableOutcome
from bot.competition.published import ResultState
from bot.store import heartbeats
from bot.store.instants import NO_INSTANT
from bot.store.tournament_tables import RESULT


@dataclass(frozen=True, slots=True)
class Result:
    """A version of a result. ``by`` is the right with which it was written ("" : the game itself), ``stands_at`` when
    nobody may protest any more."""

    tournament_id: str
    outcome: TableOutcome
    state: ResultState
    by: str
    why: str
    at: datetime
    stands_at: datetime | None = None

    @property
    def place(self) -> tuple[int, int]:
        """Its round and table."""
        return self.outcome.round, self.outcome.table


def add(conn: Connection, result: Result) -> Result:
    """Write the next version of a result; it is returned with its number."""
    of = (
        RESULT.c.tournament_id == result.tournament_id, RESULT.c.round == result.outcome.round,
        RESULT.c.table == result.outcome.table,
    )  # fmt: skip
    version = int(conn.execute(select(func.max(RESULT.c.version)).where(*of)).scalar_one() or 0) + 1
    outcome = msgspec.structs.replace(result.outcome, version=version)
    row = {
        "tournament_id": result.tournament_id, "round": outcome.round, "table": outcome.table, "version": version,
        "state": result.state, "outcome": msgspec.json.encode(outcome, order="deterministic"), "by": result.by,
        "why": result.why, "at": result.at, "stands_at": result.stands_at,
    }  # fmt: skip
    conn.execute(insert(RESULT), row)
    heartbeats.fail(conn, "ratings", result.at)
    return Result(result.tournament_id, outcome, result.state, result.by, result.why, result.at, result.stands_at)


def set_state(conn: Connection, result: Result, state: ResultState) -> None:
    """A result stands now (``confirmed``), another supersedes it (``amended``), or there is none any more
    (``withdrawn``)."""
    where = (
        RESULT.c.tournament_id == result.tournament_id, RESULT.c.round == result.outcome.round,
        RESULT.c.table == result.outcome.table, RESULT.c.version == result.outcome.version,
    )  # fmt: skip
    conn.execute(update(RESULT).where(*where).values(state=state))
    if state == "withdrawn":
        heartbeats.fail(conn, "ratings", result.at)


def postpone(conn: Connection, result: Result, stands_at: datetime) -> None:
    """One may protest against a result until then."""
    where = (
        RESULT.c.tournament_id == result.tournament_id, RESULT.c.round == result.outcome.round,
        RESULT.c.table == result.outcome.table, RESULT.c.version == result.outcome.version,
    )  # fmt: skip
    conn.execute(update(RESULT).where(*where).values(stands_at=stands_at))


def versions(conn: Connection, tournament_id: str) -> list[Result]:
    """All versions of all results of a tournament, by round, table and version."""
    found = select(RESULT).where(RESULT.c.tournament_id == tournament_id)
    rows = conn.execute(found.order_by(RESULT.c.round, RESULT.c.table, RESULT.c.version))
    return [_result(row) for row in rows]


def newest(conn: Connection, tournament_id: str) -> dict[tuple[int, int], Result]:
    """The version that counts of each result, by round and table. A table whose result was withdrawn has none."""
    last = {result.place: result for result in versions(conn, tournament_id)}
    return {place: result for place, result in last.items() if result.state != "withdrawn"}


def to_confirm(conn: Connection, now: datetime) -> list[Result]:
    """Provisional results, of all tournaments, against which nobody may protest any more."""
    where = (RESULT.c.state == "provisional", RESULT.c.stands_at != NO_INSTANT, RESULT.c.stands_at <= now)
    found = select(RESULT).where(*where)
    rows = conn.execute(found.order_by(RESULT.c.tournament_id, RESULT.c.round, RESULT.c.table, RESULT.c.version))
    return [_result(row) for row in rows]


def _result(row: Row[Any]) -> Result:
    outcome = msgspec.json.decode(row.outcome, type=TableOutcome)
    return Result(row.tournament_id, outcome, row.state, row.by, row.why, row.at, row.stands_at)
