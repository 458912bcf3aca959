"""The service: read the mailbox, apply the defaults of passed deadlines and send the outbox, again and again until it
is stopped.

APScheduler only starts the work. Each piece of work is passed the instant as an argument, and records in the database
what it takes on, so it may run twice or die half-way without harm. Therefore `mentat poll`, `tick` and `send`, run from
cron, do the same as `mentat run`. Only one `run` at a time can hold the lock file next to the database.

If several processes share a database, mail waits in the inbox. Each process takes the next mail of a game, in the order
of arrival, and processes each mail in one transaction. A process holds the lock of the mail it is processing, so no two
processes read the same one. A mail takes effect only once, because the same transaction settles its row
(``Moderator.receive``).

Once a day the service looks up when the certificates of the mail servers expire. An expired certificate stops all mail
at once, and the person responsible for it is not always the person who runs Mentat. So Mentat warns two weeks ahead
(``bot.monitoring.checks``).
"""

from __future__ import annotations

import contextlib
import imaplib
import itertools
import logging
import math
import signal
import smtplib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING

from apscheduler.schedulers.background import BackgroundScheduler

from bot.config import Settings
from bot.games import notices
from bot.games.identity import MailOutcome
from bot.mail.imap import ImapServer
from bot.mail.mailbox import FetchedMail, Inbox, Mailbox, MailboxUnavailable
from bot.mail.transport import MailProtocol, SmtpServer, Transport, certificate_ends
from bot.moderator import outage
from bot.moderator.moderator import Moderator
from bot.monitoring.checks import LOOP_BEATS
from bot.monitoring.logs import about
from bot.service.machine import (
    DatabaseOutage,
    Liveness,
    WallClock,
    patience_with,
    tell_systemd,
    tell_whether_it_turns,
    utc_now,
    watchdog_seconds,
)
from bot.service.mail_servers import imap_server, open_transport, smtp_server
from bot.service.outbox import Outbox, SendResult
from bot.store import installation
from bot.store.database import DamagedDatabase, DatabaseUnavailable, Engine, noting, reading, writing
from bot.store.installation import AlreadyRunning, ProcessLocks, only_one

if TYPE_CHECKING:
    from bot.forum.watch import Watch
    from bot.service.publisher import Publisher


log = logging.getLogger(__name__)
TICK_SECONDS = 30
SEND_SECONDS = 15
PUBLISH_SECONDS = 30
FORUM_SECONDS = 15
CERTIFICATE_SECONDS = 600
LONGEST_PAUSE = 300.0  # the maximum number of seconds between two attempts to reach a server
OTHERS_TAKE_AFTER = 2.0  # seconds
MOST_OF_OTHERS = 10  # after this many mails of other homes, check for our own mail


@dataclass(frozen=True, slots=True)
class PollResult:
    messages: int = 0
    shunted: int = 0


def _nothing() -> None:
    return None


def poll(
    moderator: Moderator,
    mailbox: Mailbox,
    clock: Callable[[], datetime] = utc_now,
    after_each: Callable[[], None] = _nothing,
) -> PollResult:
    """Fetch and process new mail. A message leaves the inbox only after its effects have been committed.

    Raise MailboxUnavailable if the server cannot be reached, and DatabaseUnavailable if nothing can be written. In both
    cases the messages stay in the inbox until the next time, and so does a message that must wait. While another
    process polls, do nothing, because two processes might take the mails of one player in the wrong order.
    ``after_each`` is called after each message.
    """
    try:
        with only_one(moderator.engine, "reading mail"):
            if not _took_what_waits(moderator, clock):
                return PollResult()
            return _poll(moderator, mailbox, clock, after_each)
    except AlreadyRunning:
        return PollResult()


