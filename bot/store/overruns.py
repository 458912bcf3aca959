"""Deadlines that a player overruns on his time bank, and what they cost him.

What has run is taken off only when nobody is asked that any more: a balance that changed at the moment of the answer
would show that there is one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from bot.clock import waking
from bot.store.deadlines import Place
from bot.store.tables import OVERRUN, stamp
from rules.components import Faction, as_faction

if TYPE_CHECKING:
    from bot.store.games import Table


@dataclass(frozen=True, slots=True)
class Overrun:
    """A deadline that has passed at ``since``; ``answered`` is when its player answered after all."""

    since: datetime
    answered: datetime | None = None


Overruns = dict[Place, Overrun]


def load(conn: Connection, game_id: str) -> Overruns:
    """The overruns of a game that are not settled."""
    rows = conn.execute(select(OVERRUN).where(OVERRUN.c.game_id == game_id))
    return {
        (row.opened_at, (as_faction(row.faction), row.kind, row.subject)): Overrun(
            datetime.fromisoformat(row.since), datetime.fromisoformat(row.answered) if row.answered else None
        )
        for row in rows
    }


def begin(conn: Connection, table: Table, place: Place, since: datetime) -> None:
    """Let a player's time bank run for this question."""
    stop, (faction, kind, subject) = place
    conn.execute(
        insert(OVERRUN),
        {"game_id": table.id, "opened_at": stop, "faction": faction, "kind": kind, "subject": subject,
         "since": stamp(since), "answered": ""},
    )  # fmt: skip
    table.overruns[place] = Overrun(since)


def follow(conn: Connection, table: Table, now: datetime) -> None:
    """Note which of them were answered, and take off the bank of who is asked none of them any more what has run."""
    for place, overrun in list(table.overruns.items()):
        deadline = table.deadlines.get(place)
        answered = overrun.answered
        if deadline is None or deadline.state == "answered":
            answered = answered or now
        elif deadline.state == "open":
            answered = None
        if answered != overrun.answered:
            table.overruns[place] = Overrun(overrun.since, answered)
            conn.execute(
                update(OVERRUN).where(*_this(table.id, place)).values(answered=stamp(answered) if answered else "")
            )
    for faction in {place[1][0] for place in table.overruns}:
        own = {place: overrun for place, overrun in table.overruns.items() if place[1][0] == faction}
        if not any(place in table.deadlines for place in own):
            _settle(conn, table, faction, own, now)


def _settle(conn: Connection, table: Table, faction: Faction, own: Overruns, now: datetime) -> None:
    """Questions of one moment run together: the longest counts."""
    seat = table.seats[faction]
    zone = ZoneInfo(seat.timezone)
    ran = max(waking.awake(each.since, each.answered or now, seat.waking, zone) for each in own.values())
    seat.bank = max(0, seat.bank - round(ran / timedelta(minutes=1)))
    table.touched.add(faction)
    drop(conn, table, own)


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
