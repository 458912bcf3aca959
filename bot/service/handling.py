"""A worker takes mail: what is next for some game, in the order in which it came, and each in one transaction.

Who has a mail in hand holds its lock, so that two do not read the same one; that it acts once follows from its row,
which is settled in the transaction that acts (``Moderator.receive``).
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from datetime import datetime

from bot.moderator.moderator import Moderator
from bot.monitoring.logs import about
from bot.store import inbox
from bot.store.database import DatabaseUnavailable, reading, writing_no_game
from bot.store.direct import Direct

log = logging.getLogger(__name__)


class Handling:
    """Takes the mail that waits in the inbox. To be used in the main thread (``bot.mail.watchdog``)."""

    def __init__(self, moderator: Moderator, direct: Direct, clock: Callable[[], datetime]) -> None:
        self._moderator = moderator
        self._engine = moderator.engine
        self._direct = direct
        self._clock = clock

    def take_one(self) -> bool:
        """Take the first mail that may be taken and that nobody else has in hand; whether there was one.
        DatabaseUnavailable if it could not be taken now: it waits."""
        with reading(self._engine) as conn:
            free = inbox.takeable(conn)
        for each in free:
            work = f"taking mail {each.id}"
            if not self._direct.take(work):
                continue
            try:
                with writing_no_game(self._engine) as conn:
                    mail = inbox.take(conn, each.id)
                if mail is not None:
                    self._handle(mail)
                    return True
            finally:
                with contextlib.suppress(DatabaseUnavailable):  # then the lock is gone as well
                    self._direct.give_back(work)
        return False

    def close(self) -> None:
        """Let go of what is in hand."""
        self._direct.close()

    def _handle(self, mail: inbox.Stored) -> None:
        """A mail is as old as when it was fetched, however long it waited here."""
        if mail.tries >= inbox.MOST_TRIES:
            log.error("%s: %d processes have ended over it; it is put aside", mail.key, mail.tries,
                      extra=about("message.ends-processes", message_key=mail.key))  # fmt: skip
            self._moderator.give_up(mail, self._clock())
            return
        try:
            verdict = self._moderator.receive(
                mail.raw, mail.key, mail.arrived_at, too_large=mail.too_large, stored=mail
            )
        except BaseException as end:
            if isinstance(end, DatabaseUnavailable | KeyboardInterrupt | SystemExit):
                with contextlib.suppress(DatabaseUnavailable), writing_no_game(self._engine) as conn:
                    inbox.let_go(conn, mail)
            raise
        told = about(f"message.{verdict.disposition}", game=verdict.game_id, message_key=mail.key)
        log.info("%s: %s (%s)", mail.key, verdict.disposition, verdict.reason, extra=told)
