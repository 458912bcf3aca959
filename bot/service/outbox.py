"""Sending the outbox: each letter is claimed, sent, and marked as sent.

The claim is committed before the letter is sent, so nothing is sent while the database cannot be written. Once a server
has accepted a letter, it is marked as sent before the next one is sent, either in the transaction that claims the next
letter or in its own. Until then this process remembers it, even if the database cannot be written. If the process dies
between sending a letter and marking it, nobody knows whether the letter was sent, so it is sent again with the same
Message-ID. A database server that crashes may lose the last marks and claims, because only the last mark of a batch
waits for the disk.

If there are several workers, each holds its own lock as a sender for as long as it lives. It claims the letters that it
writes as it writes them, unless its sending seems to have got stuck.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.games import notices, silent_players
from bot.games.open_games import OpenGames, Session
from bot.mail.transport import SendDeferred, SendRefused, Transport
from bot.monitoring.logs import about
from bot.store import mail
from bot.store.database import backend_of, noting, reading, writing, writing_no_game
from bot.store.installation import AlreadyRunning, ProcessLocks, only_one
from bot.tournament import letters
from bot.wording import say

log = logging.getLogger(__name__)
SERVER_AWAY = 3  # consecutive failures
TAKEN_FOR_DEAD = timedelta(seconds=20)
"""The time for which the claims of a process that seems to be dead are still respected."""

DEAD_INTERVAL = timedelta(seconds=2)
SENDER_HANGS = 30.0
"""If a worker has not begun to send for this many seconds, any process may send the letters that it writes."""

STILL_HELD = 2.0
"""The number of seconds for which this process relies on its last check that it still holds its own lock."""

STILL_OURS = 5.0
"""Sending must begin within this many seconds after a claim. A process that was frozen for longer may by then be
assumed dead by the others."""


@dataclass(frozen=True, slots=True)
class SendResult:
    sent: int = 0
    deferred: int = 0
    refused: int = 0


class Outbox:
    def __init__(self, open_games: OpenGames, locks: ProcessLocks | None = None) -> None:
        self._open_games = open_games
        self._locks = locks
        self.engine = open_games.engine
        self._name = secrets.token_hex(8)  # identifies the sender's claims
        self._claims_as = self._name  # plus the start time of the server, if there is one
        self._not_noted: list[int] = []  # letters that a server has accepted but that are not marked as sent yet
        self._claimed_at = 0.0
        self._held_at = -STILL_HELD
        self._begun: tuple[datetime, float] | None = None
        self._looked: datetime | None = None
        if locks:
            self.engine.update_execution_options(**{mail.CLAIMS_AS: self._claim})

    @contextmanager
    def at_work(self) -> Iterator[bool]:
        """Hold a sender's lock during the block; a lock that the process holds all the time is kept afterwards. Yield
        True if it was free. If the database is a file, there is only one such lock, so one process sends at a time.
        With a server, each process has its own lock, which shows the others whether the process is alive."""
        if self._locks:
            yield self._holds_lock(self._locks)
            return
        work = f"sending as {self._name}" if backend_of(self.engine).several else "sending"
        with ExitStack() as held:
            try:
                held.enter_context(only_one(self.engine, work))
            except AlreadyRunning:
                yield False
                return
            self._name_claims()
            yield True

    def _holds_lock(self, locks: ProcessLocks) -> bool:
        work = f"sending as {self._name}"
        if time.monotonic() - self._held_at < STILL_HELD:
            return True
        if not locks.holds(work):
            if not locks.take(work):
                return False
            self._name_claims()
        self._held_at = time.monotonic()
        return True

    def _name_claims(self) -> None:
        with reading(self.engine) as conn:
            start = backend_of(self.engine).start(conn)
        self._claims_as = f"{self._name}.{start}" if start else self._name

    def _claim(self) -> dict[str, object]:
        begun = self._begun
        if begun is None or time.monotonic() - begun[1] > SENDER_HANGS:
            return {}
        return mail.claim_columns(self._claims_as, begun[0])

    def end_claims_of_the_dead(self, now: datetime) -> None:
        """Free the claims of senders that no longer hold their lock. If the server has restarted since the claim was
        made, its sender may still be alive, and is given a little time. While a claim is freed, this process holds the
        sender's lock, so that the sender cannot make a new claim first. A worker, which sends all the time, checks only
        now and then."""
        if self._locks and self._looked and abs(now - self._looked) < DEAD_INTERVAL:
            return
        self._looked = now
        self._note_what_went_out(now)
        several = backend_of(self.engine).several
        with reading(self.engine) as conn:
            found = mail.claimants(conn)
        if self._locks:
            found.pop(self._claims_as, None)
        for claimant, last in found.items():
            name, _, start = claimant.partition(".")
            own = name == self._name or not several
            if own or start == self._claims_as.partition(".")[2] or now - last > TAKEN_FOR_DEAD:
                lock = nullcontext() if own else only_one(self.engine, f"sending as {name}")
                with suppress(AlreadyRunning), lock, noting(self.engine) as conn:
                    mail.end_claims(conn, claimant)

    def send(self, transport: Transport, now: datetime) -> SendResult:
        """Send the letters that are due until none is left or the mail server seems to be unreachable. Raise
        DatabaseUnavailable if nothing can be written."""
        self._begun = now, time.monotonic()
        self._note_what_went_out(now)
        done = deferred = refused = 0
        while True:
            looked = time.monotonic()
            with reading(self.engine) as conn:
                due = mail.to_send(conn, now, claimant=self._claims_as if self._locks else "")
            if not due:
                return SendResult(done, deferred, refused)
            before, failures = deferred + refused, 0  # failures in a row: after three, assume that the server is down
            claimed, last = False, len(due) < mail.MOST_AT_ONCE
            elsewhere = set[str]()  # readers to whom other processes are sending: later letters must not overtake those
            for waiting in due:
                if waiting.claimed and time.monotonic() - looked > STILL_OURS:
                    last = False
                    break
                if waiting.letter.recipient in elsewhere or not self._claimed(waiting, now):
                    elsewhere.add(waiting.letter.recipient)
                    continue
                claimed = True
                if time.monotonic() - self._claimed_at > STILL_OURS:
                    continue  # this process was suspended, and another may be sending the letter by now
                letter = waiting.letter
                try:
                    transport.send(letter.envelope_from, letter.recipient, letter.content)
                except SendRefused as problem:
                    refused += 1
                    self._refused(waiting, str(problem), now)
                except Exception as problem:  # one bad letter must not hold up the others
                    deferred += 1
                    failures += isinstance(problem, SendDeferred)
                    self._deferred(waiting, str(problem) if isinstance(problem, SendDeferred) else repr(problem), now)
                else:
                    done += 1
                    failures = 0
                    self._not_noted.append(waiting.id)
                if failures == SERVER_AWAY:
                    log.warning(
                        "no letter goes out at present; the others wait for the next try",
                        extra=about("outbox.server-away"),
                    )
                    self._note_what_went_out(now)
                    return SendResult(done, deferred, refused)
            self._note_what_went_out(now)
            # letters that have come in the meantime wake the sender again
            if not claimed or (last and deferred + refused == before):
                return SendResult(done, deferred, refused)

    def _claimed(self, waiting: mail.DueLetter, now: datetime) -> bool:
        """Claim a letter, unless it was already claimed when it was written. Return True if this process may send it.
        In the same transaction, mark the previous letter as sent."""
        self._claimed_at = time.monotonic()
        if waiting.claimed and not self._not_noted:
            return True
        with noting(self.engine) as conn:
            if self._not_noted:
                mail.note_sent(conn, self._not_noted, now)
            claimed = waiting.claimed or mail.claim(conn, waiting, self._claims_as, now)
        self._not_noted.clear()
        return claimed

    def _note_what_went_out(self, now: datetime) -> None:
        if self._not_noted:
            with writing_no_game(self.engine) as conn:
                mail.note_sent(conn, self._not_noted, now)
            self._not_noted.clear()

    def _refused(self, waiting: mail.DueLetter, why: str, now: datetime) -> None:
        with self._open_games.busy, writing(self.engine) as conn:
            mail.note_refused(conn, waiting, why)
            silent_players.take_refusal(Session(conn, self._open_games, now), waiting.letter, why)
            letters.note_refused_letter(conn, waiting.letter, why, now)

    def _deferred(self, waiting: mail.DueLetter, why: str, now: datetime) -> None:
        log.warning(
            "letter %d is not sent yet: %s",
            waiting.id,
            why,
            extra=about("outbox.deferred", game=waiting.letter.game_id),
        )
        with writing(self.engine) as conn:
            if not mail.try_later(conn, waiting, now, why):
                lost = say("lost-letter.tried", times=waiting.tries + 1, why=why)
                notices.report_lost_letter(self._open_games.writer(conn, now), waiting.letter, lost)
