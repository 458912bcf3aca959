"""Benchmarks of mail: a mail from arrival to answer, the longest mails, and one mail among a thousand games.

*From arrival to answer*: how many mails are processed in a second, and how long a player waits for an answer. This is
compared with the least work that a mail needs: NOOP, SEARCH, FETCH, the standard library's parser, one durable commit
of the incoming and outgoing mail, and MOVE. The two are measured alternately, mail by mail with the very same bytes, on
the same disk and the same server.

*The longest mails* that a player may send: as many lines as Mentat reads in one mail, either all for the sheet or all
mere talk. Everybody else waits while a mail is processed, so processing must be quick, whatever the mail contains.

*A thousand running games*: the cost while nobody writes, and the cost of a mail to one of them. `python -m
bot.lab.bench_mail FOLDER GAMES` runs the process whose memory is measured: it opens the database, processes a mail for
each of many games, and prints its results as JSON.
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
from itertools import chain, count, islice, product
from pathlib import Path
from typing import Any

from imapclient import IMAPClient

from bot.desk.desk import desk_blocks, desk_now
from bot.lab.local_mail import LocalMail
from bot.lab.workbench import Measurement, Stopwatch, resident_bytes, seconds_each
from bot.lab.worlds import ADDRESSES, BOT, PASSWORD, USERS, World, open_world, reopen_world, written_answers
from bot.mail.identity import plus_address
from bot.service import loop
from bot.service.machine import utc_now
from bot.service.mail_servers import open_mailbox, open_transport
from bot.store import games as stored_games
from bot.store import lab
from bot.store.database import reading

ANSWER_PATIENCE_SECONDS = 30.0
MOST_TIMES_THE_BARE_WORK = 3.0
_WRITER = "emperor@players.example"


class NoAnswer(Exception):
    pass


def measure_mails(folder: Path, ruleset: str, number: int) -> list[Measurement]:
    with LocalMail(USERS) as servers:
        world = open_world(folder, servers)
        watch = Stopwatch()
        with closing(open_mailbox(world.settings)) as mailbox, closing(BareWork(servers, folder / "bare.db")) as bare:
            for game in count():  # each game is played until it waits for somebody who gets no letter
                world.new_game(f"bench-{game}", ruleset)
                for raw in chain.from_iterable(written_answers(world)):
                    servers.deliver(BOT, raw)
                    written = _bytes_of_letters(world)
                    with watch.running():
                        loop.poll(world.moderator, mailbox)
                    bare.do(raw, _bytes_of_letters(world) - written)
                if game == 0:  # the first mails open connections and compile templates
                    watch.taken.clear()
                    bare.forget()
                if len(watch.taken) >= number:
                    break
        world.close()
        each, limit = watch.median, bare.whole.median
        return [
            *(Measurement.of_seconds(f"bare: {name}", part.median) for name, part in bare.parts.items()),
            Measurement.of_seconds("bare work of a mail", limit),
            Measurement.of_seconds("a mail processed", each, limit, "the bare work", MOST_TIMES_THE_BARE_WORK),
            Measurement("mails processed", 1 / each, "/s"),
        ]


class BareWork:
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
                self._commit(
                    [
                        ("message", raw),
                        ("entry", text[:120].encode()),
                        ("event", bytes(120)),
                        ("letters", bytes(bytes_of_letters)),
                    ]
                )
            with moving.running():
                self._client.move(uids, "Done")

    def forget(self) -> None:
        for watch in (self.whole, *self.parts.values()):
            watch.taken.clear()

    def close(self) -> None:
        self._connection.close()
        self._client.logout()

    def _commit(self, rows: Sequence[tuple[str, bytes]]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT INTO kept (kind, data) VALUES (?, ?)", rows)
        self._connection.execute("COMMIT")


def _bytes_of_letters(world: World) -> int:
    with reading(world.engine) as conn:
        return lab.bytes_of_letters(conn)


def measure_waiting_time(folder: Path, ruleset: str, times: int) -> list[Measurement]:
    """Measure the time from the arrival of a mail in the inbox to the arrival of its answer at the SMTP server, while
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
        world.close()
    return [Measurement("mail in to answer out", statistics.median(taken[1:]) * 1e3, "ms")]


