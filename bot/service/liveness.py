"""Whether the main loop turns.

The loop says each time that it turns, and for how long it is about to rest (until new mail may have come, or after a
failure). A thread of its own looks whether it does as it said. While it does, the heartbeat "loop" is written, by which
`mentat health` knows it, and systemd is told that the process is alive; a loop that is stuck stops both, although the
threads of the process go on.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import datetime

from bot.monitoring import counters
from bot.monitoring.logs import about
from bot.service.sd_notify import tell_systemd
from bot.store import heartbeats
from bot.store.database import DatabaseUnavailable, Engine, writing_no_game

log = logging.getLogger(__name__)
PATIENCE = 75.0
"""Seconds that the loop may take from one turn to the next, beyond its rest. With the 45 that `mentat health` waits for
a heartbeat, a stuck loop is known within two minutes."""

TIMEOUTS_IN_A_TURN = 2.5
"""So many times a mail server may let one turn of the loop wait."""


def patience_with(timeout_seconds: float) -> float:
    """The patience with a loop whose mail server may take so long to answer."""
    return max(PATIENCE, TIMEOUTS_IN_A_TURN * timeout_seconds)


class Liveness:
    """What one main loop has said of itself. ``patience`` as above; ``steady`` gives seconds that nobody can set."""

    def __init__(self, patience: float = PATIENCE, steady: Callable[[], float] = time.monotonic) -> None:
        self._patience = patience
        self._steady = steady
        self._until = steady() + patience
        self.told_stuck = False

    def turned(self, rest: float = 0.0) -> None:
        """The loop turns, and may now rest for so many seconds."""
        self._until = self._steady() + rest + self._patience

    def alive(self) -> bool:
        """Whether the loop turned when it was to."""
        return self.late() <= 0

    def late(self) -> float:
        """By how many seconds the loop is late; less than 0 while it is not."""
        return self._steady() - self._until


def tell_whether_it_turns(liveness: Liveness, engine: Engine, now: datetime) -> None:
    """If the main loop turns, tell systemd and write its heartbeat; if it does not, do neither, and log that once."""
    try:
        if liveness.alive():
            liveness.told_stuck = False
            tell_systemd("WATCHDOG=1")
            with writing_no_game(engine) as conn:
                heartbeats.beat(conn, "loop", now)
        elif not liveness.told_stuck:
            liveness.told_stuck = True
            tell_systemd("STATUS=the main loop is stuck")
            log.error("the main loop does not turn any more", extra=about("loop.stuck"))
        counters.write(engine)
    except DatabaseUnavailable as problem:
        log.error("%s", problem, extra=about("database.unavailable"))
    except Exception:
        log.exception("that the main loop turns could not be noted", extra=about("loop.failed"))
