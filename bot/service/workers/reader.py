"""The reader of the mailbox: stores what comes in for the workers, and moves away what they have dealt with.

One reader leads at a time; the others wait to take over. A message lies in the mailbox until its verdict is seen, so a
reader may die anywhere: what it stored is known by its key, and what it did not is still there.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from bot.mail.servers.mailbox import Fetched, Mailbox, MailboxUnavailable
from bot.moderator.moderator import Moderator
from bot.monitoring.logs import about
from bot.service.system_clock import utc_now
from bot.store import heartbeats, inbox
from bot.store.database import DatabaseUnavailable, reading, writing_no_game
from bot.store.direct import Direct, Lead
from bot.timekeeping import outage

log = logging.getLogger(__name__)
READING = "reading mail"
MOST_STORED = 500
"""So much mail waits for workers at most; the rest waits in the mailbox."""

LOOK_SECONDS = 10.0
"""How often the mailbox is looked at at the least, as no deadline passes before that (``worker``)."""

STORE_SECONDS = 1.0
"""How often at the most: what waits for its verdict lies in the mailbox still and is fetched again."""

VERDICT_SECONDS = 1.0
TAKE_OVER_SECONDS = 1.0
LONGEST_PAUSE = 60.0


class Reader:
    """Reads the mailbox, or waits until it may. To be used in the main thread (``bot.mail.watchdog``)."""

    def __init__(
        self, moderator: Moderator, mailbox: Mailbox, direct: Direct, name: str,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:  # fmt: skip
        self._moderator = moderator
        self._engine = moderator.engine
        self._mailbox = mailbox
        self._direct = direct
        self._lead = Lead(direct, READING, name)
        self._clock = clock
        self._stopping = threading.Event()
        self._later: dict[str, datetime] = {}
        self._stored = -STORE_SECONDS
        self._say_so: Callable[[], None] = lambda: None

    def run(self, turned: Callable[[], None] = lambda: None) -> None:
        """Work until ``stop``; ``turned`` is called with each turn of the main loop."""
        pause = 0.0
        self._say_so = turned
        while not self._stopping.is_set():
            turned()
            try:
                if not self._lead.taken(self._clock()):
                    self._stopping.wait(TAKE_OVER_SECONDS)
                    continue
                waiting = self.look()
                pause = 0.0
                self._wait(waiting)
            except MailboxUnavailable as problem:
                pause = min(max(2 * pause, 1.0), LONGEST_PAUSE)
                log.error("%s. Trying again in %.0f seconds.", problem, pause, extra=about("mailbox.unavailable"))
                self._let_another_try()
                self._stopping.wait(pause)
            except DatabaseUnavailable as problem:
                log.error("%s The mail stays in the mailbox.", problem, extra=about("database.unavailable"))
                self._stopping.wait(1.0)
            except Exception:  # a fault of ours
                pause = min(max(2 * pause, 1.0), LONGEST_PAUSE)
                log.exception("the mailbox could not be read; trying again in %.0f seconds", pause,
                              extra=about("mailbox.failed"))  # fmt: skip
                self._stopping.wait(pause)

    def stop(self) -> None:
        """Come to an end after the message in hand."""
        self._stopping.set()
        self._mailbox.close()

    def look(self) -> int:
        """Move away what was dealt with and store what is new, as the leader; how many mails have no verdict yet, or
        are still to be moved away."""
        if not self._lead.taken(self._clock()):
            return 0
        with self._lead.fenced():
            self._move_away()
            if time.monotonic() - self._stored >= STORE_SECONDS:
                self._store_new()
                self._stored = time.monotonic()
        with reading(self._engine) as conn:
            return len(inbox.keys(conn))

    def _store_new(self) -> None:
        with reading(self._engine) as conn:
            known = inbox.keys(conn)
        try:
            for place, fetched in enumerate(self._mailbox.fetch_new()):
                if place == 0:  # lost time is given back before the first message is read
                    outage.mailbox_works(self._moderator.open_games, self._clock())
                if fetched.key in known or self._waits(fetched.key):
                    continue
                if self._stopping.is_set() or len(known) >= MOST_STORED:
                    return
                self._store(fetched)
                self._say_so()
                known.add(fetched.key)
        except MailboxUnavailable:
            outage.mailbox_fails(self._moderator.open_games, self._clock())
            raise
        outage.mailbox_works(self._moderator.open_games, self._clock())
        with writing_no_game(self._engine) as conn:
            heartbeats.beat(conn, "inbox", self._clock())

    def _store(self, fetched: Fetched) -> None:
        too_large = fetched.size if fetched.raw is None else 0
        raw = fetched.head if fetched.raw is None else fetched.raw
        now = self._clock()
        sender, game_id = self._moderator.intake.for_whom(raw, now, too_large)
        mail = inbox.Stored(fetched.key, raw, too_large, sender, game_id, now)
        with writing_no_game(self._engine) as conn:
            inbox.store(conn, mail)

    def _waits(self, key: str) -> bool:
        """Whether a message that could not be taken yet is not due to be stored again."""
        due = self._later.get(key)
        return due is not None and self._clock() < due

    def _move_away(self) -> None:
        with reading(self._engine) as conn:
            settled = inbox.settled(conn)
        self._later = {key: due for key, due in self._later.items() if due > self._clock()}
        for each in settled:
            if each.disposition == "waiting":
                self._later[each.key] = self._clock() + timedelta(seconds=self._moderator.settings.mailbox.poll_seconds)
            elif each.shunt:
                self._mailbox.shunt(each.key, each.reason)
            else:
                self._mailbox.done(each.key)
            with writing_no_game(self._engine) as conn:
                inbox.drop(conn, [each.id])

    def _wait(self, waiting: int) -> None:
        """Wait for mail, or for verdicts where some are due."""
        if self._stopping.is_set():
            return
        if waiting:
            self._direct.wait(VERDICT_SECONDS)
        else:
            self._mailbox.wait(min(self._moderator.settings.mailbox.poll_seconds, LOOK_SECONDS))

    def _let_another_try(self) -> None:
        """From another machine the mailbox may be reached."""
        try:
            self._lead.give_back()
        except DatabaseUnavailable as problem:
            log.error("%s", problem, extra=about("database.unavailable"))
