"""A last turn that is known to nobody before it is told: it follows from the secret of the tournament, so its SHA-256
commits to it, and anybody can check it at the end (David Norman's cure for the last-turn stab)."""

from __future__ import annotations

import hmac


def hidden_last_turn(secret: str, number: int, table: int, window: tuple[int, int]) -> int:
    """The last turn of the game of a table of a round, in the window, both ends included. Each table has its own, so
    that one which comes to it earlier tells the others nothing. ValueError for an empty window.

    >>> hidden_last_turn("spice-must-flow", 1, 2, (8, 10))
    8
    """
    first, last = window
    if last < first:
        raise ValueError(f"the window from turn {first} to turn {last} is empty")
    drawn = int.from_bytes(hmac.digest(secret.encode(), f"last turn|{number}|{table}".encode(), "sha256"))
    return first + drawn % (last - first + 1)
