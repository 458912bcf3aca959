"""An installation of several processes, of which any may be killed at any time."""

from __future__ import annotations

import contextlib
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
from bot.store import comparing
from bot.store.database import DatabaseUnavailable, open_database, reading
from bot.timekeeping import outage

T = TypeVar("T")
PATIENCE_SECONDS = 300.0
"""How long a round may take before the processes are taken to be stuck."""

_LOOK_SECONDS = 0.02
_FIRST_SECOND = 1_000_000_000


class InProcesses:
    """So many processes on one database, which read a Maildir, and are started again where they die. For as long as the
    `with` block lasts."""

    def __init__(self, folder: Path, url: str, workers: int) -> None:
        self.settings = settings_in(folder, url)
        self.engine = open_database(self.settings.database_place)
        self.moderator = Moderator(self.settings, self.engine)
        self.killed = 0
        self._folder, self._workers = folder, workers
        self._clock, self._out = ToldTime(folder / "clock"), Spool(folder / "sent")
        self._in = folder / "in"
        for name in ("tmp", "new", "cur"):
            (self._in / name).mkdir(parents=True)
        self._out.folder.mkdir()
        self._outbox = Outbox(self.moderator.open_games)
        self._mails = 0
        self._running: list[subprocess.Popen[bytes]] = []
        self._busy = threading.Lock()
        self._ending = threading.Event()
        self._minder = threading.Thread(target=self._mind, name="minder", daemon=True)

    # --- what a simulation does with it ------------------------------------------------------------------------------

    def pass_time(self, now: datetime) -> None:
        """The processes look at the clock now and then; this one does too, as `mentat tick` would from cron. It says
        that all is at work, for time passes so quickly here that the processes may be silent for a day."""
        self._clock.tell(now)
        if not self._running:
            self._start()
        _again(lambda: outage.service_beats(self.moderator.open_games, now))
        _again(lambda: self.moderator.timekeeper.tick(now))
        self._all_out(now)

    def take(self, mails: Sequence[bytes], now: datetime) -> None:
        for raw in mails:
            self._mails += 1
            name = f"{_FIRST_SECOND + self._mails}.simulated"
            (self._in / "tmp" / name).write_bytes(raw)
            (self._in / "tmp" / name).rename(self._in / "new" / name)
        self._wait(
            lambda: not any(any((self._in / name).iterdir()) for name in ("new", "cur")), "mails lie in the inbox"
        )
        self._all_out(now)

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
            end, restarted = time.monotonic() + seconds, server is None
            while not over.wait(every) and time.monotonic() < end:
                with self._busy:
                    alive = [process for process in self._running if process.poll() is None]
                if alive:
                    chance.choice(alive).send_signal(signal.SIGKILL)
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
        self._ending.set()
        if self._minder.is_alive():
            self._minder.join()
        for process in self._running:
            process.terminate()
        for process in self._running:
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
        self.engine.dispose()

    @property
    def said(self) -> str:
        """What the processes wrote to their logs."""
        return "".join(file.read_text("utf-8", "replace") for file in sorted(self._folder.glob("*.log")))

    # --- the processes -----------------------------------------------------------------------------------------------

    def _start(self) -> None:
        with self._busy:
            self._running = [self._process(number) for number in range(self._workers)]
        self._minder.start()

    def _process(self, number: int) -> subprocess.Popen[bytes]:
        config = self._folder / "config.toml"
        words = [sys.executable, "-P", "-m", "bot.demo.simulation.process", config, self._clock.file, self._out.folder]
        with (self._folder / f"process-{number}.log").open("ab") as log:
            return subprocess.Popen([str(word) for word in words], stdout=log, stderr=log)

    def _mind(self) -> None:
        """Start again what has died."""
        while not self._ending.wait(_LOOK_SECONDS):
            with self._busy:
                for number, process in enumerate(self._running):
                    if process.poll() is not None:
                        self._running[number] = self._process(number)

    def _all_out(self, now: datetime) -> None:
        """Wait until no letter waits; this process helps, as `mentat send` would from cron."""

        def out() -> bool:
            with reading(self.engine) as conn:
                left = comparing.unsent(conn)
            if left:
                loop.send(self._outbox, self._out, now)
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
