"""An installation that is simulated, at work: the workers and the reader of `mentat run --workers N` with their
supervisor, the time that the simulation tells, and letters that go into a folder.

Run as a module, `python -m bot.demo.simulation.process CONFIG CLOCK MAIL_CLOCK OUT WORKERS`, it works until it is
stopped.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.config import load_settings
from bot.moderator.moderator import Moderator
from bot.service.workers import at_work
from bot.service.workers.supervisor import Role, Supervisor
from bot.service.workers.warming import warm
from bot.store.database import open_database


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


def main(config: Path, clock: Path, mail_clock: Path, out: Path, workers: int) -> int:
    """Work until a signal says to stop; the exit status. Workers go by ``clock``, mail comes in by ``mail_clock``."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(process)d %(levelname)s %(message)s")
    logging.getLogger("apscheduler").setLevel(logging.WARNING)

    def work(role: Role, name: str, turned: Callable[[], None]) -> int:
        os.environ["PGAPPNAME"] = name  # by which others can end its connections
        settings = load_settings(config)
        moderator = Moderator(settings, open_database(settings.database_place))
        told = ToldTime(mail_clock if role == "reader" else clock)
        at_work.work(moderator, role, name, turned, told, Spool(out))
        return 0

    warm(load_settings(config))
    return Supervisor(workers, work).run()


if __name__ == "__main__":
    config, clock, mail_clock, out = (Path(word) for word in sys.argv[1:5])
    sys.exit(main(config, clock, mail_clock, out, int(sys.argv[5])))
