"""The last turn of a game of a tournament, and games that a tournament ends."""

from __future__ import annotations

from datetime import datetime

from bot.game_master.clocks import PAUSE
from bot.games.open_games import OpenGames
from bot.store import acts, games
from bot.store.database import Connection
from rules.rulesets.options import Value


def let_it_be_last(conn: Connection, open_games: OpenGames, game_id: str, turn: int, now: datetime) -> None:
    """This turn is the last of the game; everybody at it is told what that means."""
    table = open_games.table(conn, game_id)
    games.close(conn, table)


def longest(conn: Connection, open_games: OpenGames, game_id: str) -> Value:
    """The last turn of the game by its rules."""
    return open_games.table(conn, game_id).play.game.rules.options["max_turns"]


def stop(conn: Connection, open_games: OpenGames, game_id: str, now: datetime, why: str) -> None:
    """The game is decided without being played on: nothing falls due in it any more."""
    table = open_games.table(conn, game_id)
    if table.status == "running" and not table.stopped_at:
        table.stopped_at, table.stopped_why = now, PAUSE
        acts.done(conn, table, "pause", why, now)
        games.close(conn, table)
