"""The last turn of a game of a tournament, and games that a tournament ends."""

from __future__ import annotations

from datetime import datetime

from bot.game_master.clocks import PAUSE
from bot.game_master.ending import let_it_be_last as announce
from bot.game_master.ending import tell_table
from bot.games.open_games import OpenGames
from bot.store import acts, games
from bot.store.database import Connection
from rules.chapters.victory import last_turn


def let_it_be_last(conn: Connection, open_games: OpenGames, game_id: str, turn: int, now: datetime) -> None:
    """This turn is the last of the game; everybody at it is told what that means, also where the rules end it then
    anyway. EndRefused if it cannot be."""
    table = open_games.table(conn, game_id)
    if turn < last_turn(table.play.game):
        announce(conn, open_games, table, turn, now)
    else:
        tell_table(conn, open_games, table, turn, now)
    games.close(conn, table)


def longest(conn: Connection, open_games: OpenGames, game_id: str) -> int:
    """The last turn of the game by its rules, or as it was announced."""
    return last_turn(open_games.table(conn, game_id).play.game)


def stop(conn: Connection, open_games: OpenGames, game_id: str, now: datetime, why: str) -> None:
    """The game is decided without being played on: nothing falls due in it any more."""
    table = open_games.table(conn, game_id)
    if table.status == "running" and not table.stopped_at:
        table.stopped_at, table.stopped_why = now, PAUSE
        acts.done(conn, table, "pause", why, now)
        games.close(conn, table)
