"""The machine below the service: its clock, whether the main loop turns, and systemd.

*The clock.* The present, and whether somebody set the clock while the service runs: it is compared with the clock
that cannot be set.

*The main loop* says each time that it turns, and for how long it is about to rest (until new mail may have come, or
after a failure). Another thread looks whether it does as it said. While it does, the heartbeat "loop" is written, by
which `mentat health` knows it, and systemd is told that the process is alive. A loop that is stuck stops both,
although the threads of the process go on.

*systemd* is told that the process is ready, what it does, that it is alive, that it ends: one datagram to the socket
that the environment names (sd_notify(3)). Without systemd there is none, and nothing is sent. Nothing here ever
raises: a service that cannot say that it works still works.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime

from bot.monitoring import logs
from bot.monitoring.logs import about
from bot.store import installation
from bot.store.database import DatabaseUnavailable, Engine, writing_no_game

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


log = logging.getLogger(__name__)
LOOP_PATIENCE = 75.0
"""Seconds that the loop may take from one turn to the next, beyond its rest. With the 45 that `mentat health` waits for
a heartbeat, a stuck loop is known within two minutes."""

TIMEOUTS_IN_A_TURN = 2.5
"""So many times a mail server may let one turn of the loop wait."""


def patience_with(timeout_seconds: float) -> float:
    """The patience with a loop whose mail server may take so long to answer."""
    return max(LOOP_PATIENCE, TIMEOUTS_IN_A_TURN * timeout_seconds)


class Liveness:
    """What one main loop has said of itself. ``patience`` as above; ``steady`` gives seconds that nobody can set."""

    def __init__(self, patience: float = LOOP_PATIENCE, steady: Callable[[], float] = time.monotonic) -> None:
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
                installation.beat(conn, "loop", now)
        elif not liveness.told_stuck:
            liveness.told_stuck = True
            tell_systemd("STATUS=the main loop is stuck")
            log.error("the main loop does not turn any more", extra=about("loop.stuck"))
        logs.write_counts(engine)
    except DatabaseUnavailable as problem:
        log.error("%s", problem, extra=about("database.unavailable"))
    except Exception:
        log.exception("that the main loop turns could not be noted", extra=about("loop.failed"))


def tell_systemd(*states: str) -> None:
    """Tell systemd, if it listens: "READY=1", "WATCHDOG=1", "STOPPING=1", "STATUS=what `systemctl status` shows"."""
    place = os.environ.get("NOTIFY_SOCKET", "")
    if not place.startswith(("/", "@")):
        return
    address = f"\0{place[1:]}" if place.startswith("@") else place  # an abstract socket (unix(7))
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out:
        out.sendto("\n".join(state.replace("\n", " ") for state in states).encode(), address)


def watchdog_seconds() -> float | None:
    """How often this process must say that it is alive, or systemd ends it (sd_watchdog_enabled(3)); None if it need
    not."""
    try:
        seconds = int(os.environ.get("WATCHDOG_USEC", "")) / 1_000_000
        watched = int(os.environ.get("WATCHDOG_PID", os.getpid()))
    except ValueError:
        return None
    return seconds if seconds > 0 and watched == os.getpid() else None
