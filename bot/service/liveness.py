"""Whether the main loop turns.

The loop says each time that it turns, and for how long it is about to rest (until new mail may have come, or after a
failure). A thread of its own looks whether it does as it said. While it does, the heartbeat "loop" is written, by which
`mentat health` knows it, and systemd is told that the process is alive; a loop that is stuck stops both, although the
threads of the process go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 75.0
"""Seconds that the loop may take from one turn to the next, beyond its rest. With the 45 that `mentat health` waits for
a heartbeat, a stuck loop is known within two minutes."""


class Liveness:
    """What one main loop has said of itself. ``patience`` as above; ``steady`` gives seconds that nobody can set."""

    def __init__(self, patience: float = PATIENCE, steady: Callable[[], float] = time.monotonic) -> None:
        self._patience = patience
        self._steady = steady
        self._until = steady() + patience

    def turned(self, rest: float = 0.0) -> None:
        """The loop turns, and may now rest for so many seconds."""
        self._until = self._steady() + rest + self._patience

    def alive(self) -> bool:
        """Whether the loop turned when it was to."""
        return self._steady() <= self._until
