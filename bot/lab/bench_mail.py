"""Benchmarks of mail: its way, the longest mails, and a mail among a thousand games.

*A mail on its way*: how many are processed in a second, and how long a player waits for an answer. What nobody can go
below is the bare work of a mail: NOOP, SEARCH, FETCH, the standard library's parser, one durable commit of what came
and what goes out, and MOVE. It is measured in turn with the processing, mail for mail with the very same bytes, on
the same disk and the same server.

*The longest mails* that a player may send: as many lines as are read of one, each for the sheet, or each mere talk.
Everybody else waits while a mail is processed, so that must not take long, whatever stands in it.

*A thousand running games*: what they cost while nobody writes, and what a mail to one of them costs. Run as a module,
`python -m bot.lab.bench_mail FOLDER GAMES`, it is the process whose memory is measured: it opens the database, takes
a mail for each of many games, and prints what it found as JSON.
"""

from __future__ import annotations

import json
import socket
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from email import message_from_bytes, policy
from itertools import islice, product
from pathlib import Path
from typing import Any

from imapclient import IMAPClient

from bot.desk.desk import desk_blocks, desk_now
from bot.lab.local_mail import LocalMail
from bot.lab.workbench import (
    ADDRESSES,
    BOT,
    PASSWORD,
    USERS,
    Measurement,
    Stopwatch,
    World,
    open_world,
    reopen_world,
    seconds_each,
    written_answers,
)
from bot.mail.identity import plus_address
from bot.service import loop
from bot.service.machine import utc_now
from bot.service.mail_servers import open_mailbox, open_transport
from bot.store import games as stored_games
from bot.store import lab
from bot.store.database import reading, writing

ANSWER_PATIENCE_SECONDS = 30.0
MOST_TIMES_THE_BARE_WORK = 3.0
_WRITER = "emperor@players.example"


class NoAnswer(Exception):
    """The service did not answer a mail."""


def measure_mails(folder: Path, ruleset: str, number: int) -> list[Measurement]:
    """Process about so many mails of a running game, with the database in ``folder``, and beside each do the bare work
    of the same mail."""
    with LocalMail(USERS) as servers:
        world = open_world(folder, servers)
        world.new_game("bench", ruleset)
        watch = Stopwatch()
        with (
            closing(open_mailbox(world.settings)) as mailbox,
            closing(BareWork(servers, folder / "bare.db")) as bare,
        ):
            for number_of_round, answers in enumerate(written_answers(world)):
                for raw in answers:
                    servers.deliver(BOT, raw)
                    written = _bytes_of_letters(world)
                    with watch.running():
                        loop.poll(world.moderator, mailbox)
                    bare.do(raw, _bytes_of_letters(world) - written)
                if number_of_round < 2:  # the first mails open connections and compile templates
                    watch.taken.clear()
                    bare.forget()
                if len(watch.taken) >= number:
                    break
        world.engine.dispose()
        each, limit = watch.median, bare.whole.median
        return [
            *(Measurement(f"bare: {name}", part.median * 1e3, "ms") for name, part in bare.parts.items()),
            Measurement("bare work of a mail", limit * 1e3, "ms"),
            Measurement("a mail processed", each * 1e3, "ms", each / limit, "the bare work", MOST_TIMES_THE_BARE_WORK),
            Measurement("mails processed", 1 / each, "/s"),
        ]


