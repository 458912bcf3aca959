"""What the benchmarks share: measurements, a stopwatch, and a Mentat in a folder on disk with the demo's players.

A rate alone says more about the machine than about the program. So each measurement stands beside one of work that
nobody can avoid, taken on the same machine in the same minute: a bare generator step for the engine, the bare work of
a mail for a mail, a hundredth of the games for a thousand of them. The benchmarks tell the ratio.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.config import Settings, load_settings, starter_files
from bot.desk.new_game import NewGame, new_game
from bot.lab.demo import empty_outbox
from bot.lab.local_mail import LocalMail
from bot.lab.players import PROGRAMS, Dice, ScriptedPlayer
from bot.moderator.moderator import Moderator
from bot.service.machine import utc_now
from bot.store.database import Engine, open_database
from rules.components import FACTIONS, Faction
from rules.components.board import DOTS


@dataclass(frozen=True, slots=True)
class Measurement:
    """One line of the benchmarks.

    ``ratio`` is how many times ``against`` the value is, a bare limit measured in the same run; ``aim`` is what the
    ratio should not exceed. None where there is nothing to compare or to aim at.
    """

    name: str
    value: float
    unit: str
    ratio: float | None = None
    against: str = ""
    aim: float | None = None

    @property
    def reached(self) -> bool:
        """Whether the aim is reached; true where there is none."""
        return self.aim is None or self.ratio is None or self.ratio <= self.aim


class Stopwatch:
    """Takes the seconds of each block that it times.

    The median is what a block takes on a machine that has nothing else to do, more or less: a few slow ones do not
    move it.

    >>> watch = Stopwatch()
    >>> with watch.running():
    ...     sum(range(10))
    45
    >>> watch.median > 0
    True

    ``clock``: `time.process_time` where only this process's own work counts, however busy the machine is.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.taken: list[float] = []

    @property
    def median(self) -> float:
        """Seconds of a block."""
        return statistics.median(self.taken)

    @property
    def worst(self) -> float:
        """Seconds of the slowest block."""
        return max(self.taken)

    @property
    def total(self) -> float:
        """Seconds of all blocks together."""
        return sum(self.taken)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Time a block."""
        began = self._clock()
        yield
        self.taken.append(self._clock() - began)


def seconds_each(work: Callable[[], object], times: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """The median seconds of ``work``, done so many times."""
    watch = Stopwatch(clock)
    for _ in range(times):
        with watch.running():
            work()
    return watch.median


BOT = "mentat@arrakis.example"
PASSWORD = "bench"
ADDRESSES: Mapping[Faction, str] = {faction: f"{faction}@players.example" for faction in FACTIONS}
USERS = dict.fromkeys([BOT, "gm@arrakis.example", *ADDRESSES.values()], PASSWORD)


@dataclass(frozen=True, slots=True)
class World:
    """A moderator with its database in a folder."""

    settings: Settings
    engine: Engine
    moderator: Moderator

    def new_game(self, game_id: str, ruleset: str) -> None:
        """Start a game of six."""
        dots = dict(zip(FACTIONS, DOTS, strict=True))
        new_game(self.moderator.open_games, NewGame(game_id, ruleset, ADDRESSES, dots, f"bench {game_id}"), utc_now())


def open_world(folder: Path, servers: LocalMail, url: str = "") -> World:
    """The Mentat of this folder, with these mail servers and a database in it or at this URL; made if need be."""
    (folder / ".env").write_text(f"{starter_files()['.env']}\nMENTAT_IMAP_PASSWORD={PASSWORD}\n", encoding="utf-8")
    (folder / "config.toml").write_text(
        f'[mentat]\naddress = "{BOT}"\ngame_master = "gm@arrakis.example"\n'
        f'[mailbox]\nhost = "{servers.host}"\nport = {servers.imap_port}\nsecurity = "none"\nuser = "{BOT}"\n'
        f'[smtp]\nhost = "{servers.host}"\nport = {servers.smtp_port}\nsecurity = "none"\n'
        f'[database]\nurl = "{url}"\n[archive]\nfolder = "archive"\n'
        "[limits]\nanswers_per_hour = 1_000_000_000\n",
        encoding="utf-8",
    )
    return reopen_world(folder)


def reopen_world(folder: Path) -> World:
    """The Mentat of a folder that ``open_world`` has made."""
    settings = load_settings(folder / "config.toml")
    engine = open_database(settings.database_place)
    return World(settings, engine, Moderator(settings, engine))


def written_answers(world: World) -> Iterator[Sequence[bytes]]:
    """The answers of six players, round by round, until they have nothing to say; deliver each round before the
    next. What waits in the outbox is taken for sent."""
    players = [
        ScriptedPlayer(faction.title(), address, program, Dice("bench", faction))
        for (faction, address), program in zip(ADDRESSES.items(), PROGRAMS, strict=True)
    ]
    while True:
        now = utc_now()
        letters = empty_outbox(world.engine, now)
        written = [answer.raw for player in players for answer in player.read(letters.get(player.address, []), now)]
        if not written:
            return
        yield written
