"""Benchmarks of growth: many games, many deadlines, several workers.

*Many games and old mails*: the cost of a mail, of a letter, of checking the deadlines, and of the lists. The work for
one game must cost the same however many other games there are and however long Mentat has been running. Two databases,
one with few games and one with many, are measured alternately, mail by mail, so that other load on the machine affects
both.

*Time*: ten thousand games in which nobody writes, and two hundred deadlines that pass at once.

*Several workers* on a PostgreSQL server: how many mails a second they process, and whether the amount of memory they
use is stable. They are compared with a bare transaction on the same server, which locks the row of a game and writes
the mail and the same number of bytes of letters, all of it synced to disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import psycopg

from bot.archive import shelf
from bot.desk.desk import desk_now
from bot.lab.postgresql import DatabaseKind, PrivateServer
from bot.lab.simulation import InProcesses
from bot.lab.workbench import Measurement, Stopwatch, resident_bytes, seconds_each
from bot.lab.worlds import BOT, World, empty_outbox, open_world
from bot.mail.identity import plus_address
from bot.service.machine import utc_now
from bot.service.presence import SEEN_SECONDS
from bot.store import desk, installation, lab, mail
from bot.store.database import reading, writing

FEW = 10
MANY = 2_000
OPEN = 10_000
LISTED = 5_000
TIMES_OLD = 1_500
"""The number of times that the larger database repeats the mails of a game as old mails."""

MOST_TIMES = 1.5
LOOK_SECONDS = 1.0
LIST_SECONDS = 2.0
_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Sizes:
    few: int = FEW
    many: int = MANY
    times_old: int = TIMES_OLD
    mails: int = 60


def measure_growth(folder: Path, kind: DatabaseKind, ruleset: str, sizes: Sizes | None = None) -> list[Measurement]:
    sizes = sizes or Sizes()
    few, many = (
        _world_of_copies(folder / name, kind, ruleset, games)
        for name, games in (("few", sizes.few), ("many", sizes.many))
    )
    with writing(many.engine) as conn:
        lab.add_history(conn, "bench-0", [f"bench-{number}" for number in range(sizes.many)], sizes.times_old)
        lab.count_anew(conn)
        old = mail.newest_letter(conn)
    taken, sent, looked = _Pair(), _Pair(), _Pair()
    mails = [_mails_to_games(world, sizes.few) for world in (few, many)]
    for number in range(sizes.mails):
        for which, world in enumerate((few, many)):
            raw = mails[which][number % len(mails[which])].replace(b"@number@", b"%d" % number)
            with taken.of[which].running():
                world.take(raw)
            with sent.of[which].running():
                empty_outbox(world.engine, utc_now())
            with looked.of[which].running():
                world.tick()
    for world in (few, many):
        world.close()
    told = f"{sizes.few} games"
    return [
        taken.measured(f"a mail, {sizes.many:,} games, {old:,} letters", told),
        sent.measured("its letters sent", told),
        looked.measured("a look at the deadlines", told),
    ]


class _Pair:
    def __init__(self) -> None:
        self.of = (Stopwatch(), Stopwatch())

    def measured(self, name: str, against: str) -> Measurement:
        few, many = self.of
        return Measurement.of_seconds(name, many.median, few.median, against, MOST_TIMES)


def measure_open_games(folder: Path, kind: DatabaseKind, ruleset: str, games: int = OPEN) -> list[Measurement]:
    world = _world_of_copies(folder, kind, ruleset, games, rounds=0)
    idle, due = Stopwatch(), Stopwatch()
    for _ in range(9):
        with idle.running():
            world.tick()
    late = utc_now() + timedelta(hours=1)
    with writing(world.engine) as conn:
        lab.let_fall_due(conn, 10, late)
    with due.running():
        world.moderator.timekeeper.tick(late)
    world.close()
    return [
        Measurement.of_seconds(f"a tick over {games:,} open games", idle.worst, LOOK_SECONDS, "1 s", 1.0),
        Measurement.of_seconds("one in which 10 deadlines pass", due.total, idle.median, "one with none"),
    ]


def measure_lists(folder: Path, kind: DatabaseKind, ruleset: str, games: int = LISTED) -> list[Measurement]:
    world = _world_of_copies(folder, kind, ruleset, games, rounds=2)
    with writing(world.engine) as conn:
        lab.let_end(conn, games // 2)
        lab.count_anew(conn)

    def listed() -> None:
        with reading(world.engine) as conn:
            desk.every_game(conn)
            desk.owed_by_game(desk.owed(conn))
            desk.nameless(conn)

    def at_the_desk() -> None:
        with reading(world.engine) as conn:
            desk_now(conn, world.settings, utc_now())

    found = [
        _took(f"{games:,} games listed", listed, LIST_SECONDS),
        _took("the game master's desk", at_the_desk, LIST_SECONDS),
        _took("a tick over them", world.tick, LOOK_SECONDS),
        _took("what the archive shows of them", lambda: shelf.offered(world.engine), LIST_SECONDS),
    ]
    world.close()
    return found


def _took(name: str, work: Callable[[], object], most: float) -> Measurement:
    watch = Stopwatch()
    for _ in range(3):
        with watch.running():
            work()
    return Measurement.of_seconds(name, watch.median, most, f"{most:g} s", 1.0)


def _world_of_copies(folder: Path, kind: DatabaseKind, ruleset: str, games: int, rounds: int = _ROUNDS) -> World:
    world = open_world(folder, url=kind.new_url())
    world.fill(ruleset, games, rounds)
    empty_outbox(world.engine, utc_now())
    _tell_apart(world)
    return world


def _tell_apart(world: World) -> None:
    with writing(world.engine) as conn:
        lab.have_own_addresses(conn)
        lab.count_anew(conn)
    world.open_games.forget()


def _mails_to_games(world: World, count: int) -> list[bytes]:
    with reading(world.engine) as conn:
        return [_mail_of(seat, f"@number@.{seat.token}") for seat in lab.first_seats(conn)[:count]]


def _mail_of(seat: lab.Writer, name: str, line: str = "status") -> bytes:
    return (
        f"From: {seat.address}\r\nTo: {plus_address(BOT, seat.token)}\r\nSubject: orders\r\n"
        f"Message-ID: <{name}@bench.example>\r\n\r\n{line}\r\n".encode()
    )


WAITING_GAMES = 10_000
DUE_AT_ONCE = 200
IDLE_SECONDS = 0.020
MOST_TIMES_THE_MAILS = 1.2


def measure_clocks(
    folder: Path, ruleset: str, games: int = WAITING_GAMES, at_once: int = DUE_AT_ONCE
) -> list[Measurement]:
    """Measure ``games`` games, each of which waits for one player. First the deadlines are checked while none has
    passed. Then ``at_once`` games are answered by mail, and the same number of others take their default in a single
    pass. Only Mentat's own working time counts."""
    world = open_world(folder)
    world.fill(ruleset, games)
    idle = seconds_each(world.tick, 21)
    mails = Stopwatch(time.process_time)
    for raw in _answers_to_games(world, at_once):
        with mails.running():
            world.take(raw)
    late = utc_now() + timedelta(hours=1)
    with writing(world.engine) as conn:
        lab.let_fall_due(conn, at_once, late)
    world.moderator.open_games.forget()
    silence = Stopwatch(time.process_time)
    with silence.running():
        moved = world.moderator.timekeeper.tick(late)
    if moved != at_once:
        raise RuntimeError(f"{moved} games went on of {at_once} that were due")
    return [
        Measurement.of_seconds(f"a look at {games:,} idle games", idle, IDLE_SECONDS, "20 ms", 1.0),
        Measurement.of_seconds(f"{at_once} answers by mail", mails.total),
        Measurement.of_seconds(
            f"{at_once} deadlines in one pass", silence.total, mails.total, "the mails", MOST_TIMES_THE_MAILS
        ),
    ]


