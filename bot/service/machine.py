"""The machine on which the service runs: its clock, the check that the main loop is running, and systemd.

*The clock.* This module provides the present time. It compares the clock with one that cannot be set, and so notices if
somebody sets the clock while the service runs.

*The main loop* reports each of its turns, and how long it is about to rest (until new mail may have come, or after a
failure). Another thread checks that the next report comes in time. As long as it does, that thread writes the heartbeat
"loop", which `mentat health` reads, and tells systemd that the process is alive. If the loop is stuck, both of these
stop, although the threads of the process go on.

*systemd* is told that the process is ready, what it is doing, that it is alive, and that it is stopping. Each message
is one datagram to the socket that the environment names (sd_notify(3)). Without systemd there is no such socket, and
nothing is sent. These functions never raise an exception: a service that cannot report to systemd can still do its
work.
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
from bot.store.database import DatabaseUnavailable, Engine, noting

JUMP_SECONDS = 600.0


class WallClock:
    """Compares, at each check, the wall clock with the time that has really passed. ``steady`` returns seconds of a
    clock that nobody can set. On Linux that clock stops while the machine is suspended, so a suspension looks like a
    jump forward."""

    def __init__(self, steady: Callable[[], float] = time.monotonic) -> None:
        self._steady = steady
        self._last: tuple[datetime, float] | None = None

    def jumped(self, now: datetime) -> float:
        last, self._last = self._last, (now, self._steady())
        if last is None:
            return 0.0
        jump = (now - last[0]).total_seconds() - (self._last[1] - last[1])
        return jump if abs(jump) > JUMP_SECONDS else 0.0


def utc_now() -> datetime:
    """Return the present time. Only the command line and the service call this; all other code is passed the time."""
    return datetime.now(UTC)


log = logging.getLogger(__name__)
LOOP_PATIENCE = 75.0
"""The maximum number of seconds from one turn of the loop to the next, in addition to its rest. `mentat health` waits
45 seconds for a heartbeat, so it reports a stuck loop within two minutes."""

TIMEOUTS_IN_A_TURN = 2.5
"""The longest delay of one turn of the loop by a mail server, as a multiple of the server's timeout."""


def patience_with(timeout_seconds: float) -> float:
    return max(LOOP_PATIENCE, TIMEOUTS_IN_A_TURN * timeout_seconds)


class Liveness:
    """The reports of one main loop. ``patience`` is the number of seconds by which the next report may be late
    (``LOOP_PATIENCE``). ``steady`` returns seconds of a clock that nobody can set."""

    def __init__(self, patience: float = LOOP_PATIENCE, steady: Callable[[], float] = time.monotonic) -> None:
        self._patience = patience
        self._steady = steady
        self._until = steady() + patience
        self.told_stuck = False

    def turned(self, rest: float = 0.0) -> None:
        self._until = self._steady() + rest + self._patience

    def alive(self) -> bool:
        return self.late() <= 0

    def late(self) -> float:
        return self._steady() - self._until


class DatabaseOutage:
    """Logs the beginning and the end of each database outage only once, however many threads notice it."""

    def __init__(self) -> None:
        self._told = ""

    def met(self, problem: DatabaseUnavailable) -> None:
        told, self._told = self._told, str(problem)
        if told != self._told:
            log.error("%s Mentat will try again.", problem, extra=about("database.unavailable"))

    def over(self) -> None:
        if self._told:
            log.warning("the database can be used again", extra=about("database.available"))
        self._told = ""


def tell_whether_it_turns(liveness: Liveness, engine: Engine, now: datetime, outage: DatabaseOutage) -> None:
    """If the main loop is running, tell systemd and write the heartbeat. Otherwise, log this once."""
    try:
        if liveness.alive():
            liveness.told_stuck = False
            tell_systemd("WATCHDOG=1")
            with noting(engine) as conn:
                installation.beat(conn, "loop", now)
        elif not liveness.told_stuck:
            liveness.told_stuck = True
            tell_systemd("STATUS=the main loop is stuck")
            log.error("the main loop is stuck", extra=about("loop.stuck"))
        logs.write_counts(engine)
        outage.over()
    except DatabaseUnavailable as problem:
        outage.met(problem)
    except Exception:
        log.exception("the heartbeat of the main loop could not be written", extra=about("loop.failed"))


def tell_systemd(*states: str) -> None:
    """Send messages to systemd, if it is listening: "READY=1", "WATCHDOG=1", "STOPPING=1", or "STATUS=" with the text
    that `systemctl status` shows."""
    place = os.environ.get("NOTIFY_SOCKET", "")
    if not place.startswith(("/", "@")):
        return
    address = f"\0{place[1:]}" if place.startswith("@") else place  # an abstract socket (unix(7))
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out:
        out.sendto("\n".join(state.replace("\n", " ") for state in states).encode(), address)


def watchdog_seconds() -> float | None:
    """Return the longest time in seconds between two reports to systemd (sd_watchdog_enabled(3)), after which it kills
    this process. Return None if systemd expects no reports."""
    try:
        seconds = int(os.environ.get("WATCHDOG_USEC", "")) / 1_000_000
        watched = int(os.environ.get("WATCHDOG_PID", os.getpid()))
    except ValueError:
        return None
    return seconds if seconds > 0 and watched == os.getpid() else None
