"""Several workers on a PostgreSQL server: how many mails in a second they take, and whether their memory stays.

What nobody can go below is a bare transaction of the same server: the row of a game taken, the mail and as many bytes
of letters written, and all of it on the disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bot.bench.measure import Measured, Stopwatch
from bot.bench.world import ADDRESSES
from bot.demo.game import BOT
from bot.demo.private_server import PrivateServer
from bot.demo.simulation.processes import InProcesses
from bot.game_master.new_game import NewGame, new_game
from bot.mail.identity import plus_address
from bot.service.system_clock import utc_now
from bot.store import inbox, measuring, presence
from bot.store.database import reading, writing
from rules.components import FACTIONS
from rules.components.board import DOTS

COUNTS = (1, 2, 4)
GAMES = 60
BARE_TIMES = 200
MOST_GROWTH = 1.1
PATIENCE_SECONDS = 600.0
_LOOK_SECONDS = 0.02


class WorkersStuck(Exception):
    """The workers did not take all mails in time; the message has their log."""


@dataclass(frozen=True, slots=True)
class Taken:
    """How some workers took so many mails: the seconds, the bytes of letters that followed from all of them, and the
    memory of each process in bytes, half-way and at the end."""

    seconds: float
    letters: int
    half_way: Mapping[int, int]
    at_the_end: Mapping[int, int]

    @property
    def growth(self) -> float:
        """By what the memory of the process that grew most was multiplied."""
        both = self.half_way.keys() & self.at_the_end.keys()
        return max((self.at_the_end[one] / self.half_way[one] for one in both), default=1.0)


def workers(
    folder: Path, ruleset: str, mails: int, counts: Sequence[int] = COUNTS, games: int = GAMES
) -> list[Measured]:
    """So many mails to games, by so many workers each time. NoServer where there is no PostgreSQL."""
    found = list[Measured]()
    with PrivateServer(durable=True) as server:
        taken = {count: _taken(folder, server, ruleset, mails, count, games) for count in counts}
        one = taken[counts[0]].seconds / mails
        bare = _bare(server, int(taken[counts[0]].letters / mails))
    found.append(Measured("a bare transaction", bare * 1e3, "ms"))
    for count, by in taken.items():
        each, named = by.seconds / mails, f"{count} worker{'s' if count > 1 else ''}"
        megabytes = max(by.at_the_end.values(), default=0) / 2**20
        found += [
            Measured(f"{named}: mails", 1 / each, "/s", one / each, f"{counts[0]} worker"),
            Measured(f"{named}: a mail", each * 1e3, "ms", each / bare, "a bare transaction"),
            Measured(f"{named}: memory of each", megabytes, "MiB", by.growth, "half-way", MOST_GROWTH),
        ]
    return found


def _taken(folder: Path, server: PrivateServer, ruleset: str, mails: int, count: int, games: int) -> Taken:
    """The workers are there and idle; then all mails come at once."""
    with InProcesses(folder / f"workers-{count}", server.empty(f"workers_{count}"), count) as there:
        _fill(there, ruleset, games)
        there.pass_time(utc_now())

        def at_work() -> bool:
            with reading(there.engine) as conn:
                return len(presence.everybody(conn)) == count

        _wait(at_work, there)
        _store(there, _mails(there, games))  # one for each game: templates are compiled, memory is as it will be
        _wait(lambda: not _waiting(there), there)
        with reading(there.engine) as conn:
            before = measuring.bytes_of_letters(conn)
        raws = _mails(there, mails)
        half_way: dict[int, int] = {}
        _store(there, raws)
        _wait(lambda: _waiting(there) < mails, there)  # one of them may wait for mail in the mailbox a moment longer
        began = time.perf_counter()
        while left := _waiting(there):
            if not half_way and left <= mails / 2:
                half_way = _memory(there)
            if time.perf_counter() - began > PATIENCE_SECONDS:
                raise WorkersStuck(there.said[-2000:])
            time.sleep(_LOOK_SECONDS)
        seconds, memory = time.perf_counter() - began, _memory(there)
        with reading(there.engine) as conn:
            letters = measuring.bytes_of_letters(conn) - before
        return Taken(seconds, letters, half_way, memory)


def _fill(there: InProcesses, ruleset: str, games: int) -> None:
    dots = dict(zip(FACTIONS, DOTS, strict=True))
    new_game(there.moderator.open_games, NewGame("bench-0", ruleset, ADDRESSES, dots, "bench"), utc_now())
    secret = there.settings.secrets.secret.get_secret_value().encode()
    with writing(there.engine) as conn:
        measuring.copy_game(conn, "bench-0", [f"bench-{number}" for number in range(1, games)], secret)
        measuring.have_own_addresses(conn)
        measuring.count_anew(conn)
    there.moderator.open_games.forget()


def _mails(there: InProcesses, count: int) -> list[bytes]:
    """So many mails, to each game in turn, that ask how it stands."""
    with reading(there.engine) as conn:
        seats = measuring.first_seats(conn)
    now = time.monotonic_ns()
    return [
        f"From: {seat.address}\r\nTo: {plus_address(BOT, seat.token)}\r\nSubject: orders\r\n"
        f"Message-ID: <{now}.{number}@bench.example>\r\n\r\nstatus\r\n".encode()
        for number, seat in ((number, seats[number % len(seats)]) for number in range(count))
    ]


def _store(there: InProcesses, raws: Sequence[bytes]) -> None:
    """Put mails into the inbox, as the reader of the mailbox does, in one transaction."""
    now = utc_now()
    stored = list[inbox.Stored]()
    for raw in raws:
        sender, game_id = there.moderator.intake.for_whom(raw, now, 0)
        stored.append(inbox.Stored(f"bench:{len(stored)}:{hash(raw)}", raw, 0, sender, game_id, now))
    with writing(there.engine) as conn:
        for mail in stored:
            inbox.store(conn, mail)


def _waiting(there: InProcesses) -> int:
    with reading(there.engine) as conn:
        return inbox.waiting(conn)


def _wait(done: Callable[[], bool], there: InProcesses) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not done():
        if time.monotonic() > end:
            raise WorkersStuck(there.said[-2000:])
        time.sleep(_LOOK_SECONDS)


def _memory(there: InProcesses) -> dict[int, int]:
    """The resident bytes of each process (Linux, proc(5))."""
    found = {}
    for process in there.processes():
        pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
        found[process] = pages * os.sysconf("SC_PAGE_SIZE")
    return found


def _bare(server: PrivateServer, letters: int) -> float:
    """The seconds of a transaction that takes a row and writes a mail and the letters that follow from it."""
    watch, mail, letter = Stopwatch(), os.urandom(1_000), os.urandom(max(letters, 1))
    with psycopg.connect(server.empty("bare"), autocommit=True) as connection:
        connection.execute("CREATE TABLE game (id integer PRIMARY KEY, revision integer)")
        connection.execute("CREATE TABLE kept (id bigserial PRIMARY KEY, kind text, data bytea)")
        connection.execute("INSERT INTO game VALUES (1, 0)")
        for _ in range(BARE_TIMES):
            with watch.running(), connection.transaction():
                connection.execute("SELECT revision FROM game WHERE id = 1 FOR UPDATE")
                for kind, data in (("message", mail), ("letters", letter)):
                    connection.execute("INSERT INTO kept (kind, data) VALUES (%s, %s)", (kind, data))
                connection.execute("UPDATE game SET revision = revision + 1 WHERE id = 1")
    return watch.median
