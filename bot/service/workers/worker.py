"""A worker, one of several processes on a server: it takes mail, sends letters, and does what one process does at a
time where nobody else does it just now.

The mailbox is read and mail is taken in the main thread, as only there the reading of one message can be ended
(``bot.mail.watchdog``). Letters have a thread of their own; so have the clock, the archive and the forums. One process
leads each of these (``Lead``). Where that one dies or freezes, another takes the lead within seconds, and the first
finds out before it writes again. A process whose main loop is stuck ends itself, since it may hold what others need.

No deadline passes before the mailbox was read once more than when the lead of the clock was taken, so that what came
while nobody was at work counts; nor in a game for which mail waits (``Timekeeper``).
"""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from apscheduler.schedulers.background import BackgroundScheduler

from bot.mail.servers.mailbox import Mailbox
from bot.mail.servers.transport import Transport
from bot.moderator.moderator import Moderator
from bot.monitoring.checks import LOOP_BEATS
from bot.monitoring.logs import about
from bot.post import clock_notices
from bot.service import loop
from bot.service.certificates import Certificates
from bot.service.handling import Handling
from bot.service.liveness import Liveness, patience_with, tell_whether_it_turns
from bot.service.outbox import Outbox
from bot.service.sd_notify import tell_systemd, watchdog_seconds
from bot.service.system_clock import WallClock, utc_now
from bot.service.workers import reader
from bot.service.workers.reader import Reader
from bot.store import heartbeats
from bot.store.database import DatabaseUnavailable, reading, writing
from bot.store.direct import Direct, Lead
from bot.timekeeping import outage

log = logging.getLogger(__name__)
CLOCK, ARCHIVE, FORUMS = "keeping the clock", "publishing", "looking after forums"
LOOK_SECONDS = 2.0
"""How often a worker looks for mail of which no hint came, and for work that nobody leads."""

VERDICT_SECONDS = 1.0
"""How often whoever reads the mailbox looks for verdicts, and for new mail while it takes mail itself."""

NOT_READ_FOR = timedelta(minutes=2)
"""After so long without a look into the mailbox it is taken to be away."""

