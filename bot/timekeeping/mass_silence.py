"""When most players fall silent at once, the mail is broken, not the players: the clocks stop and the game master is
told.

It takes several persons who have written before and have kept their last deadline, whose duties fall due at the same
time, and of whom nobody has written since being asked; and nobody else either, in any game. A new game in which nobody
has ever written is not meant, nor a table where some answer and some do not, nor one whose players drop away one by
one. One silence stops the clocks once: after they went on they stop
again only when somebody has written meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.config import ClockSettings
from bot.game_master.clocks import SILENCE, go_on
from bot.games.open_games import OpenGames
from bot.post import clock_notices
from bot.store import heartbeats
from bot.store import mass_silence as silence_rows
from bot.store.database import Connection, reading, writing

ENOUGH = 2
"""So many players have to be heard again before the clocks go on."""


@dataclass(frozen=True, slots=True)
class Silence:
    """How many persons have fallen silent, and when anybody was last heard."""

    persons: int
    since: datetime


def fallen_silent(conn: Connection, clock: ClockSettings, now: datetime) -> Silence | None:
    """The silence that should stop the clocks now, if there is one."""
    last = silence_rows.last_heard(conn)
    if last is None:
        return None
    known = heartbeats.heartbeat(conn, "silence")
    if known and known.at >= last:
        return None
    duties = silence_rows.overdue_duties(conn, now)
    due = {row.address for row in duties}
    asked = [row for row in duties if row.asked_at and row.asked_at >= last]
    silent = {row.address for row in asked if row.state == "open" and not row.missed}
    if len(silent) < clock.silence_players or 100 * len(silent) < clock.silence_percent * len(due):
        return None
    heard = silence_rows.ever_heard(conn, silent)
    if len(heard) < clock.silence_players or 100 * len(heard) < clock.silence_percent * len(due):
        return None
    return Silence(len(heard), last)


def stop_all(open_games: OpenGames, silence: Silence, now: datetime) -> None:
    """Stop the clocks of all running games, as of when anybody was last heard, and tell the game master."""
    with open_games.busy, writing(open_games.engine) as conn:
        silence_rows.stop_clocks(conn, silence.since, SILENCE, now)
        heartbeats.stop(conn, "silence", now, silence.since)
        clock_notices.tell_silence(conn, open_games.writer, silence.persons, silence.since, now)


def start_if_heard(open_games: OpenGames, now: datetime) -> None:
    """Let the clocks go on if enough players have written since they stopped."""
    with reading(open_games.engine) as conn:
        known = heartbeats.heartbeat(conn, "silence")
        if known is None or known.failing_since is None or len(silence_rows.heard_after(conn, known.at)) < ENOUGH:
            return
    start_all(open_games, now, "players write again")


def start_all(open_games: OpenGames, now: datetime, why: str) -> int:
    """Let the clocks of all games go on that stand still because nobody wrote, and give the time back; how many games.
    Everybody at them is told, in one mail."""
    with reading(open_games.engine) as conn:
        known = heartbeats.heartbeat(conn, "silence")
        stopped = silence_rows.stopped_games(conn, SILENCE)
    for game_id in stopped:
        with open_games.transaction(game_id) as (conn, table):
            if table.stopped_why == SILENCE:
                go_on(conn, open_games, table, now, why)
    if known and known.failing_since:
        with writing(open_games.engine) as conn:
            went_on = silence_rows.resumed_since(conn, known.at)
            clock_notices.tell_given_back(conn, open_games.writer, "silence", went_on, known.failing_since, now)
            heartbeats.beat(conn, "silence", now)
    return len(stopped)
