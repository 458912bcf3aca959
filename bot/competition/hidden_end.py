"""A last turn that is known to nobody before it is told: it follows from the secret of the tournament, so its SHA-256
commits to it, and anybody can check it at the end (David Norman's cure for the last-turn stab)."""

from __future__ import annotations

import hmac


def hidden_last_turn(secret: str, number: int, window: tuple[int, int]) -> int:
    """The last turn of all games of a round, in the window, both ends included. ValueError for an empty window.

    >>> hidden_last_turn("spice-must-flow", 1, (8, 10))
    10
    """
    first, last = window
    if last < first:
        raise ValueError(f"the window from turn {first} to turn {last} is empty")
    drawn = int.from_bytes(hmac.digest(secret.encode(), f"last turn|{number}".encode(), "sha256"))
    return first + drawn % (last - first + 1)