def _took_what_waits(moderator: Moderator, clock: Callable[[], datetime]) -> bool:
    """Process the mail that workers stored before they died, since it is older than any mail in the mailbox. Return
    False while another process holds some of it."""
    with reading(moderator.engine) as conn:
        if not installation.count_waiting_mail(conn):
            return True
    handling = WaitingMail(moderator, ProcessLocks(moderator.engine, "mentat"), clock)
    with closing(handling):
        while handling.take_one():
            pass
    with reading(moderator.engine) as conn:
        return not installation.count_waiting_mail(conn)


def _poll(
    moderator: Moderator, mailbox: Mailbox, clock: Callable[[], datetime], after_each: Callable[[], None]
) -> PollResult:
    messages = shunted = 0
    remember_stuck_mail(moderator, mailbox, clock)
    for fetched in _fetched(moderator, mailbox, clock):
        if fetched.raw is None:
            verdict = moderator.receive(fetched.head, fetched.key, clock(), too_large=fetched.size)
        else:
            verdict = moderator.receive(fetched.raw, fetched.key, clock())
        told = about(f"message.{verdict.disposition}", game=verdict.game_id, message_key=fetched.key)
        log.info("%s: %s (%s)", fetched.key, verdict.disposition, verdict.reason, extra=told)
        after_each()
        if verdict.disposition == "waiting":
            continue
        put_away(mailbox, fetched.key, verdict)
        shunted += verdict.shunt
        messages += 1
    return PollResult(messages, shunted)


def put_away(mailbox: Mailbox, key: str, verdict: MailOutcome | installation.SettledMail) -> None:
    if verdict.disposition == "duplicate" and isinstance(mailbox, Inbox):
        mailbox.note_return(key)
    if verdict.shunt:
        mailbox.shunt(key, verdict.reason)
    else:
        mailbox.done(key)


def remember_stuck_mail(moderator: Moderator, mailbox: Mailbox, clock: Callable[[], datetime]) -> None:
    if isinstance(mailbox, Inbox):
        mailbox.stuck = outage.RememberedMail(moderator.open_games, moderator.intake.possible_games, clock)


def _fetched(moderator: Moderator, mailbox: Mailbox, clock: Callable[[], datetime]) -> Iterator[FetchedMail]:
    """Yield new mail, and record whether the mailbox can be read. Lost time is given back before the first message."""
    try:
        new = iter(mailbox.fetch_new())
        first = next(new, None)
        outage.note_mailbox_success(moderator.open_games, clock())
        if first is not None:
            yield first
            yield from new
        outage.start_clocks_if_read(moderator.open_games, clock())
    except MailboxUnavailable:
        outage.note_mailbox_failure(moderator.open_games, clock())
        raise


def send(outbox: Outbox, transport: Transport, now: datetime) -> SendResult:
    """Send the letters that are due. If the database is a file, only one process sends at a time; with a server,
    several share the work."""
    with outbox.at_work() as alone:
        if not alone:
            return SendResult()
        outbox.end_claims_of_the_dead(now)
        return outbox.send(transport, now)


def look_after_forums(watch: Watch, engine: Engine, now: datetime) -> None:
    try:
        with only_one(engine, "looking after forums"):
            watch.look(now)
    except AlreadyRunning:
        pass


@contextlib.contextmanager
def logging_failure(told: str, event: str, outage: DatabaseOutage) -> Iterator[None]:
    try:
        yield
    except DamagedDatabase:
        raise
    except DatabaseUnavailable as problem:
        outage.met(problem)
    except Exception:
        log.exception("%s", told, extra=about(event))


