"""The game master's hand on a game's clocks: stop them, let them go on, give more time, change them.

Everybody at the table is told in fixed words that name nobody; the reason is written down for the game master and the
archive alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.clock.settings import shown_settings
from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, using
from bot.games.open_games import OpenGames
from bot.post import clock_notices
from bot.store import acts, deadlines
from bot.store.database import Connection
from bot.table import rounds
from bot.table.table import Table
from bot.wording.sentences import say

MOST_HOURS = 8_760
"""So many hours, a year, can be given at once."""
PAUSE, SILENCE, HOLD = "pause", "silence", "hold"
"""Why the clocks of a game stand still: its game master stopped them or holds it, or nobody wrote any more."""


def pause(open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """Stop the clocks of a game. PowerRefused if they are stopped already, or the game is over."""
    with using(open_games, game_id, "pause", now, use) as used:
        if used.table.stopped_why == PAUSE:
            raise PowerRefused(f"{game_id} is paused already; `mentat game resume {game_id}` lets it go on.")
        stop_now(used.conn, open_games, used.table, now, use.tell)


def stop_now(conn: Connection, open_games: OpenGames, table: Table, now: datetime, tell: str = "") -> None:
    """Stop the clocks of a game in a transaction that goes on; its table is told."""
    table.stopped_at, table.stopped_why = table.stopped_at or now, PAUSE
    clock_notices.tell_table(conn, open_games.writer, table, now, "pause", tell)


def hold(open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """Let a game stand as it is: orders are taken and answered, and nothing resolves until it is released
    (``Moderator.release``). PowerRefused if it is on hold already, or over."""
    with using(open_games, game_id, "hold", now, use) as used:
        table = used.table
        if table.on_hold:
            raise PowerRefused(f"{game_id} is on hold already; `mentat game release {game_id}` lets it go on.")
        table.on_hold = now
        if not table.stopped_at:
            table.stopped_at, table.stopped_why = now, HOLD
        clock_notices.tell_table(used.conn, open_games.writer, table, now, "hold", use.tell)


def resume(open_games: OpenGames, game_id: str, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """Let the clocks of a game go on; what was open has as much time left as when they stopped. PowerRefused if they
    are not stopped."""
    with using(open_games, game_id, "resume", now, use) as used:
        table = used.table
        if table.on_hold:
            raise PowerRefused(f"{game_id} is on hold; `mentat game release {game_id}` lets it go on.")
        if not table.stopped_at:
            raise PowerRefused(f"The clocks of {game_id} are not stopped; `mentat game pause {game_id}` stops them.")
        resume_now(used.conn, open_games, table, now, use.tell)


def resume_now(conn: Connection, open_games: OpenGames, table: Table, now: datetime, tell: str = "") -> None:
    """Let the clocks of a game go on in a transaction that goes on; its table is told."""
    give_back(conn, open_games, table, now)
    clock_notices.tell_new_deadline(conn, open_games.writer, table, now, "resume", say("resume.notice"), told=tell)


def go_on(conn: Connection, open_games: OpenGames, table: Table, now: datetime, why: str) -> None:
    """Let the clocks of a game go on that the calendar had stopped."""
    give_back(conn, open_games, table, now)
    acts.done(conn, table, "resume", why, now)


def give_back(conn: Connection, open_games: OpenGames, table: Table, now: datetime) -> None:
    """Give back the time for which the clocks of a game stood still, and let them go on."""
    if since := table.stopped_at:
        clock = open_games.clock(table)
        table.deadlines = deadlines.give_back(conn, table.id, table.deadlines, clock, since, now)
        if table.call_due and table.call_due > since:
            table.call_due = clock.later(table.call_due, since, now)
    table.stopped_at, table.stopped_why = None, ""


def extend(open_games: OpenGames, game_id: str, hours: float, now: datetime, use: Use = AT_THE_MACHINE) -> None:
    """Give everything that is open in a game so many hours more. PowerRefused if nothing is open."""
    with using(open_games, game_id, "extend", now, use) as used:
        conn, table, used.words = used.conn, used.table, f"{hours:g} h"
        stop = table.play.stop_name
        places = [place for place, deadline in table.deadlines.items() if place[0] == stop]
        if not places:
            raise PowerRefused(f"Nothing is open in {game_id} that could be extended.")
        clock = open_games.clock(table)
        deadlines.extend(conn, table, places, hours, clock)
        rounds.extend_call(table, hours, clock)
        clock_notices.tell_new_deadline(conn, open_games.writer, table, now, "extend", told=use.tell)


def change(
    open_games: OpenGames, game_id: str, own: Mapping[str, Any], now: datetime, use: Use = AT_THE_MACHINE
) -> None:
    """Give a game clock settings of its own (``bot.clock.settings.read_own``), beside those it has. What was announced
    stands, or moves to the next moment that the new clock allows."""
    with using(open_games, game_id, "clock", now, use) as used:
        conn, table, used.words = used.conn, used.table, ", ".join(f"{name}={own[name]}" for name in own)
        table.clock = {**table.clock, **own}
        clock = open_games.clock(table)
        for place, deadline in list(table.deadlines.items()):
            deadlines.postpone(conn, table, [place], clock.extended(deadline.due, 0))
        changed = say("clock.notice", changes=shown_settings(own))
        clock_notices.tell_new_deadline(conn, open_games.writer, table, now, "clock", changed, told=use.tell)
