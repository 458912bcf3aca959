"""A Mentat on a PostgreSQL server, with a mailbox and a folder of letters, for tests of workers."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from bot.mail.mailbox import MaildirMailbox, MaildirPlace
from bot.moderator.moderator import Moderator
from bot.service.presence import Present, living_processes
from bot.service.workers import Clocks, Reader, Worker
from bot.store.database import open_database
from bot.store.installation import ProcessLocks
from rules.components import Faction
from tests.moderator.table import START, World

CONFIG = """
[mentat]
address = "mentat@arrakis.example"
game_master = "gm@arrakis.example"
desk_mail = "off"
[database]
url = "{url}"
[mailbox]
kind = "maildir"
maildir = "Maildir"
poll_seconds = 1
[smtp]
kind = "directory"
directory = "outgoing"
"""
FEW: tuple[Faction, ...] = ("atreides", "fremen", "guild")
GAMES = ("sietch-1", "sietch-2", "sietch-3")
PATIENCE = 240.0


class Place:
    def __init__(self, folder: Path, url: str, now: datetime = START) -> None:
        self.folder = folder
        self.url = url
        self.world = World.at(folder, CONFIG.format(url=url))
        self.world.now = now
        self.box = folder / "Maildir"
        for name in ("new", "cur", "tmp"):
            (self.box / name).mkdir(parents=True, exist_ok=True)
        self._numbers = itertools.count(1)

    def new_games(self, *games: str) -> None:
        for game in games:
            self.world.new_game(factions=FEW, game=game)

    def drop(self, raw: bytes) -> None:
        """Deliver a mail into the Maildir."""
        name = f"{1_700_000_000 + next(self._numbers)}.x"
        (self.box / "tmp" / name).write_bytes(raw)
        (self.box / "tmp" / name).rename(self.box / "new" / name)

    def asks(self, faction: Faction, game: str, serial: int) -> bytes:
        """Return a mail from one of many players, each with their own address."""
        return self.world.mail(faction, "status", game=game, message_id=f"<{serial}.{game}.{faction}@players.example>")

    @property
    def left(self) -> int:
        """Return the number of mails in the inbox."""
        return sum(1 for name in ("new", "cur") for _ in (self.box / name).iterdir())

    def set_aside(self) -> int:
        folder = self.box / ".Mentat.Shunted"
        return sum(1 for name in ("new", "cur") for _ in (folder / name).iterdir()) if folder.exists() else 0

    def mailbox(self) -> MaildirMailbox:
        return MaildirMailbox(MaildirPlace(self.box))

    def process(self) -> Moderator:
        """Return a moderator that the database sees as another process."""
        return Moderator(self.world.settings, open_database(self.url, timeout_seconds=1))

    def sent(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "outgoing").glob("*.eml"))

    def run(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-P", "-m", "bot", "run", "--config", str(self.folder / "config.toml"), "--verbose"]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log)

    @contextmanager
    def running(self, count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
        """Run this many `mentat run` processes. Stop those that are still in the list at the end, and check that they
        exit cleanly."""
        processes = [self.run() for _ in range(count)]
        try:
            self.until(lambda: len(self.at_work()) == count)
            yield processes
            self.until(lambda: len(self.at_work()) >= len(processes))  # a starting process cannot handle SIGTERM
            for process in processes:
                process.send_signal(signal.SIGTERM)
            assert [process.wait(PATIENCE) for process in processes] == [0] * len(processes), self.log
        finally:
            for process in processes:
                process.kill()
                process.wait()

    def at_work(self) -> list[str]:
        """Return the names of the processes at work."""
        direct = ProcessLocks(self.world.engine, "tests")
        try:
            return [each.name for each in living_processes(self.world.engine, direct)]
        finally:
            direct.close()

    @property
    def log(self) -> str:
        """Return the output of the processes."""
        return (self.folder / "log").read_text() if (self.folder / "log").exists() else ""

    def until(self, true: Callable[[], object], seconds: float = PATIENCE) -> None:
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, self.log
            time.sleep(0.1)


def reads(place: Place, moderator: Moderator) -> Reader:
    return Reader(
        moderator, place.mailbox(), ProcessLocks(moderator.engine, "reader"), "reader", lambda: place.world.now
    )


class Taking:
    """A transport that accepts all letters."""

    def __init__(self) -> None:
        self.got: list[bytes] = []

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        self.got.append(letter)

    def close(self) -> None: ...


def works(place: Place, moderator: Moderator, takes: Taking | None = None) -> Worker:
    def clock() -> datetime:
        return place.world.now

    return Worker(moderator, place.mailbox(), takes or Taking(), "worker", Clocks(clock, clock, clock))


Begun = Callable[..., Present]
"""A function that starts a process which reports that it is at work."""
