"""A process reports that it is at work, and finds out whether it may be.

It may not work beside others that play by other rules, because the games would differ from process to process; nor on a
database that a newer Mentat has upgraded. The next process tidies up what dead processes have left.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from bot.games.proof import rules_digest
from bot.monitoring.logs import about
from bot.store import installation
from bot.store.database import DatabaseUnavailable, Engine, newer_schema, reading, writing_no_game
from bot.store.installation import Presence, ProcessLocks, lock_of_process

log = logging.getLogger(__name__)
RUNNING = "running"
"""The lock that all workers share; a process that wants the database for itself holds it alone."""

SEEN_SECONDS = 4.0
FROZEN_SECONDS = 12.0
"""A process that has asked the server nothing for this long, and still holds its lock, is frozen. Its connections
are ended, so that others may continue its work. If it goes on later, it finds them broken, and its leads lost. A
process that only waits for a lock asks again sooner (``SEEN_SECONDS``, and how long a writer waits for another)."""


class MayNotWork(Exception):
    """This process may not, or may no longer, work on this database. The message says why and what to do."""


def refuse_other_rules(engine: Engine, direct: ProcessLocks) -> None:
    """Raise MayNotWork if processes are at work that play by other rules than those installed here."""
    version = _version()
    if strange := sorted({each.host for each in living_processes(engine, direct) if each.version != version}):
        raise MayNotWork(
            f"Workers of another version are at work on {', '.join(strange)}, with other rules than those installed "
            "here. Stop them first, or install the same Mentat."
        )


def living_processes(engine: Engine, direct: ProcessLocks) -> list[Presence]:
    with reading(engine) as conn:
        known = installation.present_processes(conn)
    dead = [each.name for each in known if not direct.is_taken(lock_of_process(each.name))]
    if dead:
        with writing_no_game(engine) as conn:
            installation.forget_processes(conn, dead)
    return [each for each in known if each.name not in dead]


def _version() -> str:
    return rules_digest()[:12]


class Present:
    """Reports that a process is at work, in a thread of its own, until ``end``. ``when_not`` is called when the process
    may not work any more."""

    def __init__(self, engine: Engine, name: str, clock: Callable[[], datetime], when_not: Callable[[], None]) -> None:
        self._engine = engine
        self._direct = ProcessLocks(engine, name)
        self._clock = clock
        self._when_not = when_not
        self._ended = threading.Event()
        now = clock()
        self._own = Presence(name, socket.gethostname(), _version(), now, now)
        self.why_not = ""
        self._silent: set[str] = set()

    def begin(self) -> None:
        """Make the first report. Raise MayNotWork if others play by other rules."""
        self._direct.take(lock_of_process(self._own.name))
        if not self._direct.share(RUNNING):
            raise MayNotWork("Another `mentat` has the database for itself, to renew it or to put back a copy; wait.")
        refuse_other_rules(self._engine, self._direct)
        with writing_no_game(self._engine) as conn:
            installation.note_presence(conn, self._own)
        threading.Thread(target=self._again_and_again, name="presence", daemon=True).start()

    def end(self) -> None:
        self._ended.set()
        try:
            with writing_no_game(self._engine) as conn:
                installation.forget_processes(conn, [self._own.name])
        except DatabaseUnavailable as problem:
            log.error("%s", problem, extra=about("database.unavailable"))
        self._direct.close()

    def _again_and_again(self) -> None:
        while not self._ended.wait(SEEN_SECONDS):
            for work in (self._end_the_frozen, self._say_so):  # frozen processes may block the second step
                try:
                    work()
                except DatabaseUnavailable as problem:
                    log.warning("%s", problem, extra=about("database.unavailable"))
                except Exception:
                    log.exception("a worker could not say that it lives", extra=about("worker.failed"))
            if self.why_not:
                self._when_not()
                return

    def _say_so(self) -> None:
        self._direct.take(lock_of_process(self._own.name))  # retaken after a restart of the server
        self._direct.share(RUNNING)
        with reading(self._engine) as conn:
            newer = newer_schema(conn)
        if newer:
            self.why_not = (
                f"A newer Mentat has renewed the database (schema {newer}); this worker ends. Install that one."
            )
            return
        with writing_no_game(self._engine) as conn:
            installation.note_presence(conn, replace(self._own, seen_at=self._clock()))

    def _end_the_frozen(self) -> None:
        """End the connections of processes found silent for too long twice in a row. After the machine was suspended,
        with the server and all its processes, every process seems silent until it has had time to ask something."""
        with reading(self._engine) as conn:
            others = [each for each in installation.present_processes(conn) if each.name != self._own.name]
        silent = [each for each in others if self._is_silent(each.name)]
        for each in silent:
            if each.name in self._silent:
                log.error(
                    "%s on %s is frozen; its connections are ended", each.name, each.host, extra=about("worker.frozen")
                )
                self._direct.end_sessions(each.name)
        self._silent = {each.name for each in silent}

    def _is_silent(self, name: str) -> bool:
        return self._direct.is_taken(lock_of_process(name)) and self._direct.silent_seconds(name) > FROZEN_SECONDS
