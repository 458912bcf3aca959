"""Who has been silent and who was heard, over all games; and the clocks that stop and go on for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, literal, select, update

from bot.store.instants import NO_INSTANT
from bot.store.tables import ACT, DEADLINE, GAME, MESSAGE, SEAT

WRITTEN = ("orders", "empty")
"""Messages that a player wrote, and no program."""


@dataclass(frozen=True, slots=True)
class OverdueDuty:
    """A public duty whose time is up: whose it is, how many duties they missed before, whether it was answered, and
    when it was asked."""

    address: str
    missed: int
    state: str
    asked_at: datetime | None


def overdue_duties(conn: Connection, now: datetime) -> list[OverdueDuty]:
    """The public duties that were due by now, in running games whose clocks go."""
    rows = conn.execute(
        select(SEAT.c.address, SEAT.c.missed, DEADLINE.c.state, DEADLINE.c.asked_at)
        .join(GAME, GAME.c.id == DEADLINE.c.game_id)
        .join(SEAT, (SEAT.c.game_id == DEADLINE.c.game_id) & (SEAT.c.faction == DEADLINE.c.faction))
        .where(
            DEADLINE.c.state.in_(("open", "answered")), DEADLINE.c.until <= now, DEADLINE.c.duty,
            GAME.c.status == "running", GAME.c.stopped_at == NO_INSTANT,
        )
    )  # fmt: skip
    return [OverdueDuty(row.address, row.missed, row.state, row.asked_at) for row in rows]


def stop_clocks(conn: Connection, since: datetime, why: str, now: datetime) -> None:
    """Stop the clocks of all running games as of an instant, and note it in the act log of each."""
    running = select(GAME.c.id).where(GAME.c.status == "running", GAME.c.stopped_at == NO_INSTANT)
    conn.execute(
        ACT.insert().from_select(
            ["game_id", "at", "what", "why"],
            running.add_columns(literal(now, ACT.c.at.type), literal("silence"), literal("")),
        )
    )
    conn.execute(
        update(GAME)
        .where(GAME.c.status == "running", GAME.c.stopped_at == NO_INSTANT)
        .values(stopped_at=since, stopped_why=why, revision=GAME.c.revision + 1)
    )


def stopped_games(conn: Connection, why: str) -> list[str]:
    """The games whose clocks were stopped for this reason."""
    return list(conn.scalars(select(GAME.c.id).where(GAME.c.stopped_why == why).order_by(GAME.c.id)))


def last_heard(conn: Connection) -> datetime | None:
    """When a player last wrote; None if none ever did."""
    newest = select(MESSAGE.c.received_at).where(MESSAGE.c.disposition.in_(WRITTEN)).order_by(MESSAGE.c.id.desc())
    return conn.scalars(newest.limit(1)).first()


def ever_heard(conn: Connection, addresses: set[str]) -> set[str]:
    """Those of these persons who have ever written."""
    found = (
        select(SEAT.c.address)
        .join(MESSAGE, (MESSAGE.c.game_id == SEAT.c.game_id) & (MESSAGE.c.faction == SEAT.c.faction))
        .where(SEAT.c.address.in_(addresses), MESSAGE.c.disposition.in_(WRITTEN))
        .distinct()
    )
    return set(conn.scalars(found))


def heard_after(conn: Connection, since: datetime) -> set[str]:
    """The persons who have written since an instant."""
    found = (
        select(SEAT.c.address)
        .join(MESSAGE, (MESSAGE.c.game_id == SEAT.c.game_id) & (MESSAGE.c.faction == SEAT.c.faction))
        .where(MESSAGE.c.received_at >= since, MESSAGE.c.disposition.in_(WRITTEN))
        .distinct()
    )
    return set(conn.scalars(found))


def resumed_since(conn: Connection, since: datetime) -> list[str]:
    """The games whose clocks have gone on since an instant."""
    found = select(ACT.c.game_id).where(ACT.c.what == "resume", ACT.c.at >= since).order_by(ACT.c.game_id)
    return list(dict.fromkeys(conn.scalars(found)))
