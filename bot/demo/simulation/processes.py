"""An installation of several processes, of which any may be killed at any time."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Self, TypeVar

from bot.demo.game import DemoFailed
from bot.demo.private_server import PrivateServer
from bot.demo.simulation.installation import settings_in
from bot.demo.simulation.people import Posted
from bot.demo.simulation.process import Spool, ToldTime
from bot.moderator.moderator import Moderator
from bot.service import loop
from bot.service.outbox import Outbox
from bot.service.system_clock import utc_now
from bot.store import comparing, heartbeats
from bot.store.database import DatabaseUnavailable, open_database, reading, writing_no_game
from bot.timekeeping import outage

T = TypeVar("T")
PATIENCE_SECONDS = 300.0
"""How long a round may take before the processes are taken to be stuck."""

_STOP_SECONDS = 70.0
_LOOK_SECONDS = 0.02
_FIRST_SECOND = 1_000_000_000


class InProcesses:
    """So many processes on one database, which read a Maildir, and are started again where they die. For as long as the
    `with` block lasts."""

    def __init__(self, folder: Path, url: str, count: int) -> None:
        self.settings = settings_in(folder, url)
        self.engine = open_database(self.settings.database_place)
        self.moderator = Moderator(self.settings, self.engine)
        self.killed = 0
        self._folder, self._count = folder, count
        self._clock, self._mail_clock = ToldTime(folder / "clock"), ToldTime(folder / "mail-clock")
        self._out = Spool(folder / "sent")
        self._in = folder / "in"
        for name in ("tmp", "new", "cur"):
            (self._in / name).mkdir(parents=True)
        self._out.folder.mkdir()
        self._outbox = Outbox(self.moderator.open_games)
        self._mails = 0
        self._log = folder / "processes.log"
        self._parent: subprocess.Popen[bytes] | None = None

    # --- what a simulation does with it ------------------------------------------------------------------------------

    def pass_time(self, now: datetime) -> None:
        """The processes look at the clock now and then; this one does too, as `mentat tick` would from cron. Before, it
        says that all is at work and the mailbox was read: time passes so quickly here that the processes may be silent
        for hours."""
        _again(lambda: self._all_is_well(now))
        self._clock.tell(now)
        self._mail_clock.tell(now)
        if self._parent is None:
            self._start()
        while not _again(lambda: self._ticked(now)):
            _again(lambda: self._all_is_well(now))
        self._all_out()

    def _all_is_well(self, now: datetime) -> None:
        outage.service_beats(self.moderator.open_games, now)
        outage.mailbox_works(self.moderator.open_games, now)
        with writing_no_game(self.engine) as conn:
            heartbeats.beat(conn, "inbox", now)

    def _ticked(self, now: datetime) -> bool:
        """Whether time has passed, and not stopped for a mailbox that seemed to be away."""
        self.moderator.timekeeper.tick(now)
        with reading(self.engine) as conn:
            return not outage.mailbox_failing(conn)

    def take(self, mails: Sequence[bytes], now: datetime) -> None:
        self._mail_clock.tell(now)
        for raw in mails:
            self._mails += 1
            name = f"{_FIRST_SECOND + self._mails}.simulated"
            (self._in / "tmp" / name).write_bytes(raw)
            (self._in / "tmp" / name).rename(self._in / "new" / name)
        self._wait(self._inbox_is_empty, "mails lie in the inbox")
        self._all_out()

    def _inbox_is_empty(self) -> bool:
        return not any(any((self._in / name).iterdir()) for name in ("new", "cur"))

    def posted(self, now: datetime) -> list[Posted]:
        return [Posted.of(recipient, raw) for recipient, raw in self._out.taken()]

    # --- what goes wrong ---------------------------------------------------------------------------------------------

    @contextmanager
    def killing(self, seconds: float, every: float = 1.0, server: PrivateServer | None = None) -> Iterator[None]:
        """Meanwhile a process chosen at random is killed every so many seconds, for so long; half-way the server, if it
        is a private one, stops as if its power went off, and starts again."""
        over = threading.Event()
        chance = Random("who is killed")

        def kill() -> None:
            while not self.processes() and not over.wait(_LOOK_SECONDS):
                continue
            end, restarted = time.monotonic() + seconds, server is None
            while not over.wait(every) and time.monotonic() < end:
                if alive := self.processes():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(chance.choice(alive), signal.SIGKILL)
                        self.killed += 1
                if server and not restarted and time.monotonic() > end - seconds / 2:
                    server.stop("immediate")
                    server.start()
                    restarted = True

        killer = threading.Thread(target=kill, name="killer", daemon=True)
        killer.start()
        try:
            yield
        finally:
            over.set()
            killer.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._parent is not None:
            self._parent.terminate()
            try:
                self._parent.wait(timeout=_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self._parent.pid, signal.SIGKILL)
        self.engine.dispose()

    @property
    def said(self) -> str:
        """What the processes wrote to their logs."""
        return self._log.read_text("utf-8", "replace") if self._log.exists() else ""

    # --- the processes -----------------------------------------------------------------------------------------------

    def _start(self) -> None:
        words = [sys.executable, "-P", "-m", "bot.demo.simulation.process", self._folder / "config.toml",
                 self._clock.file, self._mail_clock.file, self._out.folder, self._count]  # fmt: skip
        with self._log.open("ab") as log:
            self._parent = subprocess.Popen(
                [str(word) for word in words], stdout=log, stderr=log, start_new_session=True
            )

    def processes(self) -> list[int]:
        """The processes that are there just now, by their numbers (Linux, proc(5))."""
        if self._parent is None:
            return []
        file = Path(f"/proc/{self._parent.pid}/task/{self._parent.pid}/children")
        return [int(word) for word in file.read_text("ascii").split()]

    def _all_out(self) -> None:
        """Wait until no letter waits; this process helps, as `mentat send` would from cron."""

        def out() -> bool:
            with reading(self.engine) as conn:
                left = comparing.unsent(conn)
            if left:
                loop.send(self._outbox, self._out, utc_now())
            return not left

        self._wait(out, "letters wait in the outbox")

    def _wait(self, done: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not _again(done):
            if time.monotonic() > end:
                raise DemoFailed(f"After {PATIENCE_SECONDS:.0f} seconds {what}. {self.said[-2000:]}")
            time.sleep(_LOOK_SECONDS)


def _again(work: Callable[[], T]) -> T:
    """Do some work, again and again while the server is away."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        with contextlib.suppress(DatabaseUnavailable):
            return work()
        if time.monotonic() > end:
            return work()
        time.sleep(_LOOK_SECONDS)
