"""A rules upgrade must not change a game in progress: every game is played again with the rules as they are
installed."""

from __future__ import annotations

from datetime import datetime

from bot.games import proof
from bot.games.installed_rules import rules_digest
from bot.games.open_games import OpenGames
from bot.games.sight import in_sight
from bot.post import notices
from bot.store import games
from bot.store.database import reading, writing


def check_running_games(open_games: OpenGames, now: datetime) -> list[str]:
    """Play every running game again with the rules as they are installed now. One that comes out differently is
    held, with a notice to the game master; a sentence for each. A held one that comes out right again goes on.
    Games that these very rules have checked are skipped."""
    problems = []
    installed = rules_digest()
    with reading(open_games.engine) as conn:
        unchecked = games.to_check(conn, but_not=installed)
    for game_id in unchecked:
        with open_games.busy, writing(open_games.engine) as conn:
            found = in_sight(conn, proof.verify(proof.record(conn, game_id)))
            games.mark_checked(conn, game_id, installed, holds=found.holds)
            if not found.holds:
                problems.append(notices.game_held(conn, open_games.writer, game_id, found.difference, installed, now))
    return problems
