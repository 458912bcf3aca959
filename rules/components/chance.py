"""Chance that anyone can check.

Every random thing in a game (shuffles, drawn leaders, silent storm dials) is a *draw*: a number made from the game's
secret seed, a label that says what is drawn, and how often that label was drawn before. The hash of the seed, its
*commitment*, is published when the game starts and the seed when it ends, so a reader can recompute each draw with
the standard library:

    digest = hmac.new(seed.encode(), f"{label}#{count}".encode(), "sha256").digest()
    number = int.from_bytes(digest[:8], "big") % size

The first eight bytes are taken again with a further ``#retry`` when they fall into the last, incomplete stretch of
2**64, so that no result is more likely than another (rejection sampling).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, MutableMapping, Sequence
from typing import TypeVar

T = TypeVar("T")
Note = Callable[[str, int, int], None]
"""Hears of each draw: the text that was hashed, with its count and any retry, the size, and what was got."""
_RANGE = 1 << 64


def commitment(seed: str) -> str:
    """The SHA-256 of the seed in hexadecimal, published before the first draw.

    >>> commitment("spice")[:8]
    '58e98995'
    """
    return hashlib.sha256(seed.encode()).hexdigest()


class Chance:
    """Draws for one game. ``counts`` is part of the game's state, so a resumed game goes on where it stopped. Each draw
    is told to ``note``."""

    __slots__ = ("_counts", "_mac", "_note")

    def __init__(self, seed: str, counts: MutableMapping[str, int], note: Note | None = None) -> None:
        self._mac = hmac.new(seed.encode(), digestmod="sha256")
        self._counts = counts
        self._note = note

    def draw(self, label: str, size: int) -> int:
        """A number from 0 to ``size - 1``, each as likely as the others. ValueError if there is nothing to draw
        from."""
        if size < 1:
            raise ValueError(f"nothing to draw from for {label!r}")
        count = self._counts.get(label, 0)
        self._counts[label] = count + 1
        text = f"{label}#{count}"
        while True:
            mac = self._mac.copy()
            mac.update(text.encode())
            number = int.from_bytes(mac.digest()[:8], "big")
            if number < _RANGE - _RANGE % size:
                if self._note is not None:
                    self._note(text, size, number % size)
                return number % size
            text += "#retry"

    def pick(self, label: str, things: Sequence[T]) -> T:
        """One of the things."""
        return things[self.draw(label, len(things))]

    def shuffle(self, label: str, things: list[T]) -> None:
        """Put the list into a random order, in place (Fisher and Yates, from the end)."""
        for last in range(len(things) - 1, 0, -1):
            other = self.draw(label, last + 1)
            things[last], things[other] = things[other], things[last]