class Service:
    """`mentat run`. ``stop`` may be called from a signal handler or another thread. ``clock`` returns the present time.
    If it is not the machine's own clock, it was set on purpose, so its jumps are not reported."""

    def __init__(
        self, moderator: Moderator, mailbox: Mailbox, transport: Transport, clock: Callable[[], datetime] = utc_now
    ) -> None:
        self.moderator = moderator
        self._mailbox = mailbox
        self._transport = transport
        self._outbox = Outbox(moderator.open_games)
        self._stopping = threading.Event()
        self._damage: DamagedDatabase | None = None
        self._outage = DatabaseOutage()
        self._sending = threading.Lock()
        self._clock = clock
        self._wall_clock = WallClock() if clock is utc_now else None
        self._mail_is_read = False
        self._false_hints = 0
        self._publisher = publisher_of(moderator)
        self._watch = watch_of(moderator)
        self._liveness = Liveness(patience_with(moderator.settings.mailbox.timeout_seconds))
        self._certificates = Certificates(moderator.settings, moderator.engine)

    def run(self) -> None:
        """Work until ``stop`` is called. Call this method in the main thread: mail is read there, because only in the
        main thread can Python interrupt the reading of a message that takes too long (``bot.mail.disposition``)."""
        scheduler = BackgroundScheduler(
            timezone="UTC", job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
        )
        scheduler.add_job(self.tick, "interval", seconds=TICK_SECONDS)
        scheduler.add_job(self.send, "interval", seconds=SEND_SECONDS)
        often = min(LOOP_BEATS.total_seconds(), (watchdog_seconds() or math.inf) / 3)
        scheduler.add_job(self.see_that_it_turns, "interval", seconds=often)
        if self._publisher:
            scheduler.add_job(self.publish, "interval", seconds=PUBLISH_SECONDS)
        if self._watch:
            scheduler.add_job(self.look_after_forums, "interval", seconds=FORUM_SECONDS)
        scheduler.add_job(self.look_at_certificates, "interval", seconds=CERTIFICATE_SECONDS)
        self.see_that_it_turns()
        scheduler.start()
        try:
            self.send()
            tell_systemd("READY=1", "STATUS=at work")
            pause = 0.0
            while not self._stopping.is_set():
                pause = self._poll(pause)
                if pause:
                    self._liveness.turned(rest=pause)
                    self._stopping.wait(pause)
        finally:
            scheduler.shutdown(wait=True)
            self.send()
            self._mailbox.close()
            self._transport.close()
        if self._damage:
            raise self._damage

    @contextlib.contextmanager
    def _going_on(self, told: str, event: str) -> Iterator[None]:
        try:
            with logging_failure(told, event, self._outage):
                yield
        except DamagedDatabase as damage:
            self._damage = damage
            self.stop()

    def stop(self, _signal: int = 0, _frame: FrameType | None = None) -> None:
        self._stopping.set()
        tell_systemd("STOPPING=1", "STATUS=finishing the message in hand")
        if self._publisher:
            self._publisher.stop()
        self._mailbox.close()

    def stop_on_signals(self) -> None:
        signal.signal(signal.SIGTERM, self.stop)
        signal.signal(signal.SIGINT, self.stop)

    def tick(self) -> None:
        """Apply the defaults of passed deadlines and send reminders, after reading the mail that came before them."""
        with self._going_on("the deadlines could not be processed; Mentat will try again", "clock.failed"):
            now = self._clock()
            if self._wall_clock and (jumped := self._wall_clock.jumped(now)):
                log.error(
                    "the clock jumped by %.0f seconds; no deadline passes until the mailbox has been read",
                    jumped,
                    extra=about("clock.jumped"),
                )
                self._mail_is_read = False
                with writing(self.moderator.engine) as conn:
                    notices.tell_clock_jump(self.moderator.writer(conn, now), jumped)
            outage.note_service_beat(self.moderator.open_games, now)
            if self._mail_is_read:
                self.moderator.timekeeper.tick_now(now)

    def see_that_it_turns(self) -> None:
        tell_whether_it_turns(self._liveness, self.moderator.engine, self._clock(), self._outage)

    def look_at_certificates(self) -> None:
        with self._going_on("the certificates could not be checked", "certificate.failed"):
            self._certificates.look(self._clock())

    def send(self) -> None:
        with self._going_on("the outbox could not be sent; Mentat will try again", "outbox.failed"), self._sending:
            send(self._outbox, self._transport, self._clock())

    def publish(self) -> None:
        with self._going_on("the archive could not be built; Mentat will try again", "archive.failed"):
            if self._publisher:
                self._publisher.look(self._clock())

    def look_after_forums(self) -> None:
        with self._going_on("the forums could not be processed; Mentat will try again", "forum.failed"):
            if self._watch:
                look_after_forums(self._watch, self.moderator.engine, self._clock())

    def _poll(self, last_pause: float) -> float:
        pause = min(max(2 * last_pause, 1.0), LONGEST_PAUSE)
        self._liveness.turned()
        try:
            outage.note_service_beat(
                self.moderator.open_games, self._clock()
            )  # this comes first: a mailbox that can be read is a sign of life
            polled = poll(self.moderator, self._mailbox, self._clock, self._liveness.turned)
            self._liveness.turned()
            if not self._mail_is_read:
                self._mail_is_read = True
                self.tick()
            if polled.messages:
                self._false_hints = 0
                self.send()
            if not self._stopping.is_set():
                self._rest(self.moderator.settings.mailbox.poll_seconds)
        except MailboxUnavailable as problem:
            log.error("%s. Trying again in %.0f seconds.", problem, pause, extra=about("mailbox.unavailable"))
            return pause
        except DamagedDatabase:
            raise
        except DatabaseUnavailable as problem:
            self._outage.met(problem)
            return pause
        except Exception:  # a fault in Mentat: the service does its other work, and tries again
            log.exception(
                "the mailbox could not be read; trying again in %.0f seconds", pause, extra=about("mailbox.failed")
            )
            return pause
        return 0.0

    def _rest(self, seconds: float) -> None:
        if self._false_hints:  # some servers announce the same mail again and again
            pause = min(2.0 ** min(self._false_hints, 10), seconds)
            self._liveness.turned(rest=pause)
            self._stopping.wait(pause)
        self._liveness.turned(rest=seconds)
        hinted = self._mailbox.wait(seconds)
        self._false_hints = self._false_hints + 1 if hinted else 0


