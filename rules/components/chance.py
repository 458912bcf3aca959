"""Random numbers that anyone can verify.

Every random result in a game (shuffles, drawn leaders, default storm dials) is a *draw*: a number computed from the
game's secret seed, a label that names what is drawn, and the number of earlier draws with that label. The hash of the
seed, its *commitment*, is published when the game starts, and the seed itself when the game ends. Anybody can then
recompute each draw with the standard library:

    digest = hmac.new(seed.encode(), f"{label}#{count}".encode(), "sha256").digest()
    number = int.from_bytes(digest[:8], "big") % size

If the number is not below the largest multiple of ``size`` up to 2**64, the text is hashed again with a further
``#retry``. So every result is equally likely (rejection sampling).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, MutableMapping, Sequence
from typing import TypeVar

T = TypeVar("T")
Note = Callable[[str, int, int], None]
"""A callback for each draw. It receives the hashed text with its count and any retry, the size, and the result."""
_RANGE = 1 << 64


def commitment(seed: str) -> str:
    """Return the SHA-256 of the seed in hexadecimal, which is published before the first draw.

    >>> commitment("spice")[:8]
    '58e98995'
    """
    return hashlib.sha256(seed.encode()).hexdigest()


class Chance:
    """The random numbers of one game. ``counts`` holds the number of draws with each label. It is part of the game's
    state, so a resumed game continues where it stopped. Each draw is reported to ``note``."""

    __slots__ = ("_counts", "_mac", "_note")

    def __init__(self, seed: str, counts: MutableMapping[str, int], note: Note | None = None) -> None:
        self._mac = hmac.new(seed.encode(), digestmod="sha256")
        self._counts = counts
        self._note = note

    def draw(self, label: str, size: int) -> int:
        """Return a number from 0 to ``size - 1``, all equally likely. Raise ValueError if ``size`` is below 1."""
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
        return things[self.draw(label, len(things))]

    def shuffle(self, label: str, things: list[T]) -> None:
        """Shuffle the list in place (Fisher-Yates, from the end)."""
        for last in range(len(things) - 1, 0, -1):
            other = self.draw(label, last + 1)
            things[last], things[other] = things[other], things[last]
