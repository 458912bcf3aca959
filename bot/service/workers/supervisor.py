"""The supervisor: starts the workers and a reader of the mailbox, starts those anew that die, and stops them together.

They are forked from a process that has loaded everything, opened nothing and has one thread: so one is there again in
a fraction of a second and shares what it can of its memory. A process that keeps dying at once is started ever more
slowly; one that may not work at all (``MayNotWork``) ends them all, as the others may not either. Each says through a
pipe that its main loop turns; one that has said nothing for minutes is stuck or frozen, and is killed.

Where the supervisor itself is killed its processes end by SIGTERM (Linux, prctl(2)), so none is left that nobody looks
after.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import math
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Literal

from bot.monitoring.logs import about
from bot.service.sd_notify import tell_systemd, watchdog_seconds

log = logging.getLogger(__name__)
Role = Literal["worker", "reader"]
MAY_NOT_WORK = 3
"""The exit status of a process that may not work."""

SOON = 2.0
"""Seconds: what dies sooner after its start is started more slowly each time."""

LONGEST_PAUSE = 30.0
STOP_SECONDS = 60.0
"""How long its processes have to come to an end before they are killed."""

SILENT_SECONDS = 180.0
"""After so long without a turn of its main loop a process is killed; a server that does not answer takes a minute."""

LOOK_SECONDS = 0.1
_PR_SET_PDEATHSIG = 1


@dataclass
class Place:
    """Where one process is to be: the one that is there, when it was started, and when the next may be."""

    role: Role
    pid: int = 0
    started: float = 0.0
    pause: float = 0.0
    not_before: float = 0.0
    pipe: int = -1
    heard: float = 0.0


@dataclass
class Supervisor:
    """Keeps so many workers and one reader at work. ``work`` is what each does, in its own process; it calls what it is
    given each time its main loop turns, and returns the exit status."""

    workers: int
    work: Callable[[Role, str, Callable[[], None]], int]
    silent_seconds: float = SILENT_SECONDS
    places: list[Place] = field(init=False)
    stopping: bool = False

    def __post_init__(self) -> None:
        self.places = [Place("reader"), *(Place("worker") for _ in range(self.workers))]

    def run(self) -> int:
        """Look after them until SIGTERM or SIGINT comes; the exit status."""
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)
        status, told, often = 0, 0.0, (watchdog_seconds() or math.inf) / 3
        tell_systemd("READY=1", f"STATUS={self.workers} at work")
        while not self.stopping:
            if time.monotonic() - told > often:
                tell_systemd("WATCHDOG=1")
                told = time.monotonic()
            for place in self.places:
                if place.pid and (ended := self._ended(place)) is not None:
                    status = max(status, self._missed(place, ended))
                elif place.pid:
                    self._listen(place)
                if not place.pid and not self.stopping and time.monotonic() >= place.not_before:
                    self._start(place)
            time.sleep(LOOK_SECONDS)
        tell_systemd("STOPPING=1", "STATUS=finishing what is in hand")
        self._stop_all()
        return status

    def _start(self, place: Place) -> None:
        name = f"{place.role}-{secrets.token_hex(4)}"
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        hears, says = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        pid = os.fork()
        if pid == 0:
            os._exit(self._in_child(place.role, name, parent, says))
        os.close(says)
        place.pid, place.started, place.pipe, place.heard = pid, time.monotonic(), hears, time.monotonic()
        log.info("%s is started as process %d", name, pid, extra=about("worker.started"))

    def _in_child(self, role: Role, name: str, parent: int, says: int) -> int:
        status = 1

        def turned() -> None:
            with contextlib.suppress(OSError):  # full, as nobody has listened for long, or closed
                os.write(says, b".")

        try:
            _end_with_parent(parent)
            status = self.work(role, name, turned)
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        except BaseException:
            log.exception("%s ends", name, extra=about("worker.failed"))
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
                logging.shutdown()
        return status

    def _listen(self, place: Place) -> None:
        """Hear whether the main loop of a process turns, and kill it where it has not for long."""
        now = time.monotonic()
        with contextlib.suppress(BlockingIOError):
            if os.read(place.pipe, 4096):
                place.heard = now
        if now - place.heard > self.silent_seconds:
            log.error("process %d has been stuck for %.0f seconds and is killed", place.pid, now - place.heard,
                      extra=about("worker.stuck"))  # fmt: skip
            self._tell(place, signal.SIGKILL)
            place.heard = now

    def _ended(self, place: Place) -> int | None:
        """The exit status of a process that has ended, less than nought for a signal; None while it works."""
        pid, status = os.waitpid(place.pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if pid else None

    def _missed(self, place: Place, ended: int) -> int:
        """A process has ended that was to work on."""
        os.close(place.pipe)
        lived = time.monotonic() - place.started
        place.pause = min(max(2 * place.pause, 0.25), LONGEST_PAUSE) if lived < SOON else 0.0
        place.pid, place.not_before = 0, time.monotonic() + place.pause
        if ended == MAY_NOT_WORK:
            self.stopping = True
            return MAY_NOT_WORK
        log.error("a %s has ended (%s) and is started again in %.1f seconds", place.role, _how(ended), place.pause,
                  extra=about("worker.ended"))  # fmt: skip
        return 0

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        self.stopping = True

    def _stop_all(self) -> None:
        for place in self.places:
            self._tell(place, signal.SIGTERM)
        until = time.monotonic() + STOP_SECONDS
        while any(place.pid for place in self.places):
            for place in self.places:
                if place.pid and self._ended(place) is not None:
                    place.pid = 0
                elif place.pid and time.monotonic() > until:
                    log.error("process %d does not end and is killed", place.pid, extra=about("worker.killed"))
                    self._tell(place, signal.SIGKILL)
            time.sleep(LOOK_SECONDS / 2)

    def _tell(self, place: Place, what: signal.Signals) -> None:
        if place.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(place.pid, what)


def _end_with_parent(parent: int) -> None:
    if sys.platform == "linux" and Path("/proc").exists():
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise SystemExit(0)  # it has died meanwhile


def _how(ended: int) -> str:
    return f"killed by {signal.Signals(-ended).name}" if ended < 0 else f"status {ended}"
