"""The processes of an installation that is simulated: each does what `mentat run` does on a server, at the time that
the simulation tells, and its letters go into a folder.

Run as a module, `python -m bot.demo.simulation.process CONFIG CLOCK MAIL_CLOCK OUT PROCESSES`, it keeps so many of them
at work until it is stopped. They are forked from a process that has read mail already, which takes long the first time:
in some simulations one is killed each second, and the next must come to do some work.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.config import load_settings
from bot.demo.simulation.installation import InThisProcess, Simulated, begin
from bot.demo.simulation.playing import START, play
from bot.moderator.moderator import Moderator
from bot.service.workers import at_work
from bot.service.workers.worker import Clocks
from bot.store.database import open_database

_LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class ToldTime:
    """The time as it is told in a file."""

    file: Path

    def __call__(self) -> datetime:
        return datetime.fromisoformat(self.file.read_text(encoding="ascii"))

    def tell(self, now: datetime) -> None:
        """Let it be this instant for everybody who reads the file."""
        part = self.file.with_suffix(".part")
        part.write_text(now.isoformat(), encoding="ascii")
        os.replace(part, self.file)


@dataclass(frozen=True, slots=True)
class Spool:
    """A way out that keeps every letter as often as it goes out, in the order of all processes of the machine: files
    named by the clock that nobody can set, and by the recipient."""

    folder: Path

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        """Write one letter."""
        name = f"{time.monotonic_ns():020d} {to}"
        part = self.folder / f"{name}.{os.getpid()}.part"
        part.write_bytes(letter)
        os.replace(part, self.folder / name)

    def close(self) -> None:
        """Nothing is held open between letters."""

    def taken(self) -> list[tuple[str, bytes]]:
        """Take the letters that are there, with their recipients, in order."""
        found = []
        for file in sorted(self.folder.iterdir()):
            if file.suffix != ".part":
                found.append((file.name.partition(" ")[2], file.read_bytes()))
                file.unlink()
        return found


def main(config: Path, clock: Path, mail_clock: Path, out: Path, processes: int) -> int:
    """Keep so many processes at work until a signal says to stop; the exit status. Games go by ``clock``, mail comes in
    by ``mail_clock``."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(process)d %(levelname)s %(message)s")
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
    _read_a_first_mail()
    stopped: list[int] = []
    for stop in (signal.SIGTERM, signal.SIGINT):
        signal.signal(stop, lambda number, _frame: stopped.append(number))
    alive = set[int]()
    while not stopped:
        while len(alive) < processes:
            if not (pid := os.fork()):
                _work_and_end(config, Clocks(ToldTime(clock), ToldTime(mail_clock)), Spool(out))
            alive.add(pid)
        time.sleep(_LOOK_SECONDS)
        alive -= {pid for pid in alive if os.waitpid(pid, os.WNOHANG)[0]}
    for pid in alive:
        os.kill(pid, signal.SIGTERM)
    for pid in alive:
        os.waitpid(pid, 0)
    return 0


def _read_a_first_mail() -> None:
    """Play a round of a game that nobody else sees: grammar, templates and pictures are made before the fork."""
    with TemporaryDirectory(prefix="mentat-first-") as folder:
        games, first = Simulated(1, 1), InThisProcess(Path(folder))
        begin(first.moderator, games, START)
        play(first, games, lambda said: None, rounds=1)
        first.engine.dispose()


def _work_and_end(config: Path, clocks: Clocks, way_out: Spool) -> None:
    """Be one of the processes, to the end of it."""
    status = 1
    try:
        name = at_work.new_name()
        settings = load_settings(config)
        moderator = Moderator(settings, open_database(settings.database_place))
        at_work.work(moderator, name, clocks, way_out)
        status = 0
    except BaseException:
        logging.exception("a process ends")
    finally:
        os._exit(status)


if __name__ == "__main__":
    config, clock, mail_clock, out = (Path(word) for word in sys.argv[1:5])
    sys.exit(main(config, clock, mail_clock, out, int(sys.argv[5])))
