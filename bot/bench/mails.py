"""A mail on its way: how many are processed in a second, and how long a player waits for an answer.

What nobody can go below is the bare work of a mail: NOOP, SEARCH, FETCH, the standard library's parser, one durable
commit of what came and what goes out, and MOVE. It is measured in turn with the processing, mail for mail with the very
same bytes, on the same disk and the same server.
"""

from __future__ import annotations

import socket
import sqlite3
import statistics
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from email import message_from_bytes, policy
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
MOST_TIMES_THE_BARE_WORK = 3.0
_USER = "emperor@players.example"


class NoAnswer(Exception):
    """The service did not answer a mail."""


def mails(folder: Path, ruleset: str, number: int) -> list[Measured]:
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
            *(Measured(f"bare: {name}", part.median * 1e3, "ms") for name, part in bare.parts.items()),
            Measured("bare work of a mail", limit * 1e3, "ms"),
            Measured("a mail processed", each * 1e3, "ms", each / limit, "the bare work", MOST_TIMES_THE_BARE_WORK),
            Measured("mails processed", 1 / each, "/s"),
        ]


class BareWork:
    """What no program can do a mail without, with nothing but the libraries for it."""

    def __init__(self, servers: LocalMail, database: Path) -> None:
        self.whole = Stopwatch()
        self.parts = {name: Stopwatch() for name in ("NOOP, SEARCH, FETCH", "parser", "durable commit", "MOVE")}
        self._servers = servers
        self._client: Any = IMAPClient(servers.host, servers.imap_port, ssl=False)
        self._client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client.login(_USER, PASSWORD)
        self._client.create_folder("Done")
        self._client.select_folder("INBOX")
        self._connection = sqlite3.connect(database, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=FULL")
        self._connection.execute("CREATE TABLE kept (id INTEGER PRIMARY KEY, kind TEXT, data BLOB)")

    def do(self, raw: bytes, bytes_of_letters: int) -> None:
        """One mail comes, and letters of so many bytes go out."""
        self._servers.deliver(_USER, raw)
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
        return measuring.bytes_of_letters(conn)


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
    """A player's mail with another Message-ID and a question about the mail instead of their orders."""
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
