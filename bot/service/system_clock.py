"""The clock of the machine: the present, and whether somebody set it while the service runs (it is compared with the
clock that cannot be set)."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

JUMP_SECONDS = 600.0


class WallClock:
    """Compares what the wall clock says with what has passed, from one look to the next. ``steady`` gives seconds that
    nobody can set; on Linux it stands still while the machine sleeps, so that sleep looks like a jump forward."""

    def __init__(self, steady: Callable[[], float] = time.monotonic) -> None:
        self._steady = steady
        self._last: tuple[datetime, float] | None = None

    def jumped(self, now: datetime) -> float:
        """By how many seconds the wall clock has jumped since the last look; 0 where it went as it should."""
        last, self._last = self._last, (now, self._steady())
        if last is None:
            return 0.0
        jump = (now - last[0]).total_seconds() - (self._last[1] - last[1])
        return jump if abs(jump) > JUMP_SECONDS else 0.0


def utc_now() -> datetime:
    """The present, for those who start things: the command line and the service."""
    return datetime.now(UTC)
