"""What the archive shows of a game, changed by the game master after it has begun."""

from __future__ import annotations

from datetime import datetime

from bot.config.archive_policy import Policy
from bot.games.open_games import OpenGames
from bot.post.archive_notices import tell_policy
from bot.store import games


def set_policy(open_games: OpenGames, game_id: str, policy: Policy, now: datetime) -> bool:
    """Let the archive show this of a game from now on. While it goes on all its players are told; whether they were.
    UnknownGame if there is none of that name."""
    with open_games.transaction(game_id) as (conn, table):
        changed, told = table.policy != policy, not table.play.over
        if not changed:
            return False
        games.set_policy(conn, game_id, policy)
        table.policy = policy
        if told:
            tell_policy(conn, open_games.writer, table, policy, now)
        return told