def _with_question(answer: bytes, turn: int) -> bytes:
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
    world = open_world(folder)
    world.new_game("bench", ruleset)
    found = [
        _measure_patterns(world, "200 lines for the sheet", _SHEETS, times),
        _measure_patterns(world, "200 lines of talk", _TALK, times),
    ]
    world.close()
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

    processed()  # the first one builds the grammar
    each = seconds_each(processed, times, time.process_time)
    return Measurement.of_seconds(name, each, MOST_SECONDS_A_LONG_MAIL, f"{MOST_SECONDS_A_LONG_MAIL * 1e3:g} ms", 1.0)


MANY_GAMES = 1_000
FEW_GAMES = 10
GAMES_WRITTEN_TO = 100
MOST_TIMES_IDLE = 3.0
MOST_TIMES_THE_MEMORY = 1.25
DESK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class CrowdCosts:
    games: int
    memory: int
    tick: float
    poll: float
    mail: float
    desk: float


def measure_crowd(folder: Path, ruleset: str) -> list[Measurement]:
    found = []
    for games in (FEW_GAMES, MANY_GAMES):
        place = folder / f"games-{games}"
        with LocalMail(USERS) as servers:
            world = open_world(place, servers)
            world.fill(ruleset, games, rounds=21)
            _write_mail(world)
            world.close()
            found.append(_measured_apart(place, games))
    few, many = found
    few_games = f"{FEW_GAMES} games"
    return [
        Measurement("memory", many.memory / 2**20, "MiB", many.memory / few.memory, few_games, MOST_TIMES_THE_MEMORY),
        Measurement.of_seconds("a look at the deadlines", many.tick, few.tick, few_games, MOST_TIMES_IDLE),
        Measurement.of_seconds("a look into the mailbox", many.poll, few.poll, few_games, MOST_TIMES_IDLE),
        Measurement.of_seconds("first mail of a game", many.mail, few.mail, few_games),
        Measurement.of_seconds("the game master's desk", many.desk, DESK_SECONDS, "0.5 s", 1.0),
    ]


def serve(folder: Path, games: int) -> CrowdCosts:
    world = reopen_world(folder)
    raws = [(folder / "mail.eml").read_bytes().replace(b"@token@", token) for token in _first_tokens(world)]
    watch = Stopwatch()
    for raw in raws:
        with watch.running():
            world.take(raw)
    tick = seconds_each(world.tick, 21)
    with closing(open_mailbox(world.settings)) as mailbox:
        loop.poll(world.moderator, mailbox)
        poll = seconds_each(lambda: loop.poll(world.moderator, mailbox), 21)
    memory = resident_bytes()
    return CrowdCosts(games, memory, tick, poll, watch.median, seconds_each(lambda: _read_desk(world), 5))


def _read_desk(world: World) -> None:
    with reading(world.engine) as conn:
        found = desk_now(conn, world.settings, utc_now())
    desk_blocks(found, world.settings.mentat.timezone)


def _measured_apart(folder: Path, games: int) -> CrowdCosts:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "bot.lab.bench_mail", str(folder), str(games)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the process with {games} games failed: {done.stderr.strip().splitlines()[-1:]}")
    return CrowdCosts(**json.loads(done.stdout))


def _write_mail(world: World) -> None:
    with reading(world.engine) as conn:
        writer = next(seat for seat in lab.first_seats(conn) if seat.game_id == "bench-0")
    to = plus_address(BOT, "@token@")
    head = f"From: {writer.address}\r\nTo: {to}\r\nSubject: orders\r\nMessage-ID: <@token@@bench.example>\r\n"
    path = world.settings.mentat.database.parent / "mail.eml"
    path.write_bytes(f"{head}\r\nstatus\r\n".encode())


def _first_tokens(world: World) -> list[bytes]:
    with reading(world.engine) as conn:
        return [seat.token.encode() for seat in lab.first_seats(conn)][:GAMES_WRITTEN_TO]


if __name__ == "__main__":
    print(json.dumps(asdict(serve(Path(sys.argv[1]), int(sys.argv[2])))))
