"""Report that a process is at work, and find out whether it is allowed to work.

A process must not work alongside processes with different rules, because the same game would go differently in them.
Nor must it work on a database that a newer Mentat has upgraded. Living processes clear up after dead ones.

A game has its *home* in one of the processes at work: the one whose name, hashed together with the game's id, gives the
highest value (rendezvous hashing). So each process knows the home without asking, and if a process comes or goes, only
its own games move. The home process keeps the game in memory and takes its mail at once. Being the home is not a lock:
if two processes disagree about which processes are at work, both may be the home, or neither. A claim always decides
who takes a mail (``ProcessLocks.claim_mail``).
"""

from __future__ import annotations

import hashlib
import logging
import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from bot.games.proof import rules_digest
from bot.monitoring.logs import about
from bot.store import installation
from bot.store.database import DatabaseUnavailable, Engine, newer_schema, noting, reading
from bot.store.installation import Presence, ProcessLocks, lock_of_process

log = logging.getLogger(__name__)
RUNNING = "running"
"""The lock that all workers share. A process that needs the database for itself takes it exclusively."""

SEEN_SECONDS = 4.0
FROZEN_SECONDS = 12.0
"""A process that has sent the server no query for this many seconds, and still holds its lock, is frozen. Its
connections are ended so that others can take over its work. If it wakes up later, it finds its connections broken and
its leads lost. A process that is only waiting for a lock sends a query sooner (``SEEN_SECONDS``, and the time for which
a writer waits for another)."""


class MayNotWork(Exception):
    """This process is not, or no longer, allowed to work on this database. The message says why, and what to do."""


def refuse_other_rules(engine: Engine, direct: ProcessLocks) -> None:
    version = _version()
    if strange := sorted({each.host for each in living_processes(engine, direct) if each.version != version}):
        raise MayNotWork(
            f"Workers of another version are running on {', '.join(strange)}, with rules other than those installed "
            "here. Stop them first, or install the same Mentat."
        )


def living_processes(engine: Engine, direct: ProcessLocks) -> list[Presence]:
    with reading(engine) as conn:
        known = installation.present_processes(conn)
    dead = [each.name for each in known if not direct.is_taken(lock_of_process(each.name))]
    if dead:
        with noting(engine) as conn:
            installation.forget_processes(conn, dead)
    return [each for each in known if each.name not in dead]


@lru_cache(maxsize=10_000)
def home_of(game_id: str, processes: tuple[str, ...]) -> str:
    """Return the process in which a game has its home. With "" as the id, return the home of mail that belongs to no
    game.

    >>> [home_of(f"sietch-{number}", ("worker-a", "worker-b")) for number in (1, 2, 3, 4)]
    ['worker-b', 'worker-b', 'worker-b', 'worker-a']
    """
    return max(processes, key=lambda name: hashlib.sha256(f"{name} {game_id}".encode()).digest())


def _version() -> str:
    return rules_digest()[:12]


class Present:
    """Reports in its own thread that a process is at work, until ``end`` is called. ``when_not`` is called when the
    process may no longer work."""

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
        self._dead: list[str] = []
        self._at_work: tuple[str, ...] = (name,)

    def is_home(self, game_id: str) -> bool:
        return home_of(game_id, self._at_work) == self._own.name

    def begin(self) -> None:
        self._direct.take(lock_of_process(self._own.name))
        if not self._direct.share(RUNNING):
            raise MayNotWork("Another `mentat` is using the database alone, to upgrade it or restore a copy; wait.")
        refuse_other_rules(self._engine, self._direct)
        with noting(self._engine) as conn:
            installation.note_presence(conn, self._own)
        self._look_around()
        threading.Thread(target=self._again_and_again, name="presence", daemon=True).start()

    def end(self) -> None:
        self._ended.set()
        try:
            with noting(self._engine) as conn:
                installation.forget_processes(conn, [self._own.name])
        except DatabaseUnavailable as problem:
            log.error("%s", problem, extra=about("database.unavailable"))
        self._direct.close()

    def _again_and_again(self) -> None:
        while not self._ended.wait(SEEN_SECONDS):
            for work in (self._look_around, self._say_so):  # frozen processes may block the second of these
                try:
                    work()
                except DatabaseUnavailable as problem:
                    log.warning("%s", problem, extra=about("database.unavailable"))
                except Exception:
                    log.exception("a worker could not report that it is alive", extra=about("worker.failed"))
            if self.why_not:
                self._when_not()
                return

    def _say_so(self) -> None:
        self._direct.take(lock_of_process(self._own.name))  # taken again after the server has restarted
        self._direct.share(RUNNING)
        with reading(self._engine) as conn:
            newer = newer_schema(conn)
        if newer:
            self.why_not = (
                f"A newer Mentat has upgraded the database (schema {newer}); this worker ends. Install that one."
            )
            return
        with noting(self._engine) as conn:
            installation.note_presence(conn, replace(self._own, seen_at=self._clock()))
            if self._dead:
                installation.forget_processes(conn, self._dead)

    def _look_around(self) -> None:
        """Find out which processes are alive, and end the connections of those that were silent for too long at two
        checks in a row. One check is not enough: after the whole machine was suspended, every process seems silent
        until its next query."""
        with reading(self._engine) as conn:
            others = [each for each in installation.present_processes(conn) if each.name != self._own.name]
        seconds = self._direct.silent_seconds()
        self._dead = [each.name for each in others if each.name not in seconds]
        self._at_work = (self._own.name, *sorted(each.name for each in others if each.name in seconds))
        silent = [each for each in others if seconds.get(each.name, 0) > FROZEN_SECONDS]
        for each in silent:
            if each.name in self._silent:
                log.error(
                    "%s on %s is frozen; its connections are ended", each.name, each.host, extra=about("worker.frozen")
                )
                self._direct.end_sessions(each.name)
        self._silent = {each.name for each in silent}
