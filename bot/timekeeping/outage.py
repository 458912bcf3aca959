"""Lost time: while the mailbox cannot be read, or Mentat itself is not at work, no deadline may pass unheard.

While the mailbox fails, silence answers nothing: the answers may lie there. Afterwards everything open in every running
game has as much time left as when the trouble began. Only what `mentat run` leaves in the tables counts as Mentat's own
heartbeat, so a clock that a game master sets forward by hand (`mentat tick --now`) is never taken for an outage.

Each game is given its time in a transaction of its own, which is written down, so that a crash on the way neither
loses nor repeats it.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.clock.instants import stamp
from bot.games.open_games import OpenGames
from bot.post import clock_notices
from bot.post.clock_notices import Cause
from bot.store import acts, deadlines, heartbeats, lost_time
from bot.store.database import Connection, reading, writing, writing_no_game
from bot.tournament import lost_time as tournaments

OFTEN_ENOUGH = timedelta(minutes=1)
"""A mailbox that works is not noted more often than this."""


def mailbox_failing(conn: Connection) -> bool:
    """Whether the mailbox could not be read when it was last tried."""
    known = heartbeats.heartbeat(conn, "mailbox")
    return known is not None and known.failing_since is not None


def canary_missing(conn: Connection) -> bool:
    """Whether too many mails from Mentat to itself have not come back (``bot.timekeeping.canary``)."""
    known = heartbeats.heartbeat(conn, "canary")
    return known is not None and known.failing_since is not None


def no_mail_comes(conn: Connection) -> bool:
    """Whether answers may lie where Mentat does not see them, so that silence answers nothing."""
    return mailbox_failing(conn) or canary_missing(conn)


def mailbox_fails(open_games: OpenGames, now: datetime) -> None:
    """The mailbox could not be read."""
    with writing(open_games.engine) as conn:
        heartbeats.fail(conn, "mailbox", now)


def mailbox_works(open_games: OpenGames, now: datetime) -> None:
    """The mailbox can be read; what was lost since it could not is given back. Where canaries were missing before that,
    all of it is given back when one comes."""
    with reading(open_games.engine) as conn:
        known = heartbeats.heartbeat(conn, "mailbox")
        missing = known is not None and known.failing_since is not None and canary_missing(conn)
    if known and known.failing_since:
        if now - known.failing_since > _limit(open_games) and not missing:
            give_back(open_games, "mailbox", known.failing_since, now)
            _miss_canaries_from(open_games, now)
    elif known and abs(now - known.at) < OFTEN_ENOUGH:
        return
    with writing(open_games.engine) as conn:
        heartbeats.beat(conn, "mailbox", now)


def canary_works(open_games: OpenGames, since: datetime, now: datetime) -> None:
    """A mail from Mentat to itself has come back, or none is sent any more; what was lost since the first that was
    missing is given back."""
    if now - since > _limit(open_games):
        give_back(open_games, "canary", since, now)
    with writing_no_game(open_games.engine) as conn:
        heartbeats.beat(conn, "canary", now)


def _miss_canaries_from(open_games: OpenGames, back: datetime) -> None:
    """None counts as missing for a time that was given back."""
    with writing_no_game(open_games.engine) as conn:
        sent = heartbeats.heartbeat(conn, "canary-sent")
        if sent and sent.failing_since and sent.failing_since < back:
            heartbeats.stop(conn, "canary-sent", sent.at, back)


def service_beats(open_games: OpenGames, now: datetime) -> None:
    """`mentat run` is at work; what was lost since it last was is given back. A mailbox that fails meanwhile gives it
    back itself, when it is read again, and so does a canary that is missing."""
    with reading(open_games.engine) as conn:
        service, mailbox = heartbeats.heartbeat(conn, "service"), heartbeats.heartbeat(conn, "mailbox")
        failing = no_mail_comes(conn)
    if service and not failing:
        last = max(service.at, mailbox.at) if mailbox else service.at
        if now - last > _limit(open_games):
            give_back(open_games, "service", last, now)
            _miss_canaries_from(open_games, now)
    with writing(open_games.engine) as conn:
        heartbeats.beat(conn, "service", now)


def give_back(open_games: OpenGames, cause: Cause, since: datetime, back: datetime) -> None:
    """Give the time between two instants back to every running game in which something is open, and tell everybody who
    plays in one, in one mail. Games whose clocks are stopped get it when they go on."""
    lost = f"{cause} {stamp(since)}"
    with reading(open_games.engine) as conn:
        todo = lost_time.games_without(conn, lost)
    for game_id in todo:
        with open_games.transaction(game_id) as (conn, table):
            if game_id not in lost_time.games_without(conn, lost):
                continue  # another process has given it meanwhile
            if table.stopped_at:
                table.stopped_at = min(table.stopped_at, since)
            else:
                clock = open_games.clock(table)
                table.deadlines = deadlines.give_back(conn, game_id, table.deadlines, clock, since, back)
                if table.call_due and table.call_due > since:
                    table.call_due = clock.later(table.call_due, since, back)
            acts.done(conn, table, "outage", lost, back)
    tournaments.give_back(open_games, lost, since, back)
    with writing(open_games.engine) as conn:
        clock_notices.tell_given_back(conn, open_games.writer, cause, lost_time.games_with(conn, lost), since, back)


def _limit(open_games: OpenGames) -> timedelta:
    return timedelta(minutes=open_games.settings.clock.outage_minutes)