STUCK_SECONDS = 105.0
"""A main loop that is so late ends its process: three minutes after it last turned, or more with a slow mail server."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """What time it is in the ``games``, for ``mail`` that comes in, and for ``letters`` that go out. What shows whether
    processes live goes by the clock of the machine."""

    games: Callable[[], datetime] = utc_now
    mail: Callable[[], datetime] = utc_now
    letters: Callable[[], datetime] = utc_now


OF_THE_MACHINE = Clocks()


class Worker:
    """One worker. ``stop`` may be called from a signal handler or another thread."""

    def __init__(
        self, moderator: Moderator, mailbox: Mailbox, transport: Transport, name: str, clocks: Clocks = OF_THE_MACHINE
    ) -> None:
        self.moderator = moderator
        self._engine = moderator.engine
        self._mailbox = mailbox
        self._transport = transport
        self._clock = clocks.games
        self._sends_by = clocks.letters
        self._stopping = threading.Event()
        self._letters = threading.Event()
        self._hints = Direct(self._engine, name)
        self._locks = Direct(self._engine, name)
        self._reader = Reader(moderator, mailbox, self._hints, name, clocks.mail)
        self._handling = Handling(moderator, self._hints, self._clock)
        self._outbox = Outbox(moderator.open_games)
        self._leads = {work: Lead(self._locks, work, name) for work in (CLOCK, ARCHIVE, FORUMS)}
        self._wall_clock = WallClock() if self._clock is utc_now else None
        self._read_since: datetime | None = None
        self._ticked = -math.inf
        self._liveness = Liveness(patience_with(moderator.settings.mailbox.timeout_seconds))
        self._publisher = loop.publisher_of(moderator)
        self._certificates = Certificates(moderator.settings, moderator.engine)
        self._watch = loop.watch_of(moderator)

    def run(self) -> None:
        """Work until ``stop``. To be called in the main thread."""
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
        """Finish what is in hand and come to an end."""
        self._stopping.set()
        self._letters.set()
        tell_systemd("STOPPING=1", "STATUS=finishing what is in hand")
        if self._publisher:
            self._publisher.stop()
        self._reader.stop()

    def see_that_it_turns(self) -> None:
        """If the main loop turns, tell systemd and write its heartbeat; end the process where it has not for long. Look
        twice: a process that was frozen seems to be stuck until its loop turns again."""
        seemed_stuck = self._liveness.told_stuck
        tell_whether_it_turns(self._liveness, self._engine, self._clock())
        if seemed_stuck and self._liveness.late() > STUCK_SECONDS:
            log.critical("the main loop is stuck; this process ends, so that others go on with what it holds",
                         extra=about("loop.stuck"))  # fmt: skip
            _end_at_once()

    def take_mail(self) -> int:
        """Take what waits, until nothing does; how many mails."""
        taken = 0
        while not self._stopping.is_set() and self._take_one():
            taken += 1
        return taken

    def send(self) -> None:
        """What waits in the outbox."""
        try:
            loop.send(self._outbox, self._transport, self._sends_by())
        except DatabaseUnavailable as problem:
            log.error("%s", problem, extra=about("database.unavailable"))
        except Exception:
            log.exception("the outbox could not be sent; it is tried again", extra=about("outbox.failed"))

    def tick(self) -> None:
        """Deadlines and reminders that are due, where this process leads the clock."""
        self._led(CLOCK, self._tick, "the deadlines could not be looked after; they are tried again")

    def publish(self) -> None:
        """The archive's folder, where this process leads it."""
        if publisher := self._publisher:
            self._led(ARCHIVE, lambda: publisher.look(self._clock()), "the archive could not be built")

    def look_after_forums(self) -> None:
        """The forums, where this process leads them."""
        if watch := self._watch:
            self._led(FORUMS, lambda: watch.look(self._clock()), "the forums could not be looked after")

    def look_at_certificates(self) -> None:
        """Until when the certificates of the mail servers are valid, where this process leads the clock."""
        try:
            if self._leads[CLOCK].number:
                self._certificates.look(self._clock())
        except DatabaseUnavailable as problem:
            log.error("%s", problem, extra=about("database.unavailable"))
        except Exception:
            log.exception("the certificates could not be looked at", extra=about("certificate.failed"))

    def _work(self) -> None:
        """Read the mailbox, where this process leads that, and take mail, one after the other."""
        left, looked, idle = None, -math.inf, True
        while not self._stopping.is_set():
            self._liveness.turned()
            try:
                if idle or time.monotonic() - looked >= VERDICT_SECONDS:
                    left = self._reader.read(self._liveness.turned)
                    looked = time.monotonic()
                idle = not self._take_one()
                if idle and not self._stopping.is_set():
                    self._rest(left)
            except DatabaseUnavailable as problem:
                log.error("%s The mail waits.", problem, extra=about("database.unavailable"))
                self._stopping.wait(1.0)
            except Exception:  # a fault of ours
                log.exception("mail could not be taken; it is tried again", extra=about("mailbox.failed"))
                self._stopping.wait(LOOK_SECONDS)

    def _take_one(self) -> bool:
        """Take the next mail; whether there was one."""
        if not self._handling.take_one():
            return False
        self._letters.set()
        self._liveness.turned()
        return True

    def _rest(self, left: int | None) -> None:
        """Wait for new mail in the mailbox, if this process reads it and all mail there was dealt with (``left``);
        otherwise for a hint."""
        if left == 0:
            seconds = min(self.moderator.settings.mailbox.poll_seconds, reader.LOOK_SECONDS)
            self._liveness.turned(rest=seconds)
            self._reader.wait(seconds)
        else:
            self._hints.wait(LOOK_SECONDS if left is None else VERDICT_SECONDS)

    def _send_again_and_again(self) -> None:
        while not self._stopping.is_set():
            self.send()
            self._letters.wait(loop.SEND_SECONDS)
            self._letters.clear()
        self.send()

    def _led(self, work: str, do: Callable[[], object], failed: str) -> None:
        lead = self._leads[work]
        try:
            before = lead.number
            if not lead.taken(self._clock()):
                return
            if work == CLOCK and lead.number != before:
                self._read_since, self._ticked = self._clock(), -math.inf
            with lead.fenced():
                do()
        except DatabaseUnavailable as problem:
            log.error("%s", problem, extra=about("database.unavailable"))
        except Exception:
            log.exception("%s", failed, extra=about("work.failed"))

    def _tick(self) -> None:
        if time.monotonic() - self._ticked < loop.TICK_SECONDS:
            return
        now = self._clock()
        if self._wall_clock and (jumped := self._wall_clock.jumped(now)):
            log.error("the clock jumped by %.0f seconds; no deadline passes until the mailbox was read", jumped,
                      extra=about("clock.jumped"))  # fmt: skip
            self._read_since = now
            with writing(self._engine) as conn:
                clock_notices.tell_jump(conn, self.moderator.writer, jumped, now)
        outage.service_beats(self.moderator.open_games, now)
        if self._mail_is_read(now):
            self.moderator.timekeeper.tick_now(now)
            self._ticked = time.monotonic()

    def _mail_is_read(self, now: datetime) -> bool:
        """Whether the mailbox was read to its end since deadlines began to wait for that. Where no process reads it,
        its heartbeat is noted as failing."""
        with reading(self._engine) as conn:
            last = heartbeats.heartbeat(conn, "inbox")
        since = self._read_since or now
        read_at = last.at if last and last.at < now + NOT_READ_FOR else None  # later than now: the clock was set back
        if read_at is not None and read_at >= since and now - read_at < NOT_READ_FOR:
            return True
        if now - max(since, read_at or since) > NOT_READ_FOR:
            outage.mailbox_fails(self.moderator.open_games, now)
        return False


def _end_at_once() -> None:
    """End this process from any thread, as the main thread does not answer."""
    os._exit(1)
