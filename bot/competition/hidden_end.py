"""A last turn that is known to nobody before it is told: it follows from the secret of the tournament, so its SHA-256
commits to it, and anybody can check it at the end (David Norman's cure for the last-turn stab)."""

from __future__ import annotations

import hmac


def hidden_last_turn(secret: str, number: int, window: tuple[int, int], table: int = 0) -> int:
    """The last turn of the game of a table of a round, in the window, both ends included. Each table has its own, so
    that one which comes to it earlier tells the others nothing. ValueError for an empty window.

    >>> hidden_last_turn("spice-must-flow", 1, (8, 10))
    10
    """
    first, last = window
    if last < first:
        raise ValueError(f"the window from turn {first} to turn {last} is empty")
    label = f"last turn|{number}|{table}" if table else f"last turn|{number}"
    drawn = int.from_bytes(hmac.digest(secret.encode(), label.encode(), "sha256"))
    return first + drawn % (last - first + 1)
