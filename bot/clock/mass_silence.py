"""When most players fall silent at once, the mail is broken, not the players: the clocks stop and the game master is
told.

It takes several persons who have written before and have kept their last deadline, whose duties fall due at the same
time, and of whom nobody has written since he was asked; and nobody else either, in any game. A new game in which nobody
has ever written is not meant, nor a table where some answer and some do not, nor one whose players drop away one by
one. One silence stops the clocks once: after they went on they stop
again only when somebody has written meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, literal, select, update

from bot.clock import notices
from bot.clock.stopping import SILENCE, go_on
from bot.config import ClockSettings
from bot.hall import Hall
from bot.store import pulses
from bot.store.database import reading, writing
from bot.store.tables import ACT, DEADLINE, GAME, MESSAGE, SEAT, stamp

WRITTEN = ("orders", "empty")
"""Messages that a player himself wrote."""

ENOUGH = 2
"""So many players have to be heard again before the clocks go on."""


@dataclass(frozen=True, slots=True)
class Silence:
    """How many persons have fallen silent, and when anybody was last heard."""

    persons: int
    since: datetime


def fallen_silent(conn: Connection, clock: ClockSettings, now: datetime) -> Silence | None:
    """The silence that should stop the clocks now, if there is one."""
    last = _last_heard(conn)
    if last is None:
        return None
    known = pulses.pulse(conn, "silence")
    if known and stamp(known.at) >= last:
        return None
    duties = conn.execute(
        select(SEAT.c.address, SEAT.c.missed, DEADLINE.c.state, DEADLINE.c.asked_at)
        .join(GAME, GAME.c.id == DEADLINE.c.game_id)
        .join(SEAT, (SEAT.c.game_id == DEADLINE.c.game_id) & (SEAT.c.faction == DEADLINE.c.faction))
        .where(
            DEADLINE.c.state.in_(("open", "answered")), DEADLINE.c.until <= stamp(now), DEADLINE.c.duty,
            GAME.c.status == "running", GAME.c.stopped_at == "",
        )
    ).all()  # fmt: skip
    due = {row.address for row in duties}
    silent = {row.address for row in duties if row.state == "open" and row.asked_at >= last and not row.missed}
    if len(silent) < clock.silence_players or 100 * len(silent) < clock.silence_percent * len(due):
        return None
    heard = _ever_heard(conn, silent)
    if len(heard) < clock.silence_players or 100 * len(heard) < clock.silence_percent * len(due):
        return None
    return Silence(len(heard), datetime.fromisoformat(last))


def stop_all(hall: Hall, silence: Silence, now: datetime) -> None:
    """Stop the clocks of all running games, as of when anybody was last heard, and tell the game master."""
    with hall.busy, writing(hall.engine) as conn:
        running = select(GAME.c.id).where(GAME.c.status == "running", GAME.c.stopped_at == "")
        conn.execute(
            ACT.insert().from_select(
                ["game_id", "at", "what", "why"],
                running.add_columns(literal(now, ACT.c.at.type), literal("silence"), literal("")),
            )
        )
        conn.execute(
            update(GAME)
            .where(GAME.c.status == "running", GAME.c.stopped_at == "")
            .values(stopped_at=stamp(silence.since), stopped_why=SILENCE, revision=GAME.c.revision + 1)
        )
        pulses.stop(conn, "silence", now, silence.since)
        notices.tell_silence(conn, hall.desk, silence.persons, silence.since, now)


def start_if_heard(hall: Hall, now: datetime) -> None:
    """Let the clocks go on if enough players have written since they stopped."""
    with reading(hall.engine) as conn:
        known = pulses.pulse(conn, "silence")
        if known is None or known.failing_since is None or len(_heard_after(conn, known.at)) < ENOUGH:
            return
    start_all(hall, now, "players write again")


def start_all(hall: Hall, now: datetime, why: str) -> int:
    """Let the clocks of all games go on that stand still because nobody wrote, and give the time back; how many games.
    Everybody at them is told, in one mail."""
    with reading(hall.engine) as conn:
        known = pulses.pulse(conn, "silence")
        stopped = list(conn.scalars(select(GAME.c.id).where(GAME.c.stopped_why == SILENCE).order_by(GAME.c.id)))
    for game_id in stopped:
        with hall.transaction(game_id) as (conn, table):
            if table.stopped_why == SILENCE:
                go_on(conn, hall, table, now, why)
    if known and known.failing_since:
        with writing(hall.engine) as conn:
            went_on = _resumed_since(conn, known.at)
            notices.tell_given_back(conn, hall.desk, "silence", went_on, known.failing_since, now)
            pulses.beat(conn, "silence", now)
    return len(stopped)


def _last_heard(conn: Connection) -> str | None:
    """When a player last wrote, as the tables hold it."""
    newest = select(MESSAGE.c.received_at).where(MESSAGE.c.disposition.in_(WRITTEN)).order_by(MESSAGE.c.id.desc())
    return conn.scalars(newest.limit(1)).first()


def _ever_heard(conn: Connection, addresses: set[str]) -> set[str]:
    """Those of these persons who have ever written."""
    found = (
        select(SEAT.c.address)
        .join(MESSAGE, (MESSAGE.c.game_id == SEAT.c.game_id) & (MESSAGE.c.faction == SEAT.c.faction))
        .where(SEAT.c.address.in_(addresses), MESSAGE.c.disposition.in_(WRITTEN))
        .distinct()
    )
    return set(conn.scalars(found))


def _heard_after(conn: Connection, since: datetime) -> set[str]:
    """The persons who have written since an instant."""
    found = (
        select(SEAT.c.address)
        .join(MESSAGE, (MESSAGE.c.game_id == SEAT.c.game_id) & (MESSAGE.c.faction == SEAT.c.faction))
        .where(MESSAGE.c.received_at >= stamp(since), MESSAGE.c.disposition.in_(WRITTEN))
        .distinct()
    )
    return set(conn.scalars(found))


def _resumed_since(conn: Connection, since: datetime) -> list[str]:
    """The games whose clocks have gone on since an instant."""
    found = select(ACT.c.game_id).where(ACT.c.what == "resume", ACT.c.at >= since).order_by(ACT.c.game_id)
    return list(dict.fromkeys(conn.scalars(found)))
