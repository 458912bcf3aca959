"""The game master's hand on a game's clocks: stop them, let them go on, give more time, change them.

Everybody at the table is told in fixed words that name nobody; the reason is written down for the game master and the
archive alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.clock.settings import shown_settings
from bot.games.open_games import OpenGames
from bot.post import clock_notices
from bot.store import acts, deadlines
from bot.store.database import Connection
from bot.table import rounds
from bot.table.table import Table
from bot.wording.sentences import say

PAUSE, SILENCE = "pause", "silence"
"""Why the clocks of a game stand still: its game master stopped them, or nobody wrote any more."""


class ClockRefused(ValueError):
    """This cannot be done to the clocks of this game now; the message says why and what can."""


def pause(open_games: OpenGames, game_id: str, now: datetime, why: str = "") -> None:
    """Stop the clocks of a game. ClockRefused if they are stopped already, or the game is over."""
    with open_games.transaction(game_id) as (conn, table):
        _require_running(table)
        if table.stopped_why == PAUSE:
            raise ClockRefused(f"{game_id} is paused already; `mentat game resume {game_id}` lets it go on.")
        table.stopped_at, table.stopped_why = table.stopped_at or now, PAUSE
        acts.done(conn, table, "pause", why, now)
        clock_notices.tell_table(conn, open_games.writer, table, now, "pause")


def resume(open_games: OpenGames, game_id: str, now: datetime, why: str = "") -> None:
    """Let the clocks of a game go on; what was open has as much time left as when they stopped. ClockRefused if they
    are not stopped."""
    with open_games.transaction(game_id) as (conn, table):
        _require_running(table)
        if not table.stopped_at:
            raise ClockRefused(f"The clocks of {game_id} are not stopped; `mentat game pause {game_id}` stops them.")
        go_on(conn, open_games, table, now, why)
        clock_notices.tell_new_deadline(conn, open_games.writer, table, now, "resume", say("resume.notice"))


def go_on(conn: Connection, open_games: OpenGames, table: Table, now: datetime, why: str) -> None:
    """Give back the time for which the clocks of a game stood still, and let them go on."""
    if since := table.stopped_at:
        clock = open_games.clock(table)
        table.deadlines = deadlines.give_back(conn, table.id, table.deadlines, clock, since, now)
        if table.call_due and table.call_due > since:
            table.call_due = clock.later(table.call_due, since, now)
    table.stopped_at, table.stopped_why = None, ""
    acts.done(conn, table, "resume", why, now)


def extend(open_games: OpenGames, game_id: str, hours: float, now: datetime, why: str = "") -> None:
    """Give everything that is open in a game so many hours more. ClockRefused if nothing is open."""
    with open_games.transaction(game_id) as (conn, table):
        _require_running(table)
        stop = table.play.stop_name
        places = [place for place, deadline in table.deadlines.items() if place[0] == stop]
        if not places:
            raise ClockRefused(f"Nothing is open in {game_id} that could be extended.")
        clock = open_games.clock(table)
        deadlines.extend(conn, table, places, hours, clock)
        table.now = now
        rounds.extend_call(table, hours, clock)
        acts.done(conn, table, "extend", f"{hours:g} h{': ' + why if why else ''}", now)
        clock_notices.tell_new_deadline(conn, open_games.writer, table, now, "extend")


def change(open_games: OpenGames, game_id: str, own: Mapping[str, Any], now: datetime, why: str = "") -> None:
    """Give a game clock settings of its own (``bot.clock.settings.read_own``), beside those it has. What was announced
    stands, or moves to the next moment that the new clock allows."""
    with open_games.transaction(game_id) as (conn, table):
        _require_running(table)
        table.clock = {**table.clock, **own}
        clock = open_games.clock(table)
        for place, deadline in list(table.deadlines.items()):
            deadlines.postpone(conn, table, [place], clock.extended(deadline.due, 0))
        acts.done(conn, table, "clock", why, now)
        changed = say("clock.notice", changes=shown_settings(own))
        clock_notices.tell_new_deadline(conn, open_games.writer, table, now, "clock", changed)


def _require_running(table: Table) -> None:
    if table.status != "running":
        raise ClockRefused(f"{table.id} is {table.status}; its clocks do not run.")
