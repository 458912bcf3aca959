"""Days on which a player is away, and the deadlines that wait for him.

Only public duties wait: a question that others do not know of, and a reaction that is open to everybody, keep their
time whoever is away, or a pause would tell of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, delete, insert, select

from bot.clock.calendar import allowed, at
from bot.clock.settings import GameClock
from bot.store import deadlines
from bot.store.deadlines import Deadlines, Place, place_of
from bot.store.tables import ABSENCE, stamp
from bot.table.rounds import is_duty
from rules.components import Faction, as_faction

if TYPE_CHECKING:
    from bot.store.games import Table

LAST_MINUTE = time(23, 59)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Absence:
    """The days from ``first`` to ``last``, both included, on the calendar of the player's own zone."""

    first: date
    last: date

    @property
    def days(self) -> int:
        """How many days it is."""
        return (self.last - self.first).days + 1

    def holds(self, moment: datetime, zone: ZoneInfo) -> bool:
        """Whether an instant falls into it."""
        return self.first <= moment.astimezone(zone).date() <= self.last

    def back(self, zone: ZoneInfo) -> datetime:
        """Until when he may answer what fell due meanwhile: the end of the first day after it."""
        return at(self.last + _DAY, LAST_MINUTE, zone)


Absences = dict[Faction, list[Absence]]


def load(conn: Connection, game_id: str) -> Absences:
    """The absences of a game's players, by their first day."""
    rows = conn.execute(select(ABSENCE).where(ABSENCE.c.game_id == game_id).order_by(ABSENCE.c.first)).all()
    found: Absences = {}
    for row in rows:
        away = Absence(date.fromisoformat(row.first), date.fromisoformat(row.last))
        found.setdefault(as_faction(row.faction), []).append(away)
    return found


def add(
    conn: Connection, table: Table, faction: Faction, absence: Absence, now: datetime, clock: GameClock
) -> None:  # fmt: skip
    """Write an absence down, and let the duties that are open now wait for him where they fall into it."""
    conn.execute(
        insert(ABSENCE),
        {"game_id": table.id, "faction": faction, "first": absence.first.isoformat(),
         "last": absence.last.isoformat(), "filed_at": stamp(now)},
    )  # fmt: skip
    earlier = table.absences.get(faction, [])
    table.absences[faction] = sorted([*earlier, absence], key=lambda each: each.first)
    zone = ZoneInfo(table.seats[faction].timezone)
    moved = {stamp(allowed(clock.calendar, each.back(zone))) for each in earlier}
    own = [place for place in _duties(table, (faction,)) if table.deadlines[place].due not in moved]
    _wait(conn, table, own, clock)


def remove(conn: Connection, table: Table, faction: Faction, absences: Iterable[Absence]) -> None:
    """Strike absences out. Deadlines that were moved for them stay where they are."""
    for absence in absences:
        this = (
            ABSENCE.c.game_id == table.id,
            ABSENCE.c.faction == faction,
            ABSENCE.c.first == absence.first.isoformat(),
        )
        conn.execute(delete(ABSENCE).where(*this))
        table.absences[faction].remove(absence)
    if not table.absences.get(faction, ["some"]):
        del table.absences[faction]


def follow(conn: Connection, table: Table, known: Deadlines, clock: GameClock) -> None:
    """Let the duties that have just come up wait for players who are away. ``known`` are the deadlines before."""
    if table.absences:
        new = [place for place in _duties(table, table.absences) if _comes_up(known, place)]
        _wait(conn, table, new, clock)


def _duties(table: Table, factions: Iterable[Faction]) -> list[Place]:
    asked = [q for q in table.play.asked() if q.faction in factions and is_duty(table, q)]
    return [place for q in asked if (place := place_of(table.play, q)) in table.deadlines]


def _comes_up(known: Deadlines, place: Place) -> bool:
    return place not in known or known[place].state == "suspended"


def _wait(conn: Connection, table: Table, places: Iterable[Place], clock: GameClock) -> None:
    for place in places:
        faction = place[1][0]
        zone, due = ZoneInfo(table.seats[faction].timezone), datetime.fromisoformat(table.deadlines[place].due)
        for absence in table.absences[faction]:
            if absence.holds(due, zone):
                deadlines.postpone(conn, table, [place], allowed(clock.calendar, absence.back(zone)))
                break
