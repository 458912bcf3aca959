"""Reading the mailbox for several processes: what is new is stored for all of them, what is settled is moved away.

One process leads this at a time. A message lies in the mailbox until its verdict is seen, so the process may die
anywhere: what it stored is known by its key, and what it did not is still there.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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

REST_FACTOR = 3.0
"""For how many times as long as the last look took the next one waits: the same process takes mail too."""

LONGEST_PAUSE = 60.0


class Reader:
    """Reads the mailbox, where its process leads that. To be used in the main thread (``bot.mail.watchdog``)."""

    def __init__(
        self, moderator: Moderator, mailbox: Mailbox, direct: Direct, name: str,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:  # fmt: skip
        self._moderator = moderator
        self._engine = moderator.engine
        self._mailbox = mailbox
        self._lead = Lead(direct, READING, name)
        self._clock = clock
        self._stopping = threading.Event()
        self._later: dict[str, datetime] = {}
        self._store_at = 0.0
        self._pause = self._paused_until = 0.0
        self._turned: Callable[[], None] = lambda: None

    def stop(self) -> None:
        """Come to an end after the message in hand."""
        self._stopping.set()
        self._mailbox.close()

    def read(self, turned: Callable[[], None]) -> int | None:
        """Look into the mailbox, unless that failed a moment ago; None where this process does not read it now,
        otherwise what ``look`` returns. ``turned`` is called after each mail."""
        self._turned = turned
        if self._stopping.is_set() or time.monotonic() < self._paused_until:
            return None
        with self._pausing_after_failures():
            found = self.look()
            self._pause = 0.0
            return found if self._lead.number else None
        return None

    def wait(self, seconds: float) -> None:
        """Wait for new mail in the mailbox."""
        with self._pausing_after_failures():
            if self._mailbox.wait(seconds):
                self._store_at = 0.0

    @contextmanager
    def _pausing_after_failures(self) -> Iterator[None]:
        """After a failure of the mailbox, or of ours, leave it alone for a while: the mail that is stored is taken
        meanwhile, and another process may read, since the mailbox may be reached from another machine."""
        try:
            yield
            return
        except DatabaseUnavailable:
            raise
        except MailboxUnavailable as problem:
            if self._stopping.is_set():  # it was closed
                return
            self._begin_pause()
            log.error("%s. Trying again in %.0f seconds.", problem, self._pause, extra=about("mailbox.unavailable"))
        except Exception:  # a fault of ours
            self._begin_pause()
            log.exception("the mailbox could not be read; trying again in %.0f seconds", self._pause,
                          extra=about("mailbox.failed"))  # fmt: skip
        self._lead.give_back()

    def _begin_pause(self) -> None:
        self._pause = min(max(2 * self._pause, 1.0), LONGEST_PAUSE)
        self._paused_until = time.monotonic() + self._pause

    def look(self) -> int:
        """Move away what was dealt with and store what is new, as the leader; how many mails have no verdict yet, or
        are still to be moved away."""
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
                self._turned()
                known.add(fetched.key)
        except MailboxUnavailable:
            if not self._stopping.is_set():
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
        moved = list[int]()
        try:
            for each in settled:
                if each.disposition == "waiting":
                    pause = timedelta(seconds=self._moderator.settings.mailbox.poll_seconds)
                    self._later[each.key] = self._clock() + pause
                elif each.shunt:
                    self._mailbox.shunt(each.key, each.reason)
                else:
                    self._mailbox.done(each.key)
                moved.append(each.id)
                self._turned()
        finally:
            if moved:  # a process that dies before this moves them again, which is no error
                with writing_no_game(self._engine) as conn:
                    inbox.drop(conn, moved)