def _answers_to_games(world: World, count: int) -> list[bytes]:
    with reading(world.engine) as conn:
        asked = lab.seats_asked(conn, "bench-0", count)
    return [_mail_of(seat, seat.token, "predict guild turn 4") for seat in asked]


WORKER_COUNTS = (1, 2, 4)
GAMES_OF_WORKERS = 60
BARE_TIMES = 200
MOST_MEMORY_GROWTH = 1.1
MOST_TIMES_THE_CPU = 1.1
MOST_TRANSACTIONS = 6.0
MOST_DISK_WAITS = 2.5
_PATIENCE_SECONDS = 600.0
_COUNTED = """
SELECT xact_commit + xact_rollback, wal_sync FROM pg_stat_database, pg_stat_wal WHERE datname = current_database()
"""


@dataclass(frozen=True, slots=True)
class Throughput:
    """The cost of processing the mails. ``cpu``, ``transactions`` and ``disk_waits`` are averages for one mail, and
    include the work of the database server."""

    seconds: float
    letters: int
    half_way: Mapping[int, int]
    at_the_end: Mapping[int, int]
    cpu: float = 0.0
    transactions: float = 0.0
    disk_waits: float = 0.0

    @property
    def growth(self) -> float:
        both = self.half_way.keys() & self.at_the_end.keys()
        return max((self.at_the_end[one] / self.half_way[one] for one in both), default=1.0)


