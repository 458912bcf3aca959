"""A game's mail, recorded once and then carried over bad connections, and the outcome that must result.

The mails are written once, by players who answer their questions. Unusual mails come in between: a corrected answer, a
mail without a Message-ID, an automatic answer. A run fetches these mails round by round over bad connections, and sends
Mentat's letters in the same way. Its outcome can be compared: the record of the game (log and events), the stored
messages, and the letters, by Message-ID, as the receiving server got them.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from imapclient import IMAPClient
from sqlalchemy import select

from bot.config import Settings
from bot.games import proof
from bot.mail.imap import ImapMailbox, ImapServer
from bot.mail.mailbox import MailboxUnavailable
from bot.mail.transport import SmtpServer, SmtpTransport
from bot.moderator.moderator import Moderator
from bot.service import loop
from bot.service.outbox import Outbox
from bot.store import mail
from bot.store.database import open_database, reading
from bot.store.mail import LETTER
from bot.store.tables import MESSAGE
from rules.components import Faction
from tests.mail.faults.proxy import FaultyProxy
from tests.mail.faults.schedule import Schedule
from tests.moderator.table import GAME, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
ROUNDS = 4
TRIES = 60
HEALED_AFTER = 30
PATIENCE = 0.25
"""The number of seconds for which clients wait for a response during faults."""


@dataclass(frozen=True, slots=True)
class Round:
    """The mails that arrive at one instant, in order."""

    at: datetime
    mails: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The folder of a Mentat with a game that has just begun, and the mails of its players."""

    folder: Path
    settings: Settings
    rounds: tuple[Round, ...]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run."""

    record: object
    kept: tuple[tuple[str, str], ...]
    """The disposition and digest of every message, in the order of processing."""
    letters: dict[str, str]
    """The digests of the letters in the outbox, by Message-ID."""
    arrived: dict[str, str]
    """The digests of the letters that the receiving server got, by Message-ID."""
    faults: Counter[str] = field(default_factory=Counter, compare=False)

    def differences(self, expected: Outcome) -> list[str]:
        """Return the differences from the expected outcome, one in each line."""
        told = ["the record of the game differs"] if self.record != expected.record else []
        ours, theirs = Counter(self.kept), Counter(expected.kept)
        told += [f"kept and not expected: {one}" for one in (ours - theirs)]
        told += [f"expected and not kept: {one}" for one in (theirs - ours)]
        told += ["messages were taken in another order"] if not told and self.kept != expected.kept else []
        for what, mine, wanted in (
            ("outbox", self.letters, expected.letters),
            ("sent", self.arrived, expected.arrived),
        ):
            told += [f"{what}: {one} is too much" for one in mine.keys() - wanted.keys()]
            told += [f"{what}: {one} is missing" for one in wanted.keys() - mine.keys()]
            told += [f"{what}: {one} differs" for one in mine.keys() & wanted.keys() if mine[one] != wanted[one]]
        return told


@dataclass
class Place:
    """A fresh IMAP user for each run, a way to deliver mail to that user, and the server for letters."""

    new_user: Callable[[], tuple[ImapServer, Callable[[bytes], None]]]
    letters: LetterServer


def record(folder: Path) -> Recorded:
    """Begin a game and let its players write, over perfect connections."""
    folder.mkdir()
    world = World.at(folder)
    world.new_game(factions=FEW)
    world.engine.dispose()
    begun = folder / "begun.db"
    shutil.copy(world.settings.mentat.database, begun)
    rounds = []
    for number in range(ROUNDS):
        world.now += timedelta(hours=1)
        mails = tuple(_written(world, number))
        for raw in mails:
            world.moderator.deliver(raw, world.now)
        rounds.append(Round(world.now, mails))
    world.engine.dispose()
    assert world.table().entries >= ROUNDS
    world.engine.dispose()
    return Recorded(folder, world.settings, tuple(rounds))


def _written(world: World, number: int) -> Iterator[bytes]:
    asked = world.asked()
    for faction, kinds in sorted(asked.items()):
        questions = [q for q in world.table().play.questions() if q.faction == faction and q.kind == kinds[0]]
        yield world.mail(faction, world.line(faction, kinds[0]))
        if number % 2 == 0 and len(list(questions[0].samples())) > 1:  # a corrected answer, unless too late, counts
            yield world.mail(faction, world.line(faction, kinds[0], choice=1))
    if number == 1:
        date = "Tue, 26 Nov 2024 22:00:00 +0000"
        yield world.mail("atreides", "I am on holiday", Auto_Submitted="auto-replied", Date=date)
    if number == 2:
        press = world.mail("harkonnen", "press to all: The spice must flow", Date="Tue, 26 Nov 2024 23:00:00 +0000")
        yield b"\r\n".join(line for line in press.split(b"\r\n") if not line.lower().startswith(b"message-id:"))


class LetterServer:
    """An SMTP server that stores the letters that it receives."""

    def __init__(self) -> None:
        self.got: list[bytes] = []
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's
        assert isinstance(envelope.content, bytes)
        self.got.append(envelope.content)
        return "250 OK"

    def __enter__(self) -> LetterServer:
        self._controller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._controller.stop()


def carry(recorded: Recorded, place: Place, schedule: Schedule, folder: Path) -> Outcome:
    """Fetch the recorded mails and send the letters, with the faults that the schedule draws."""
    folder.mkdir()
    database = folder / "mentat.db"
    shutil.copy(recorded.folder / "begun.db", database)
    settings = recorded.settings.model_copy(
        update={"mentat": recorded.settings.mentat.model_copy(update={"database": database})}
    )
    place.letters.got.clear()
    server, deliver = place.new_user()
    with ExitStack() as stack:
        imap = stack.enter_context(FaultyProxy("imap", server.port, schedule))
        smtp = stack.enter_context(FaultyProxy("smtp", place.letters.port, schedule))
        run = stack.enter_context(
            _running(settings, replace(server, port=imap.port, timeout=PATIENCE), smtp.port, schedule)
        )
        for now in recorded.rounds:
            run.wait()
            for raw in now.mails:
                deliver(raw)
                if schedule.happens("came by two addresses", 0.1):
                    deliver(b"Delivered-To: mentat@arrakis.example\r\n" + raw)
            if schedule.happens("shown again", 0.2):
                _show_again(server, schedule)
            run.take_in(now)
            run.send(now.at)
        schedule.heal()
        run.finish(recorded.rounds[-1])
        return run.outcome(place.letters.got, schedule)


def _show_again(server: ImapServer, schedule: Schedule) -> None:
    """Make the server list a message a second time, under another UID."""
    with IMAPClient(server.host, server.port, ssl=False) as client:
        client.login(server.user, server.password)
        client.select_folder("INBOX")
        client.copy([schedule.dice.choice(client.search())], "INBOX")


@contextmanager
def _running(settings: Settings, server: ImapServer, smtp_port: int, schedule: Schedule) -> Iterator[_Run]:
    run = _Run(settings, server, smtp_port, schedule)
    try:
        yield run
    finally:
        run.close()


class _Run:
    """A Mentat between two bad connections."""

    def __init__(self, settings: Settings, server: ImapServer, smtp_port: int, schedule: Schedule) -> None:
        self._server = server
        self._schedule = schedule
        self._engine = open_database(settings.database_place)
        self._moderator = Moderator(settings, self._engine)
        self._outbox = Outbox(self._moderator.open_games)
        self._mailbox = ImapMailbox(server)
        self._transport = SmtpTransport(SmtpServer("127.0.0.1", smtp_port, "none", timeout=PATIENCE))
        self._wanted: set[bytes] = set()

    def wait(self) -> None:
        """Wait for new mail as the service does between two polls."""
        with contextlib.suppress(MailboxUnavailable):
            self._mailbox.wait(0.01)

    def take_in(self, now: Round) -> None:
        """Poll until every mail of this round has been processed. After many attempts, the faults end."""
        self._wanted |= {_body(raw) for raw in now.mails}
        for attempt in range(TRIES):
            if attempt == HEALED_AFTER:
                self._schedule.heal()
            if self._schedule.happens("process restarted", 0.02):
                self._mailbox.close()
                self._mailbox = ImapMailbox(self._server)
                self._moderator = Moderator(self._moderator.settings, self._engine)
                self._outbox = Outbox(self._moderator.open_games)
            try:
                loop.poll(self._moderator, self._mailbox, lambda: now.at)
                if not self._missing():
                    return
                self._mailbox.wait(0.01)
            except MailboxUnavailable:
                continue
        raise AssertionError(f"{len(self._missing())} mails were not taken after {TRIES} tries")

    def send(self, now: datetime) -> None:
        """Send until no letter is waiting."""
        for attempt in range(TRIES):
            if attempt == HEALED_AFTER:
                self._schedule.heal()
            loop.send(self._outbox, self._transport, now + timedelta(hours=4 * attempt))
            with reading(self._engine) as conn:
                if conn.execute(select(LETTER.c.id).where(LETTER.c.next_try_at.is_not(None))).first() is None:
                    return
        raise AssertionError(f"there are letters that were not sent after {TRIES} tries")

    def finish(self, last: Round) -> None:
        """Fetch the remaining mail, and check that the inbox is empty."""
        self._mailbox.close()
        self._mailbox = ImapMailbox(replace(self._server, timeout=10))
        for _ in range(3):
            if not loop.poll(self._moderator, self._mailbox, lambda: last.at).messages:
                break
        assert list(self._mailbox.fetch_new()) == [], "mail stays in the inbox"
        self.send(last.at)

    def outcome(self, arrived: list[bytes], schedule: Schedule) -> Outcome:
        with reading(self._engine) as conn:
            messages = conn.execute(select(MESSAGE.c.disposition, MESSAGE.c.raw).order_by(MESSAGE.c.id)).all()
            letters = mail.whole_letters(conn, ((row.content, row.pictures) for row in conn.execute(select(LETTER))))
            return Outcome(
                proof.full_record(conn, GAME),
                tuple((row.disposition, _digest(_body(row.raw))) for row in messages),
                dict(map(_named, letters)),
                dict(map(_named, arrived)),
                schedule.happened,
            )

    def close(self) -> None:
        self._mailbox.close()
        self._transport.close()
        self._engine.dispose()

    def _missing(self) -> set[bytes]:
        with reading(self._engine) as conn:
            return self._wanted - {_body(row.raw) for row in conn.execute(select(MESSAGE.c.raw))}


def _body(raw: bytes) -> bytes:
    """Return a mail without the header fields that servers added on the way."""
    return raw[raw.index(b"From: ") :]


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:16]


def _named(letter: bytes) -> tuple[str, str]:
    """Return a letter's Message-ID and digest. A notice to the game master has a Message-ID with the message's place in
    the mailbox, which differs between runs; so return its subject instead, and the digest of its words."""
    message = message_from_bytes(letter, policy=policy.default)
    name = str(message["Message-ID"])
    if not name.startswith("<notice."):
        return name, _digest(letter)
    body = message.get_body(("plain",))
    return f"notice: {message['Subject']}", _digest(str(body.get_content() if body else "").encode())
