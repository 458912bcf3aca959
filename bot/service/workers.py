"""Several processes on one database share the mail, the letters, and the kinds of work that only one process at a time
may do.

Only the database knows which process does what (``bot.store.installation``). The clock, the archive, the forums and the
reading of the mailbox are each led by one process (``Lead``). If that process dies or freezes, another takes the lead
within seconds, and the first finds this out before it writes again.

*Processing mail.* Mail is processed in the main thread, because only there can Python interrupt the reading of a
message that takes too long (``bot.mail.disposition``). Letters, the clock, the archive and the forums have their own
threads. A process that takes the lead of the clock lets no deadline pass before the mailbox has been read once more, so
mail that came while no process was at work still counts. No deadline passes in a game for which mail waits
(``Timekeeper``).

*Reading the mailbox.* New mail is stored for all processes, and settled mail is moved away. A message stays in the
mailbox until it has been processed, so the reading process may die at any point: what it stored is recognised by its
key, and what it did not store is still there.
"""

from __future__ import annotations

import logging
import math
import os
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import FrameType

from apscheduler.schedulers.background import BackgroundScheduler

from bot.games import notices
from bot.mail.mailbox import FetchedMail, Mailbox, MailboxUnavailable
from bot.mail.transport import Transport
from bot.moderator import outage
from bot.moderator.moderator import Moderator
from bot.monitoring.checks import LOOP_BEATS
from bot.monitoring.logs import about
from bot.service import loop
from bot.service.loop import Certificates, WaitingMail, logging_failure, put_away, remember_stuck_mail
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
from bot.service.mail_servers import open_mailbox, open_transport
from bot.service.outbox import Outbox
from bot.service.presence import MayNotWork as MayNotWork
from bot.service.presence import Present, refuse_other_rules
from bot.store import installation
from bot.store.database import DatabaseUnavailable, Engine, noting, reading, refuse_if_read_only, writing
from bot.store.installation import Lead, ProcessLocks

CLOCK, ARCHIVE, FORUMS = "keeping the clock", "publishing", "looking after forums"
LOOK_SECONDS = 2.0
"""The interval, in seconds, at which a worker looks for mail that was not announced to it, and for work without a
leader."""

VERDICT_SECONDS = 1.0
"""The interval, in seconds, at which the reader of the mailbox looks for mail that has been processed and, while it
processes mail itself, for new mail."""

OWN_WAITS_SECONDS = 0.25
"""The time for which a worker waits for other mail to be settled if its own mail must wait for it."""

NOT_READ_FOR = timedelta(minutes=2)
"""A mailbox that has not been read for this long counts as unavailable."""

STUCK_SECONDS = 105.0
"""A process whose main loop is this late is ended. That is three minutes after the loop last turned, or more if the
mail server is slow."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """The clocks of a process: for the ``games``, for incoming ``mail`` and for outgoing ``letters``. The signs of life
    of processes always use the machine's clock."""

    games: Callable[[], datetime] = utc_now
    mail: Callable[[], datetime] = utc_now
    letters: Callable[[], datetime] = utc_now


OF_THE_MACHINE = Clocks()


