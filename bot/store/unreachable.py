"""Players whom no mail reaches: what waits for them (``bot.table.unreachable``) as rows."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, or_, select

from bot.clock.calendar import allowed
from bot.clock.settings import GameClock
from bot.store import deadlines
from bot.store.persons import SeatName
from bot.store.tables import GAME, SEAT
from bot.table.table import Deadlines, Table
from bot.table.unreachable import delays, no_mail_reaches
from rules.components import Faction, as_faction


def begin(
    conn: Connection, table: Table, faction: Faction, now: datetime, hours: float, clock: GameClock
) -> datetime | None:  # fmt: skip
    """Note that no mail reaches a player, and let the duties that are open wait for them, as far as they have any of
    their ``hours`` of this game left. Until when they wait; None if they do not."""
    deadlines.delay(conn, table, no_mail_reaches(table, faction, now, hours, clock))
    waits_until = table.seats[faction].waits_until
    return allowed(clock.calendar, waits_until) if waits_until else None


def follow(conn: Connection, table: Table, known: Deadlines, clock: GameClock) -> None:
    """Let the duties that have just come up wait for players whom no mail reaches. ``known`` are the deadlines
    before."""
    deadlines.delay(conn, table, delays(table, known, clock))


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
