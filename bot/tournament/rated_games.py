"""Ratings follow the results of rated tournaments."""

from __future__ import annotations

from datetime import datetime

from bot.games.open_games import OpenGames
from bot.store import ratings
from bot.store.database import reading, writing


def keep_up(open_games: OpenGames, now: datetime) -> None:
    """Compute the ratings anew where a result has come or gone."""
    with reading(open_games.engine) as conn:
        if not ratings.is_behind(conn):
            return
    with open_games.busy, writing(open_games.engine) as conn:
        ratings.keep_up(conn, now)
