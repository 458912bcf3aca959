"""The duties of a player whom no mail reaches, and the deadlines that wait for him.

He could not know what he is asked, so for some hours a game what falls due meanwhile waits. Only public duties do: a
window and a secret question keep their time whoever can be reached, or a delay would tell of them. What moves is all
that he is asked publicly, answered or not, so that nobody sees from it who has answered.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import Connection, bindparam, or_, select

from bot.clock.calendar import allowed
from bot.clock.settings import GameClock
from bot.store import deadlines
from bot.store.deadlines import Deadlines, Place, place_of
from bot.store.persons import SeatName
from bot.store.tables import GAME, SEAT, stamp
from bot.table.rounds import is_duty
from rules.components import Faction, as_faction

if TYPE_CHECKING:
    from bot.store.games import Table


def begin(
    conn: Connection, table: Table, faction: Faction, now: datetime, hours: float, clock: GameClock
) -> datetime | None:  # fmt: skip
    """Note that no mail reaches a player, and let the duties that are open wait for him, as far as he has any of his
    ``hours`` of this game left. Until when they wait; None if they do not."""
    seat = table.seats[faction]
    left = timedelta(hours=hours) - timedelta(minutes=seat.waited)
    seat.unreachable, seat.unreachable_since, seat.waits_until = True, stamp(now), ""
    table.touched.add(faction)
    if left <= timedelta() or table.status != "running":
        return None
    seat.waits_until = stamp(now + left)
    _wait(conn, table, _duties(table, (faction,)), clock)
    return allowed(clock.calendar, now + left)


def end(table: Table, faction: Faction) -> None:
    """Mail reaches him again. Deadlines that were moved stay where they are."""
    seat = table.seats[faction]
    seat.unreachable, seat.unreachable_since, seat.waits_until = False, "", ""
    seat.undelivered, seat.undelivered_at = 0, ""
    seat.waited, seat.lent = seat.waited + seat.lent, 0
    table.touched.add(faction)


def in_doubt(conn: Connection, address: str) -> list[SeatName]:
    """The seats, in games that are not over, whose letters go to this address and came back lately."""
    return [(row.game_id, as_faction(row.faction)) for row in conn.execute(_IN_DOUBT, {"at": address})]


_IN_DOUBT = (
    select(SEAT.c.game_id, SEAT.c.faction)
    .join(GAME, GAME.c.id == SEAT.c.game_id)
    .where(SEAT.c.address == bindparam("at"), or_(SEAT.c.unreachable, SEAT.c.undelivered > 0), GAME.c.status != "over")
    .order_by(SEAT.c.game_id, SEAT.c.dot)
)
"""Every message needs it, so it is made once (``bot.store.mail``)."""


def follow(conn: Connection, table: Table, known: Deadlines, clock: GameClock) -> None:
    """Let the duties that have just come up wait for players whom no mail reaches. ``known`` are the deadlines
    before."""
    away = [faction for faction, seat in table.seats.items() if seat.waits_until]
    if away:
        new = [place for place in _duties(table, away) if place not in known or known[place].state == "suspended"]
        _wait(conn, table, new, clock)


def _duties(table: Table, factions: Iterable[Faction]) -> list[Place]:
    asked = [q for q in table.play.asked() if q.faction in factions and is_duty(table, q)]
    return [place for q in asked if (place := place_of(table.play, q)) in table.deadlines]


def _wait(conn: Connection, table: Table, places: Iterable[Place], clock: GameClock) -> None:
    """Move what falls due before the end of the wait to its end. All that waits in one spell waits together, so what is
    used up of the hours is what the earliest of it was given."""
    for place in places:
        faction = place[1][0]
        seat, due = table.seats[faction], datetime.fromisoformat(table.deadlines[place].due)
        since, end = datetime.fromisoformat(seat.unreachable_since), datetime.fromisoformat(seat.waits_until)
        if due < end and deadlines.postpone(conn, table, [place], allowed(clock.calendar, end)):
            given = end - max(due, since)
            seat.lent = max(seat.lent, given // timedelta(minutes=1))
            table.touched.add(faction)