class Worker:
    """One worker process. ``stop`` may be called from a signal handler or another thread."""

    def __init__(
        self,
        moderator: Moderator,
        mailbox: Mailbox,
        transport: Transport,
        name: str,
        clocks: Clocks = OF_THE_MACHINE,
        is_home: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self.moderator = moderator
        self._engine = moderator.engine
        self._mailbox = mailbox
        self._transport = transport
        self._clock = clocks.games
        self._sends_by = clocks.letters
        self._stopping = threading.Event()
        self._letters = threading.Event()
        self._hints = ProcessLocks(self._engine, name)
        self._locks = ProcessLocks(self._engine, name)
        self._reader = Reader(moderator, mailbox, self._hints, name, clocks.mail)
        self._is_home = is_home
        self._handling = WaitingMail(moderator, self._hints, self._clock, is_home)
        self._outbox = Outbox(moderator.open_games, self._locks)
        self._leads = {work: Lead(self._locks, work, name) for work in (CLOCK, ARCHIVE, FORUMS)}
        self._wall_clock = WallClock() if self._clock is utc_now else None
        self._read_since: datetime | None = None
        self._ticked = -math.inf
        self._liveness = Liveness(patience_with(moderator.settings.mailbox.timeout_seconds))
        self._outage = DatabaseOutage()
        self._publisher = loop.publisher_of(moderator)
        self._certificates = Certificates(moderator.settings, moderator.engine)
        self._watch = loop.watch_of(moderator)

    def run(self) -> None:
        scheduler = BackgroundScheduler(
            timezone="UTC", job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
        )
        scheduler.add_job(self.tick, "interval", seconds=LOOK_SECONDS)
        if self._publisher:
            scheduler.add_job(self.publish, "interval", seconds=loop.PUBLISH_SECONDS)
        if self._watch:
            scheduler.add_job(self.look_after_forums, "interval", seconds=loop.FORUM_SECONDS)
        scheduler.add_job(self.look_at_certificates, "interval", seconds=loop.CERTIFICATE_SECONDS)
        often = min(LOOP_BEATS.total_seconds(), (watchdog_seconds() or math.inf) / 3)
        scheduler.add_job(self.see_that_it_turns, "interval", seconds=often)
        self.see_that_it_turns()
        scheduler.start()
        sender = threading.Thread(target=self._send_again_and_again, name="sender")
        sender.start()
        tell_systemd("READY=1", "STATUS=at work")
        try:
            self._work()
        finally:
            self._stopping.set()
            self._letters.set()
            scheduler.shutdown(wait=True)
            sender.join()
            self._mailbox.close()
            self._transport.close()
            self._hints.close()
            self._locks.close()

    def stop(self) -> None:
        self._stopping.set()
        self._letters.set()
        tell_systemd("STOPPING=1", "STATUS=finishing what is in hand")
        if self._publisher:
            self._publisher.stop()
        self._reader.stop()

    def see_that_it_turns(self) -> None:
        """If the main loop is running, tell systemd and write the heartbeat. If it has been stuck for long, end the
        process. This takes two checks, because a process that was frozen seems stuck at first."""
        seemed_stuck = self._liveness.told_stuck
        tell_whether_it_turns(self._liveness, self._engine, self._clock(), self._outage)
        if seemed_stuck and self._liveness.late() > STUCK_SECONDS:
            log.critical(
                "the main loop is stuck; this process ends, so that others can take over its work",
                extra=about("loop.stuck"),
            )
            _end_at_once()

    def take_mail(self) -> int:
        taken = 0
        while not self._stopping.is_set() and self._take_one():
            taken += 1
        return taken

    def send(self) -> None:
        with logging_failure("the outbox could not be sent; Mentat will try again", "outbox.failed", self._outage):
            loop.send(self._outbox, self._transport, self._sends_by())

    def tick(self) -> None:
        self._led(CLOCK, self._tick, "the deadlines could not be processed; Mentat will try again")

    def publish(self) -> None:
        if publisher := self._publisher:
            self._led(ARCHIVE, lambda: publisher.look(self._clock()), "the archive could not be built")

    def look_after_forums(self) -> None:
        if watch := self._watch:
            self._led(FORUMS, lambda: watch.look(self._clock()), "the forums could not be processed")

    def look_at_certificates(self) -> None:
        with logging_failure("the certificates could not be checked", "certificate.failed", self._outage):
            if self._leads[CLOCK].number:
                self._certificates.look(self._clock())

    def _work(self) -> None:
        left, looked, idle = None, -math.inf, True
        while not self._stopping.is_set():
            self._liveness.turned()
            try:
                often = LOOK_SECONDS if left is None else 0 if idle else VERDICT_SECONDS
                if time.monotonic() - looked >= often:
                    left = self._reader.read(self._liveness.turned)
                    looked = time.monotonic()
                idle = not self._take_one()
                if idle and not self._stopping.is_set():
                    self._rest(left)
            except DatabaseUnavailable as problem:
                self._outage.met(problem)
                self._stopping.wait(1.0)
            except Exception:  # a fault of ours
                log.exception("mail could not be processed; Mentat will try again", extra=about("mailbox.failed"))
                self._stopping.wait(LOOK_SECONDS)

    def _take_one(self) -> bool:
        if not self._handling.take_one():
            return False
        self._letters.set()
        self._liveness.turned()
        return True

    def _rest(self, left: int | None) -> None:
        """Have settled mail moved away, then wait for new mail. If all mail is settled (``left``), a process that reads
        the mailbox waits for mail there. Otherwise it waits for a hint that there is mail for a game whose home it
        is."""
        if self._handling.settled:
            self._handling.settled = False
            if left is not None:
                return
            self._hints.call_out(installation.READER)
        if left == 0:
            seconds = min(self.moderator.settings.mailbox.poll_seconds, MAILBOX_LOOK_SECONDS)
            self._liveness.turned(rest=seconds)
            self._reader.wait(seconds)
        else:
            seconds = LOOK_SECONDS if left is None else VERDICT_SECONDS
            seconds = OWN_WAITS_SECONDS if self._handling.own_waits else seconds
            self._hints.wait(seconds, lambda hint: self._is_for_here(hint, reads=left is not None))

    def _is_for_here(self, hint: str, *, reads: bool) -> bool:
        return hint == installation.EVERYBODY or (reads if hint == installation.READER else self._is_home(hint))

    def _send_again_and_again(self) -> None:
        while not self._stopping.is_set():
            self.send()
            self._letters.wait(loop.SEND_SECONDS)
            self._letters.clear()
        self.send()

    def _led(self, work: str, do: Callable[[], object], failed: str) -> None:
        lead = self._leads[work]
        with logging_failure(failed, "work.failed", self._outage):
            before = lead.number
            if not lead.taken(self._clock()):
                return
            if work == CLOCK and lead.number != before:
                self._read_since, self._ticked = self._clock(), -math.inf
            with lead.fenced():
                do()

    def _tick(self) -> None:
        if time.monotonic() - self._ticked < loop.TICK_SECONDS:
            return
        now = self._clock()
        if self._wall_clock and (jumped := self._wall_clock.jumped(now)):
            log.error(
                "the clock jumped by %.0f seconds; no deadline passes until the mailbox has been read",
                jumped,
                extra=about("clock.jumped"),
            )
            self._read_since = now
            with writing(self._engine) as conn:
                notices.tell_clock_jump(self.moderator.writer(conn, now), jumped)
        outage.note_service_beat(self.moderator.open_games, now)
        if self._mail_is_read(now):
            self.moderator.timekeeper.tick_now(now)
            self._ticked = time.monotonic()
            self._letters.set()

    def _mail_is_read(self, now: datetime) -> bool:
        """Return True if the mailbox has been read to its end since deadlines began to wait for that. If no process
        reads it, mark its heartbeat as failing."""
        with reading(self._engine) as conn:
            last = installation.heartbeat(conn, "inbox")
        since = self._read_since or now
        # a beat in the future means that the clock was set back
        read_at = last.at if last and last.at < now + NOT_READ_FOR else None
        if read_at is not None and read_at >= since and now - read_at < NOT_READ_FOR:
            return True
        if now - max(since, read_at or since) > NOT_READ_FOR:
            outage.note_mailbox_failure(self.moderator.open_games, now)
        return False


def _end_at_once() -> None:
    os._exit(1)


log = logging.getLogger(__name__)


def new_name() -> str:
    """Give this process a new name, for its log and for the server. By this name, other processes can end its
    connections. Call this function before the database is opened."""
    name = f"worker-{secrets.token_hex(4)}"
    os.environ["PGAPPNAME"] = name
    return name


def may_begin(engine: Engine) -> None:
    """Raise MayNotWork if processes with other rules are at work. Raise DatabaseUnavailable if locks are impossible or
    nothing can be written."""
    with noting(engine) as conn:
        refuse_if_read_only(conn)
    direct = ProcessLocks(engine, "mentat")
    try:
        direct.reach()
        refuse_other_rules(engine, direct)
    finally:
        direct.close()


def work(moderator: Moderator, name: str, clocks: Clocks = OF_THE_MACHINE, transport: Transport | None = None) -> None:
    """Work until SIGTERM or SIGINT arrives. Letters are sent by ``transport`` or, if it is None, as the settings say.
    Raise MayNotWork if this process is not, or no longer, allowed to work on the database."""
    settings = moderator.settings
    present = Present(moderator.engine, name, utc_now, lambda: working.stop())
    sends_by = transport or open_transport(settings)
    working = Worker(moderator, open_mailbox(settings), sends_by, name, clocks, present.is_home)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        working.stop()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    present.begin()
    log.info("%s is at work as process %d", name, os.getpid(), extra=about("worker.started"))
    try:
        working.run()
    finally:
        present.end()
    if present.why_not:
        raise MayNotWork(present.why_not)


READING = "reading mail"
MOST_STORED = 500
"""The maximum number of mails that are stored for workers at a time; the others wait in the mailbox."""

MAILBOX_LOOK_SECONDS = 10.0
"""The longest time between two readings of the mailbox. No deadline passes without a reading before it (``worker``)."""

STORE_SECONDS = 1.0
"""The shortest time between two readings of the mailbox. Mail that has not been processed yet is still in the mailbox,
and is fetched again each time."""

REST_FACTOR = 3.0
"""The next reading waits this many times as long as the last one took, because the same process must also process
mail."""

LONGEST_MAILBOX_PAUSE = 60.0


class Reader:
    """Reads the mailbox while its process leads that work. Use it in the main thread (``bot.mail.disposition``)."""

    def __init__(
        self,
        moderator: Moderator,
        mailbox: Mailbox,
        direct: ProcessLocks,
        name: str,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._moderator = moderator
        self._engine = moderator.engine
        self._mailbox = mailbox
        remember_stuck_mail(moderator, mailbox, clock)
        self._lead = Lead(direct, READING, name)
        self._clock = clock
        self._stopping = threading.Event()
        self._later: dict[str, datetime] = {}
        self._store_at = 0.0
        self._pause = self._paused_until = 0.0
        self._turned: Callable[[], None] = lambda: None

    def stop(self) -> None:
        self._stopping.set()
        self._mailbox.close()

    def read(self, turned: Callable[[], None]) -> int | None:
        """Read the mailbox, unless an attempt failed a moment ago. Return what ``look`` returns, or None if this
        process does not read the mailbox now. ``turned`` is called after each mail."""
        self._turned = turned
        if self._stopping.is_set() or time.monotonic() < self._paused_until:
            return None
        with self._pausing_after_failures():
            found = self.look()
            self._pause = 0.0
            return found if self._lead.number else None
        return None

    def wait(self, seconds: float) -> None:
        with self._pausing_after_failures():
            if self._mailbox.wait(seconds):
                self._store_at = 0.0

    @contextmanager
    def _pausing_after_failures(self) -> Iterator[None]:
        """After a failure, of the mailbox or our own, do not read the mailbox for a while. In the meantime this process
        processes stored mail, and another process, whose machine may still reach the mailbox, may read it."""
        try:
            yield
            return
        except DatabaseUnavailable:
            raise
        except MailboxUnavailable as problem:
            if self._stopping.is_set():  # we closed it ourselves
                return
            self._begin_pause()
            log.error("%s. Trying again in %.0f seconds.", problem, self._pause, extra=about("mailbox.unavailable"))
        except Exception:  # a fault of ours
            self._begin_pause()
            log.exception(
                "the mailbox could not be read; trying again in %.0f seconds",
                self._pause,
                extra=about("mailbox.failed"),
            )
        self._lead.give_back()

    def _begin_pause(self) -> None:
        self._pause = min(max(2 * self._pause, 1.0), LONGEST_MAILBOX_PAUSE)
        self._paused_until = time.monotonic() + self._pause

    def look(self) -> int:
        """As the leader of this work, move settled mail away and store new mail. Return how many mails have not been
        processed yet or must still be moved away."""
        if not self._lead.taken(self._clock()):
            return 0
        with self._lead.fenced():
            self._move_away()
            began = time.monotonic()
            if began >= self._store_at:
                self._store_new()
                ended = time.monotonic()
                self._store_at = ended + max(STORE_SECONDS, REST_FACTOR * (ended - began))
        with reading(self._engine) as conn:
            return installation.count_mail(conn)

    def _store_new(self) -> None:
        with reading(self._engine) as conn:
            known = installation.inbox_keys(conn)
        try:
            for place, fetched in enumerate(self._mailbox.fetch_new()):
                if place == 0:  # give lost time back before the first message is read
                    outage.note_mailbox_success(self._moderator.open_games, self._clock())
                if fetched.key in known or self._waits(fetched.key):
                    continue
                if self._stopping.is_set() or len(known) >= MOST_STORED:
                    return
                self._store(fetched)
                self._turned()
                known.add(fetched.key)
        except MailboxUnavailable:
            if not self._stopping.is_set():
                outage.note_mailbox_failure(self._moderator.open_games, self._clock())
            raise
        outage.note_mailbox_success(self._moderator.open_games, self._clock())
        outage.start_clocks_if_read(self._moderator.open_games, self._clock())
        with noting(self._engine) as conn:
            installation.beat(conn, "inbox", self._clock())

    def _store(self, fetched: FetchedMail) -> None:
        too_large = fetched.size if fetched.raw is None else 0
        raw = fetched.head if fetched.raw is None else fetched.raw
        now = self._clock()
        sender, game_id = self._moderator.intake.for_whom(raw, now, too_large)
        mail = installation.StoredMail(fetched.key, raw, too_large, sender, game_id, now)
        with noting(self._engine) as conn:
            installation.store_mail(conn, mail)

    def _waits(self, key: str) -> bool:
        due = self._later.get(key)
        return due is not None and self._clock() < due

    def _move_away(self) -> None:
        with reading(self._engine) as conn:
            settled = installation.settled_mail(conn)
        self._later = {key: due for key, due in self._later.items() if due > self._clock()}
        moved = list[int]()
        try:
            for each in settled:
                if each.disposition == "waiting":
                    pause = timedelta(seconds=self._moderator.settings.mailbox.poll_seconds)
                    self._later[each.key] = self._clock() + pause
                else:
                    put_away(self._mailbox, each.key, each)
                moved.append(each.id)
                self._turned()
        finally:
            if moved:  # a process that dies before this moves them again, which is no error
                with noting(self._engine) as conn:
                    installation.drop_mail(conn, moved)
