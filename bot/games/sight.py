"""Who may look at what is sealed: in a game that is played blind nobody at the desk may, until the glass is broken.

Whoever has the machine has the database; this keeps those honest who want to be, and lets the table know when one of
them had to look.
"""

from __future__ import annotations

import re
from dataclasses import replace

from bot.games.proof import Proof
from bot.store import games
from bot.store.database import Connection
from bot.wording.sentences import say


class Sealed(ValueError):
    """This game is played blind; the message says how it can be looked at all the same."""


def in_sight(conn: Connection, found: Proof) -> Proof:
    """A proof as those at the desk may read it: of a game that is played blind where it differs, and not from what."""
    where = _WHERE.match(found.difference)
    if where is None or not games.is_blind(conn, found.id):
        return found
    return replace(found, difference=say("desk-sealed.difference", where=where[0]))


_WHERE = re.compile(r"Event \d+ \([^)]*\)|The log(?= [a-z ]+:)|The game(?= cannot be set up)|The record that was kept")
"""How those differences begin that go on with what was ordered or told; the others only count."""


def require_sight(conn: Connection, game_id: str) -> None:
    """Sealed if a game is played blind and is not over. UnknownGame if there is none of that name."""
    if games.is_blind(conn, game_id):
        raise Sealed(
            f"{game_id} is played blind: what is sealed may be read by nobody at the desk. `mentat game break-glass "
            f"{game_id} --why REASON` opens it, and tells the table at once."
        )