def measure_workers(
    folder: Path, ruleset: str, mails: int, counts: Sequence[int] = WORKER_COUNTS, games: int = GAMES_OF_WORKERS
) -> list[Measurement]:
    found = list[Measurement]()
    with PrivateServer(durable=True) as server:
        taken = dict[int, Throughput]()
        for count in counts:
            with InProcesses(folder / f"workers-{count}", server.empty(f"workers_{count}"), count) as there:
                there.fill(ruleset, games)
                _tell_apart(there)
                taken[count] = _measure_throughput(there, server, count, mails, games)
        one, cpu = taken[counts[0]].seconds / mails, taken[counts[0]].cpu
        bare = _measure_bare_transaction(server, int(taken[counts[0]].letters / mails))
    found.append(Measurement.of_seconds("a bare transaction", bare))
    for count, by in taken.items():
        each, named = by.seconds / mails, f"{count} worker{'s' if count > 1 else ''}"
        megabytes = max(by.at_the_end.values(), default=0) / 2**20
        found += [
            Measurement(f"{named}: mails", 1 / each, "/s", one / each, f"{counts[0]} worker"),
            Measurement.of_seconds(f"{named}: a mail", each, bare, "a bare transaction"),
            Measurement.of_seconds(f"{named}: CPU of a mail", by.cpu, cpu, f"{counts[0]} worker", MOST_TIMES_THE_CPU),
            Measurement(f"{named}: transactions", by.transactions, "a mail", by.transactions, "", MOST_TRANSACTIONS),
            Measurement(f"{named}: waits for the disk", by.disk_waits, "a mail", by.disk_waits, "", MOST_DISK_WAITS),
            Measurement(f"{named}: memory of each", megabytes, "MiB", by.growth, "half-way", MOST_MEMORY_GROWTH),
        ]
    return found


def _measure_throughput(there: InProcesses, server: PrivateServer, count: int, mails: int, games: int) -> Throughput:
    there.pass_time(utc_now())

    def at_work() -> bool:
        with reading(there.engine) as conn:
            return len(installation.present_processes(conn)) == count

    def waiting() -> int:
        (left,) = look.execute("SELECT count(*) FROM inbox WHERE disposition = ''").fetchone() or (0,)
        if not half_way and left <= mails / 2:
            half_way.update(_memory_of_each(there))
        return int(left)

    def all_sent() -> bool:
        (left,) = look.execute("SELECT count(*) FROM letter WHERE next_try_at IS NOT NULL").fetchone() or (0,)
        return not left

    def counted() -> list[float]:
        found = look.execute(_COUNTED).fetchone() or (0, 0)
        return [float(found[0]), float(found[1]), there.cpu_seconds() + server.cpu_seconds()]

    half_way: dict[int, int] = {}
    there.wait(at_work, "processes do not begin")
    time.sleep(SEEN_SECONDS)  # until each knows of the others
    _store(there, _mails_in_turn(there, games * count))  # warm each process up: compile templates, fill memory
    with psycopg.connect(server.url(f"workers_{count}"), autocommit=True) as look:
        there.wait(lambda: not waiting() and all_sent(), "mails wait", _PATIENCE_SECONDS)
        with reading(there.engine) as conn:
            before = lab.bytes_of_letters(conn)
        half_way.clear()
        _store(there, _mails_in_turn(there, mails))
        first_taken = "no mail is taken"  # a process may wait for mail in the mailbox a moment longer
        there.wait(lambda: waiting() < mails, first_taken, _PATIENCE_SECONDS)
        first, began = counted(), time.perf_counter()
        left = waiting()
        looks = there.wait(lambda: not waiting(), "mails wait", _PATIENCE_SECONDS)
        seconds, memory = time.perf_counter() - began, _memory_of_each(there)
        looks += there.wait(all_sent, "letters wait", _PATIENCE_SECONDS)
        transactions, waits, cpu = (now - then for now, then in zip(counted(), first, strict=True))
    with reading(there.engine) as conn:
        letters = lab.bytes_of_letters(conn) - before
    each = (cpu / left, (transactions - looks) / left, waits / left)
    return Throughput(seconds, letters, half_way, memory, *each)


def _mails_in_turn(there: InProcesses, count: int) -> list[bytes]:
    with reading(there.engine) as conn:
        seats = lab.first_seats(conn)
    now = time.monotonic_ns()
    return [_mail_of(seats[number % len(seats)], f"{now}.{number}") for number in range(count)]


def _store(there: InProcesses, raws: Sequence[bytes]) -> None:
    now = utc_now()
    stored = list[installation.StoredMail]()
    for raw in raws:
        sender, game_id = there.moderator.intake.for_whom(raw, now, 0)
        stored.append(installation.StoredMail(f"bench:{len(stored)}:{hash(raw)}", raw, 0, sender, game_id, now))
    with writing(there.engine) as conn:
        for mail in stored:
            installation.store_mail(conn, mail)


def _memory_of_each(there: InProcesses) -> dict[int, int]:
    return {process: resident_bytes(process) for process in there.processes()}


def _measure_bare_transaction(server: PrivateServer, letters: int) -> float:
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
