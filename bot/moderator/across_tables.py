"""No deal reaches from one table to another: one that names a game which is played elsewhere is refused.

Who helps at one table to be helped at another spoils both (house rules of every event). Only what Mentat is told can be
found, so the game master is told too, without the words of the deal, and decides what it means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.store import games
from bot.store.database import Connection
from bot.wording.sentences import say
from rules.components import Faction
from rules.orders import Deal


class AcrossTables:
    """Finds the other table in the deals of one mail. ``found`` are the games that were named."""

    def __init__(self, conn: Connection, game_id: str) -> None:
        self._conn, self._own = conn, game_id
        self.found: list[str] = []

    def why_not(self, order: object) -> str:
        """Why the order is not taken, where it is a deal that names another table; nothing for all others."""
        if not isinstance(order, Deal):
            return ""
        running = (game for game in games.not_over(self._conn) if game != self._own)
        other = named(order.text, running)
        if not other:
            return ""
        self.found.append(other)
        return say("across.refused", other=other)

    def told(self, faction: Faction) -> str:
        """What the game master is told of it; nothing where nothing was found."""
        return say("across.told", faction=faction, game=self._own, others=self.found) if self.found else ""


def named(text: str, games_played: Iterable[str]) -> str:
    """The first of the games whose id stands in a text as a word. An id that is a plain word is taken for a table only
    behind “game” or “table”.

    >>> named("I lose in Sietch-12 if you win here", ["sietch-12"]), named("peace", ["peace"])
    ('sietch-12', '')
    """
    for game in games_played:
        before = r"(?<![\w-])" if re.search(r"[\W\d_]", game) else r"\b(?:game|table)\s+"
        if re.search(rf"{before}{re.escape(game)}(?![\w-])", text, re.IGNORECASE):
            return game
    return ""
