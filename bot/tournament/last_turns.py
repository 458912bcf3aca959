"""The last turn of a game of a tournament, and games that a tournament ends."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.game_master.ending import EndRefused, How, end_now, tell_table
from bot.game_master.ending import let_it_be_last as announce
from bot.games.open_games import OpenGames
from bot.store import games
from bot.store.database import Connection
from bot.tournament.desk import Refused
from rules.chapters.victory import last_turn
from rules.components import Faction


def let_it_be_last(conn: Connection, open_games: OpenGames, game_id: str, turn: int, now: datetime) -> None:
    """This turn is the last of the game; everybody at it is told what that means, also where the rules end it then
    anyway. EndRefused if it cannot be."""
    table = open_games.table(conn, game_id)
    if turn < last_turn(table.play.game):
        announce(conn, open_games, table, turn, now)
    else:
        tell_table(conn, open_games, table, turn, now)
    games.close(conn, table)


def was_told(conn: Connection, open_games: OpenGames, game_id: str, turn: int) -> bool:
    """Whether the game knows that this turn is its last: not if it was taken back to before it was told so."""
    return last_turn(open_games.table(conn, game_id).play.game) <= turn


def longest(conn: Connection, open_games: OpenGames, game_id: str) -> int:
    """The last turn of the game by its rules, or as it was announced."""
    return last_turn(open_games.table(conn, game_id).play.game)


def end_at_once(
    conn: Connection, open_games: OpenGames, game_id: str, how: How, winners: Sequence[Faction], now: datetime
) -> None:
    """The game is decided without being played on: everybody at it gets its last letter. One that is over already
    stays so. Refused where it cannot be ended."""
    table = open_games.table(conn, game_id)
    if table.status == "over":
        return
    try:
        end_now(conn, open_games, table, how, winners, now)
    except EndRefused as refused:
        raise Refused(str(refused)) from None
    games.close(conn, table)
