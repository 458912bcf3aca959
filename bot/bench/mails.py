"""A mail on its way: how many are processed in a second, and how long a player waits for his answer.

The limit that nobody can go below is one fetch from the IMAP server and one durable commit of what came and what goes
out; both are measured here with the very same bytes, on the same disk and the same server.
"""

from __future__ import annotations

import sqlite3
import statistics
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from imapclient import IMAPClient

from bot.bench.measure import Measured, Stopwatch
from bot.bench.world import BOT, PASSWORD, USERS, World, open_world, written_answers
from bot.mail.servers.localserver import LocalMail
from bot.service import loop
from bot.service.mail_servers import open_mailbox, open_transport
from bot.store import measuring
from bot.store.database import reading

PATIENCE_SECONDS = 30.0
MOST_TIMES_THE_LIMIT = 3.0


class NoAnswer(Exception):
    """The service did not answer a mail."""


def mails(folder: Path, ruleset: str, number: int) -> list[Measured]:
    """Process about so many mails of a running game, with the database in ``folder``; then the bare limits."""
    with LocalMail(USERS) as servers:
        world = open_world(folder, servers)
        world.new_game("bench", ruleset)
        watch = Stopwatch()
        with closing(open_mailbox(world.settings)) as mailbox:
            for number_of_round, answers in enumerate(written_answers(world)):
                for raw in answers:
                    servers.deliver(BOT, raw)
                    with watch.running():
                        loop.poll(world.moderator, mailbox)
                if number_of_round < 2:  # the first mails open connections and compile templates
                    watch.taken.clear()
                if len(watch.taken) >= number:
                    break
        each = watch.median
        raws, letters = _what_was_written(world)
        world.engine.dispose()
        commit = _bare_commits(folder / "bare.db", raws, letters)
        fetch = _bare_fetches(servers, raws)
        limit = commit + fetch
        return [
            Measured("durable commit, mail + letters", commit * 1e3, "ms"),
            Measured("fetch of a mail", fetch * 1e3, "ms"),
            Measured("a mail processed", each * 1e3, "ms", each / limit, "the two", MOST_TIMES_THE_LIMIT),
            Measured("mails processed", 1 / each, "/s"),
        ]


def waiting_time(folder: Path, ruleset: str, times: int) -> list[Measured]:
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
            taken = [_answered_after(servers, _asking(answers[0], turn)) for turn in range(times + 1)]
        finally:
            running.stop()
            thread.join(timeout=PATIENCE_SECONDS)
        world.engine.dispose()
    return [Measured("mail in to answer out", statistics.median(taken[1:]) * 1e3, "ms")]


def _asking(answer: bytes, turn: int) -> bytes:
    """A player's mail with another Message-ID and a question about the mail instead of his orders."""
    head, _, _ = answer.partition(b"\r\n\r\n")
    kept = [line for line in head.split(b"\r\n") if line.lower().startswith((b"from:", b"to:", b"subject:", b"date:"))]
    return b"\r\n".join([*kept, b"Message-ID: <%d@bench.example>" % turn, b"", b"status", b""])


def _answered_after(servers: LocalMail, raw: bytes) -> float:
    before = len(servers.sent)
    servers.deliver(BOT, raw)
    began = time.perf_counter()
    while len(servers.sent) == before:
        if time.perf_counter() - began > PATIENCE_SECONDS:
            raise NoAnswer(f"no answer within {PATIENCE_SECONDS:.0f} seconds")
        time.sleep(0.0005)
    return time.perf_counter() - began


def _what_was_written(world: World) -> tuple[list[bytes], list[bytes]]:
    """The messages as they came, and as many letters for each as there were on average, laid end to end."""
    with reading(world.engine) as conn:
        raws = measuring.raw_messages(conn)
        size = measuring.bytes_of_letters(conn) // len(raws)
    return raws, [bytes(size)] * len(raws)


def _bare_commits(database: Path, raws: Sequence[bytes], letters: Sequence[bytes]) -> float:
    """Seconds for a transaction that keeps a message, an entry, an event and the letters, with nothing but SQLite."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE kept (id INTEGER PRIMARY KEY, kind TEXT, data BLOB)")
    watch = Stopwatch()
    for raw, letter in zip(raws, letters, strict=True):
        rows = [("message", raw), ("entry", bytes(120)), ("event", bytes(120)), ("letter", letter)]
        with watch.running():
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT INTO kept (kind, data) VALUES (?, ?)", rows)
            connection.execute("COMMIT")
    connection.close()
    return watch.median


def _bare_fetches(servers: LocalMail, raws: Sequence[bytes]) -> float:
    """Seconds for the fetch of one message, with nothing but the IMAP client."""
    client: Any = IMAPClient(servers.host, servers.imap_port, ssl=False)
    client.login("emperor@players.example", PASSWORD)
    for raw in raws:
        servers.deliver("emperor@players.example", raw)
    client.select_folder("INBOX")
    watch = Stopwatch()
    for uid in client.search():
        with watch.running():
            client.fetch([uid], ["BODY.PEEK[]"])
    client.logout()
    return watch.median
