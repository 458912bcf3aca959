"""Lost time: while the mailbox cannot be read, or Mentat itself is not at work, no deadline may pass unheard.

While the mailbox fails, silence answers nothing: the answers may lie there. Afterwards everything open in every running
game has as much time left as when the trouble began. Only what `mentat run` leaves in the tables counts as Mentat's own
pulse, so a clock that a game master sets forward by hand (`mentat tick --now`) is never taken for an outage.

Each game is given its time in a transaction of its own, which is written down, so that a crash on the way neither
loses nor repeats it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.clock.instants import stamp
from bot.games.open_games import Hall
from bot.post import clock_notices
from bot.post.clock_notices import Cause
from bot.store import deadlines, heartbeats, lost_time
from bot.store.database import Connection, reading, writing

OFTEN_ENOUGH = timedelta(minutes=1)
"""A mailbox that works is not noted more often than this."""


def mailbox_failing(conn: Connection) -> bool:
    """Whether the mailbox could not be read when it was last tried."""
    known = heartbeats.pulse(conn, "mailbox")
    return known is not None and known.failing_since is not None


def mailbox_fails(hall: Hall, now: datetime) -> None:
    """The mailbox could not be read."""
    with writing(hall.engine) as conn:
        heartbeats.fail(conn, "mailbox", now)


def mailbox_works(hall: Hall, now: datetime) -> None:
    """The mailbox can be read; what was lost since it could not is given back."""
    with reading(hall.engine) as conn:
        known = heartbeats.pulse(conn, "mailbox")
    if known and known.failing_since:
        if now - known.failing_since > _limit(hall):
            give_back(hall, "mailbox", known.failing_since, now)
    elif known and abs(now - known.at) < OFTEN_ENOUGH:
        return
    with writing(hall.engine) as conn:
        heartbeats.beat(conn, "mailbox", now)


def service_beats(hall: Hall, now: datetime) -> None:
    """`mentat run` is at work; what was lost since it last was is given back. A mailbox that fails meanwhile gives it
    back itself, when it is read again."""
    with reading(hall.engine) as conn:
        service, mailbox = heartbeats.pulse(conn, "service"), heartbeats.pulse(conn, "mailbox")
    failing = mailbox is not None and mailbox.failing_since is not None
    if service and not failing:
        last = max(service.at, mailbox.at) if mailbox else service.at
        if now - last > _limit(hall):
            give_back(hall, "service", last, now)
    with writing(hall.engine) as conn:
        heartbeats.beat(conn, "service", now)


def give_back(hall: Hall, cause: Cause, since: datetime, back: datetime) -> None:
    """Give the time between two instants back to every running game in which something is open, and tell everybody who
    plays in one, in one mail. Games whose clocks are stopped get it when they go on."""
    lost = f"{cause} {stamp(since)}"
    with reading(hall.engine) as conn:
        todo = lost_time.games_without(conn, lost)
    for game_id in todo:
        with hall.transaction(game_id) as (conn, table):
            if game_id not in lost_time.games_without(conn, lost):
                continue  # another process has given it meanwhile
            if table.stopped_at:
                table.stopped_at = min(table.stopped_at, stamp(since))
            else:
                clock = hall.clock(table)
                table.deadlines = deadlines.give_back(conn, game_id, table.deadlines, clock, since, back)
                if table.call_due > stamp(since):
                    table.call_due = stamp(clock.later(datetime.fromisoformat(table.call_due), since, back))
            heartbeats.record(conn, game_id, "outage", lost, back)
    with writing(hall.engine) as conn:
        clock_notices.tell_given_back(conn, hall.desk, cause, lost_time.games_with(conn, lost), since, back)


def _limit(hall: Hall) -> timedelta:
    return timedelta(minutes=hall.settings.clock.outage_minutes)