def watch_of(moderator: Moderator) -> Watch | None:
    if not moderator.settings.forums:
        return None
    from bot.forum.watch import watch_forums

    return watch_forums(moderator, partial(open_transport, moderator.settings))


def publisher_of(moderator: Moderator) -> Publisher | None:
    if moderator.settings.archive.folder is None:
        return None
    # imported only here, because it imports everything that makes pages
    from bot.service.publisher import publisher_for

    return publisher_for(moderator.settings, moderator.engine)


class WaitingMail:
    """Processes the mail that waits in the inbox. Use it in the main thread (``bot.mail.disposition``).

    A process takes the mail of the games whose home it is (``bot.service.presence``). It takes other mail once it has
    seen it waiting for two seconds, because then the home process is busy, frozen or dead. One query for the waiting
    mail serves for many mails, because later mail waits behind them.
    """

    def __init__(
        self,
        moderator: Moderator,
        direct: ProcessLocks,
        clock: Callable[[], datetime],
        is_home: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self._moderator = moderator
        self._engine = moderator.engine
        self._direct = direct
        self._clock = clock
        self._is_home = is_home
        self._next: list[installation.NextMail] = []
        self._seen: dict[int, float] = {}
        self._done = 0
        self.own_waits = False
        """True if a mail for a game whose home is this process waits for other mail to be processed first."""
        self.settled = False
        """True if this process has settled any mail since it last notified the reader of the mailbox."""

    def take_one(self) -> bool:
        """Process the first mail that this process may take and that no other process holds. Return True if there was
        one. Raise DatabaseUnavailable if the mail could not be processed now and still waits."""
        return self._took_next() or (self._looked() and self._took_next())

    def _looked(self) -> bool:
        with reading(self._engine) as conn:
            waiting = installation.waiting_mail(conn)
        now = time.monotonic()
        self._seen = {each.id: self._seen.get(each.id, now) for each in waiting}
        own, others = list[installation.NextMail](), dict[str | None, list[installation.NextMail]]()
        for each in waiting:
            if self._is_home(each.game_id or ""):
                own.append(each)
            elif now - self._seen[each.id] >= OTHERS_TAKE_AFTER:
                others.setdefault(each.game_id, []).append(each)
        self._next = [*own, *itertools.islice(itertools.chain(*others.values()), MOST_OF_OTHERS)]
        self.own_waits = bool(own)
        return bool(self._next)

    def _took_next(self) -> bool:
        while self._next:
            first = self._next.pop(0)
            mail = self._direct.claim_mail(first.id, self._done)
            if mail is None:  # then the mail behind it must not be taken either
                self._next = [
                    each for each in self._next if first.game_id != each.game_id and first.sender != each.sender
                ]
                continue
            self._done, self.settled = mail.id, True
            try:
                self._handle(mail)
            except BaseException:
                with contextlib.suppress(DatabaseUnavailable):  # if the database is gone, so is the lock
                    self._direct.give_back(installation.lock_of_mail(mail.id))
                raise
            return True
        return False

    def close(self) -> None:
        self._direct.close()

    def _handle(self, mail: installation.StoredMail) -> None:
        """Process a mail as if it were still the moment at which it was fetched, however long it has waited."""
        if mail.tries >= installation.MOST_TRIES:
            log.error(
                "%s: %d processes have ended over it; it is put aside",
                mail.key,
                mail.tries,
                extra=about("message.ends-processes", message_key=mail.key),
            )
            self._moderator.give_up(mail, self._clock())
            return
        try:
            verdict = self._moderator.receive(
                mail.raw, mail.key, mail.arrived_at, too_large=mail.too_large, stored=mail
            )
        except BaseException as end:
            if isinstance(end, DatabaseUnavailable | KeyboardInterrupt | SystemExit):
                with contextlib.suppress(DatabaseUnavailable), noting(self._engine) as conn:
                    installation.put_mail_back(conn, mail)
            raise
        told = about(f"message.{verdict.disposition}", game=verdict.game_id, message_key=mail.key)
        log.info("%s: %s (%s)", mail.key, verdict.disposition, verdict.reason, extra=told)


CERTIFICATE_INTERVAL = timedelta(days=1)


class Certificates:
    def __init__(self, settings: Settings, engine: Engine) -> None:
        self._settings = settings
        self._engine = engine
        self._looked: datetime | None = None

    def look(self, now: datetime) -> None:
        """Ask both servers, once a day, when their certificates expire. If a server does not respond, keep the date
        that was last known."""
        if self._looked and timedelta() <= now - self._looked < CERTIFICATE_INTERVAL:
            return
        self._looked = now
        for section, ends in self._ends().items():
            with noting(self._engine) as conn:
                installation.set_measurement(conn, "certificate", section, ends)

    def _ends(self) -> dict[str, float]:
        found = {}
        servers: list[tuple[str, MailProtocol, ImapServer | SmtpServer]] = []
        if self._settings.mailbox.kind == "imap":
            servers.append(("mailbox", "imap", imap_server(self._settings)))
        if self._settings.smtp.kind == "smtp":
            servers.append(("smtp", "smtp", smtp_server(self._settings)))
        for section, protocol, server in servers:
            try:
                at = (server.host, server.port, server.security)
                ends = certificate_ends(*at, server.tls_context, protocol, server.timeout)
            except (OSError, smtplib.SMTPException, imaplib.IMAP4.error) as error:
                log.info(
                    "the certificate of [%s] is not known: %s",
                    section,
                    type(error).__name__,
                    extra=about("certificate.unknown"),
                )
                continue
            if ends is not None:
                found[section] = ends
        return found
