"""Who may look at what is sealed: in a game that is played blind nobody at the desk may, until the glass is broken.

Whoever has the machine has the database; this keeps those honest who want to be, and lets the table know when one of
them had to look.
"""

from __future__ import annotations

from bot.store import games
from bot.store.database import Connection


class Sealed(ValueError):
    """This game is played blind; the message says how it can be looked at all the same."""


def require_sight(conn: Connection, game_id: str) -> None:
    """Sealed if a game is played blind and is not over. UnknownGame if there is none of that name."""
    if games.is_blind(conn, game_id):
        raise Sealed(
            f"{game_id} is played blind: what is sealed may be read by nobody at the desk. `mentat game break-glass "
            f"{game_id} --why REASON` opens it, and tells the table at once."
        )
