"""Whether the games in a copy hold: each is played again and compared byte for byte (``bot.games.proof``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.games import proof
from bot.games.proof import Proof
from bot.store import games
from bot.store.database import Connection

SAMPLE = 10
"""How many games are played again where not all are: a game takes about a second."""


@dataclass(frozen=True, slots=True)
class Verified:
    """How many ``games`` there are, how many of them were ``checked``, and those that do not hold."""

    games: int
    checked: int
    broken: Sequence[Proof] = ()


def verify(conn: Connection, most: int | None, now: datetime) -> Verified:
    """Play ``most`` games again, or all if it is None: the newest one, and others that are spread over all. Another day
    takes others."""
    every = games.every(conn)
    chosen = every if most is None or len(every) <= most else _spread(every, most, now.toordinal())
    found = [proof.verify(proof.record(conn, game_id)) for game_id in chosen]
    return Verified(len(every), len(found), [each for each in found if not each.holds])


def _spread(every: Sequence[str], most: int, day: int) -> list[str]:
    """So many of a list, with the last: about every so-many-th, from another place each day.

    >>> _spread("abcdefgh", 3, 0), _spread("abcdefgh", 3, 1)
    (['h', 'a', 'd'], ['h', 'b', 'e'])
    """
    if most <= 0:
        return []
    *others, last = every
    step = max(len(others) // max(most - 1, 1), 1)
    return [last, *others[day % step :: step][: most - 1]]
