"""The duties of a player whom no mail reaches, and the deadlines that wait for them.

They could not know what they are asked, so for some hours a game what falls due meanwhile waits. Only public duties
do: a window and a secret question keep their time whoever can be reached, or a delay would tell of them. What moves is
all that they are asked publicly, answered or not, so that nobody sees from it who has answered.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from bot.clock.calendar import allowed
from bot.clock.settings import GameClock
from bot.table.deadlines import Delays
from bot.table.duties import come_up, open_duties
from bot.table.table import Deadlines, Place, Table
from rules.components import Faction


def no_mail_reaches(table: Table, faction: Faction, now: datetime, hours: float, clock: GameClock) -> Delays:
    """Note that no mail reaches a player; what the duties that are open get, as far as they have any of their ``hours``
    of this game left (``waits_until``)."""
    seat = table.seats[faction]
    left = timedelta(hours=hours) - timedelta(minutes=seat.waited)
    seat.unreachable, seat.unreachable_since, seat.waits_until = True, now, None
    table.touched.add(faction)
    if left <= timedelta() or table.status != "running":
        return {}
    seat.waits_until = now + left
    return _delays(table, open_duties(table, (faction,)), clock)


def mail_reaches(table: Table, faction: Faction) -> None:
    """Mail reaches them again. Deadlines that were moved stay where they are."""
    seat = table.seats[faction]
    seat.unreachable, seat.unreachable_since, seat.waits_until = False, None, None
    seat.undelivered, seat.undelivered_at = 0, None
    seat.waited, seat.lent = seat.waited + seat.lent, 0
    table.touched.add(faction)


def delays(table: Table, known: Deadlines, clock: GameClock) -> Delays:
    """What the duties get that have just come up for players whom no mail reaches. ``known`` are the deadlines
    before."""
    away = [faction for faction, seat in table.seats.items() if seat.waits_until]
    return _delays(table, come_up(table, away, known), clock) if away else {}


def _delays(table: Table, places: Iterable[Place], clock: GameClock) -> Delays:
    """What falls due before the end of the wait is due at its end. All that waits in one spell waits together, so what
    is used up of the hours is what the earliest of it was given."""
    found: Delays = {}
    for place in places:
        faction = place[1][0]
        seat, due = table.seats[faction], table.deadlines[place].due
        since, end = seat.unreachable_since, seat.waits_until
        if since is None or end is None or due >= end:
            continue
        found[place] = allowed(clock.calendar, end)
        given = end - max(due, since)
        seat.lent = max(seat.lent, given // timedelta(minutes=1))
        table.touched.add(faction)
    return found
