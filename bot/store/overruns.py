"""Deadlines that a player overruns on his time bank, and what they cost him.

What he has left is what lies between his answer and the end that was announced: time that is given back to all (a
pause, an outage, an extension) moves that end and costs nobody anything. It is taken off only when nobody is asked
that any more: a balance that changed at the moment of the answer would show that there is one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from bot.clock import waking
from bot.store.deadlines import Deadline, Deadlines, Place
from bot.store.tables import OVERRUN
from rules.components import Faction, as_faction

if TYPE_CHECKING:
    from bot.store.games import Table


@dataclass(frozen=True, slots=True)
class Overrun:
    """A bank that runs in these ``hours`` of a zone; ``left`` are the minutes left when he answered, -1 before that."""

    hours: str
    zone: str
    left: int = -1

    def minutes(self, now: datetime, end: Deadline | None) -> int:
        """What is left of it now."""
        until = datetime.fromisoformat(end.due) if end else now
        return waking.awake(now, until, self.hours, ZoneInfo(self.zone)) // timedelta(minutes=1)


Overruns = dict[Place, Overrun]


def load(conn: Connection, game_id: str) -> Overruns:
    """The overruns of a game that are not settled."""
    rows = conn.execute(select(OVERRUN).where(OVERRUN.c.game_id == game_id))
    return {
        (row.opened_at, (as_faction(row.faction), row.kind, row.subject)): Overrun(row.hours, row.zone, row.left)
        for row in rows
    }


def begin(conn: Connection, table: Table, place: Place, overrun: Overrun) -> None:
    """Let a player's time bank run for this question."""
    stop, (faction, kind, subject) = place
    conn.execute(
        insert(OVERRUN),
        {"game_id": table.id, "opened_at": stop, "faction": faction, "kind": kind, "subject": subject,
         "hours": overrun.hours, "zone": overrun.zone, "left": overrun.left},
    )  # fmt: skip
    table.overruns[place] = overrun


def follow(conn: Connection, table: Table, known: Deadlines, now: datetime) -> None:
    """Note which of them were answered, and settle with who is asked none of them any more. ``known`` are the deadlines
    before."""
    for place, overrun in list(table.overruns.items()):
        deadline, left = table.deadlines.get(place), overrun.left
        if deadline is None or deadline.state == "answered":
            left = overrun.minutes(now, deadline or known.get(place)) if left < 0 else left
        elif deadline.state == "open":
            left = -1
        if left != overrun.left:
            table.overruns[place] = replace(overrun, left=left)
            conn.execute(update(OVERRUN).where(*_this(table.id, place)).values(left=left))
    for faction in {place[1][0] for place in table.overruns}:
        own = {place: overrun for place, overrun in table.overruns.items() if place[1][0] == faction}
        if not any(place in table.deadlines for place in own):
            _settle(conn, table, faction, own)


def _settle(conn: Connection, table: Table, faction: Faction, own: Overruns) -> None:
    """Questions of one moment run together: the one answered last counts."""
    seat = table.seats[faction]
    seat.bank = min(seat.bank, *(overrun.left for overrun in own.values()))
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