class BareWork:
    """What no program can do a mail without, with nothing but the libraries for it."""

    def __init__(self, servers: LocalMail, database: Path) -> None:
        self.whole = Stopwatch()
        self.parts = {name: Stopwatch() for name in ("NOOP, SEARCH, FETCH", "parser", "durable commit", "MOVE")}
        self._servers = servers
        self._client: Any = IMAPClient(servers.host, servers.imap_port, ssl=False)
        self._client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client.login(_WRITER, PASSWORD)
        self._client.create_folder("Done")
        self._client.select_folder("INBOX")
        self._connection = sqlite3.connect(database, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=FULL")
        self._connection.execute("CREATE TABLE kept (id INTEGER PRIMARY KEY, kind TEXT, data BLOB)")

    def do(self, raw: bytes, bytes_of_letters: int) -> None:
        """One mail comes, and letters of so many bytes go out."""
        self._servers.deliver(_WRITER, raw)
        fetching, parsing, committing, moving = self.parts.values()
        with self.whole.running():
            with fetching.running():
                self._client.noop()
                uids = self._client.search(["UNDELETED"])
                fetched = self._client.fetch(uids, ["BODY.PEEK[]"])
            with parsing.running():
                body = message_from_bytes(fetched[uids[0]][b"BODY[]"], policy=policy.default).get_body()
                text = body.get_content() if body is not None else ""
            with committing.running():
                self._commit([("message", raw), ("entry", text[:120].encode()), ("event", bytes(120)),
                              ("letters", bytes(bytes_of_letters))])  # fmt: skip
            with moving.running():
                self._client.move(uids, "Done")

    def forget(self) -> None:
        """What was measured so far does not count."""
        for watch in (self.whole, *self.parts.values()):
            watch.taken.clear()

    def close(self) -> None:
        """Leave the server and the database."""
        self._connection.close()
        self._client.logout()

    def _commit(self, rows: Sequence[tuple[str, bytes]]) -> None:
        """A transaction that keeps a message, an entry, an event and the letters."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT INTO kept (kind, data) VALUES (?, ?)", rows)
        self._connection.execute("COMMIT")


def _bytes_of_letters(world: World) -> int:
    with reading(world.engine) as conn:
        return lab.bytes_of_letters(conn)


def measure_waiting_time(folder: Path, ruleset: str, times: int) -> list[Measurement]:
    """From the moment when a mail is in the inbox to the moment when its answer is at the SMTP server, while
    `mentat run` waits in IDLE."""
    with LocalMail(USERS) as servers:
        world = open_world(folder, servers)
        world.new_game("bench", ruleset)
        mailbox, transport = open_mailbox(world.settings), open_transport(world.settings)
        running = loop.Service(world.moderator, mailbox, transport)
        thread = threading.Thread(target=running.run, name="bench-service")
        answers = next(written_answers(world))
        thread.start()
        try:
            taken = [_answered_after(servers, _with_question(answers[0], turn)) for turn in range(times + 1)]
        finally:
            running.stop()
            thread.join(timeout=ANSWER_PATIENCE_SECONDS)
        world.engine.dispose()
    return [Measurement("mail in to answer out", statistics.median(taken[1:]) * 1e3, "ms")]


def _with_question(answer: bytes, turn: int) -> bytes:
    """A player's mail with another Message-ID and a question about the mail instead of their orders."""
    head, _, _ = answer.partition(b"\r\n\r\n")
    kept = [line for line in head.split(b"\r\n") if line.lower().startswith((b"from:", b"to:", b"subject:", b"date:"))]
    return b"\r\n".join([*kept, b"Message-ID: <%d@bench.example>" % turn, b"", b"status", b""])


def _answered_after(servers: LocalMail, raw: bytes) -> float:
    before = len(servers.sent)
    servers.deliver(BOT, raw)
    began = time.perf_counter()
    while len(servers.sent) == before:
        if time.perf_counter() - began > ANSWER_PATIENCE_SECONDS:
            raise NoAnswer(f"no answer within {ANSWER_PATIENCE_SECONDS:.0f} seconds")
        time.sleep(0.0005)
    return time.perf_counter() - began


MOST_SECONDS_A_LONG_MAIL = 0.3
_FACTIONS = ("guild", "atreides", "emperor", "fremen")
_SHEETS = (
    "when card {n} and price < {m}: bid up to {m}",
    "bid {m} if price < {n} and {faction} has passed",
    "standing: when turn >= {n} and tokens of {faction} in carthag > {m}: ship {n} to carthag",
    "unless {faction} is allied or turn {n}: revive 2",
    "when (turn {n} or price {m}) and (card {n} or {faction} has bid) and (spice > {m} or hand < 3): ask me",
)
_TALK = (
    "if you come in turn {n}, when the storm is past sector {m}, we wait, and {faction} too, unless it is late",
    "I would bidd {n} if that is whta you ment, as the {faction} does whenever they can, and then pas all",
)


def measure_long_mails(folder: Path, ruleset: str, times: int) -> list[Measurement]:
    """Process such mails in a game of six, with the database in ``folder``."""
    with LocalMail(USERS) as servers:
        world = open_world(folder, servers)
    world.new_game("bench", ruleset)
    found = [
        _measure_patterns(world, "200 lines for the sheet", _SHEETS, times),
        _measure_patterns(world, "200 lines of talk", _TALK, times),
    ]
    world.engine.dispose()
    return found


def _measure_patterns(world: World, name: str, patterns: Sequence[str], times: int) -> Measurement:
    most = world.settings.limits.max_lines
    texts = (
        pattern.format(n=n, m=n + m, faction=faction)
        for n, m, faction, pattern in product(range(1, 10), range(1, 10), _FACTIONS, patterns)
    )
    lines = list(islice(texts, most))
    with reading(world.engine) as conn:
        token = stored_games.open_table(conn, "bench").seats["harkonnen"].token
    head = f"From: {ADDRESSES['harkonnen']}\r\nTo: {plus_address(BOT, token)}\r\nMessage-ID: "
    body = "\r\n".join(lines)
    numbers = iter(range(times + 1))

    def processed() -> None:
        raw = f"{head}<{next(numbers)}.{name.replace(' ', '-')}@bench.example>\r\n\r\n{body}\r\n".encode()
        verdict = world.moderator.deliver(raw, utc_now())
        if verdict.disposition != "orders":
            raise RuntimeError(f"{name}: the mail was not read: {verdict.reason}")

    processed()  # the first one makes the grammar
    each = seconds_each(processed, times, time.process_time)
    return Measurement(
        name, each * 1e3, "ms", each / MOST_SECONDS_A_LONG_MAIL, f"{MOST_SECONDS_A_LONG_MAIL * 1e3:g} ms", 1.0
    )


MANY_GAMES = 1_000
FEW_GAMES = 10
GAMES_WRITTEN_TO = 100
MOST_TIMES_IDLE = 3.0
MOST_TIMES_THE_MEMORY = 1.25
DESK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class CrowdCosts:
    """What a process with so many games needs. Memory in bytes, times in seconds."""

    games: int
    memory: int
    tick: float
    poll: float
    mail: float
    desk: float


def measure_crowd(folder: Path, ruleset: str) -> list[Measurement]:
    """A thousand games in progress against ten."""
    found = []
    for games in (FEW_GAMES, MANY_GAMES):
        place = folder / f"games-{games}"
        place.mkdir()
        with LocalMail(USERS) as servers:
            world = open_world(place, servers)
            _fill_with_copies(world, ruleset, games)
            world.engine.dispose()
            found.append(_measured_apart(place, games))
    few, many = found
    few_games = f"{FEW_GAMES} games"
    return [
        Measurement("memory", many.memory / 2**20, "MiB", many.memory / few.memory, few_games, MOST_TIMES_THE_MEMORY),
        Measurement("a look at the deadlines", many.tick * 1e3, "ms", many.tick / few.tick, few_games, MOST_TIMES_IDLE),
        Measurement("a look into the mailbox", many.poll * 1e3, "ms", many.poll / few.poll, few_games, MOST_TIMES_IDLE),
        Measurement("first mail of a game", many.mail * 1e3, "ms", many.mail / few.mail, few_games),
        Measurement("the game master's desk", many.desk * 1e3, "ms", many.desk / DESK_SECONDS, "0.5 s", 1.0),
    ]


def serve(folder: Path, games: int) -> CrowdCosts:
    """Take a mail for each of many games in turn and measure; the games must be there."""
    world = reopen_world(folder)
    raws = [(folder / "mail.eml").read_bytes().replace(b"@token@", token) for token in _first_tokens(world)]
    watch = Stopwatch()
    for raw in raws:
        with watch.running():
            verdict = world.moderator.deliver(raw, utc_now())
        if not verdict.taken:
            raise RuntimeError(f"a mail to one of {games} games was not taken: {verdict}")
    tick = seconds_each(lambda: world.moderator.timekeeper.tick(utc_now()), 21)
    with closing(open_mailbox(world.settings)) as mailbox:
        loop.poll(world.moderator, mailbox)
        poll = seconds_each(lambda: loop.poll(world.moderator, mailbox), 21)
    memory = _resident_bytes()
    return CrowdCosts(games, memory, tick, poll, watch.median, seconds_each(lambda: _read_desk(world), 5))


def _read_desk(world: World) -> None:
    """What `mentat desk` reads and says."""
    with reading(world.engine) as conn:
        found = desk_now(conn, world.moderator.open_games, utc_now())
    desk_blocks(found, world.settings.mentat.timezone)


def _measured_apart(folder: Path, games: int) -> CrowdCosts:
    """``serve`` in a process of its own, whose memory is its own."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "bot.lab.bench_mail", str(folder), str(games)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"the process with {games} games failed: {done.stderr.strip().splitlines()[-1:]}")
    return CrowdCosts(**json.loads(done.stdout))


def _fill_with_copies(world: World, ruleset: str, games: int) -> None:
    """One game played for some rounds, and the rest as copies of it; and the mail that is sent to each."""
    world.new_game("bench-0", ruleset)
    for number, answers in enumerate(written_answers(world)):
        for raw in answers:
            world.moderator.deliver(raw, utc_now())
        if number == 20:
            break
    secret = world.settings.secrets.secret.get_secret_value().encode()
    with writing(world.engine) as conn:
        lab.copy_game(conn, "bench-0", [f"bench-{number}" for number in range(1, games)], secret)
    _write_mail(world)


def _write_mail(world: World) -> None:
    with reading(world.engine) as conn:
        writer = next(seat for seat in lab.first_seats(conn) if seat.game_id == "bench-0")
    to = plus_address(BOT, "@token@")
    head = f"From: {writer.address}\r\nTo: {to}\r\nSubject: orders\r\nMessage-ID: <@token@@bench.example>\r\n"
    path = world.settings.mentat.database.parent / "mail.eml"
    path.write_bytes(f"{head}\r\nstatus\r\n".encode())


def _first_tokens(world: World) -> list[bytes]:
    """The reply tokens of the first seat of as many games as are written to."""
    with reading(world.engine) as conn:
        return [seat.token.encode() for seat in lab.first_seats(conn)][:GAMES_WRITTEN_TO]


def _resident_bytes() -> int:
    """The memory of this process (Linux); elsewhere the most it ever had."""
    try:
        fields = Path("/proc/self/statm").read_text().split()
    except FileNotFoundError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    import os

    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    print(json.dumps(asdict(serve(Path(sys.argv[1]), int(sys.argv[2])))))
