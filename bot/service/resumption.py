"""Resume work after a backup was restored: everything that happened since the backup is done again, and nothing is sent
twice.

A restored database is as old as the backup. After the backup was made, Mentat processed mails that this database does
not contain, sent letters that are not in it, and let deadlines pass that are still open in it. But everything that
happened follows from the mails and from the time, and the mails still exist: Mentat moves processed mail into folders
and deletes nothing. So Mentat reads them again in the order in which they arrived, each as of the moment of its
arrival. Between two mails it lets time pass, minute by minute. The result is the same as before: the same orders, the
same draws, and the same letters with the same Message-IDs (which follow from the game, the seat and the number of the
letter).

*When the lost Mentat stopped.* Either the person who runs Mentat gives the time, or the mailbox shows it: Mentat was
still at work when the last processed mail arrived, and when it sent the last letter of which the mailbox kept a copy.
Everything up to that moment is done again. The time after it is lost, and is given back to every clock
(``bot.moderator.outage``). Mail that is still in the inbox is read as usual once the hold has ended.

*Which letters were sent.* Some mailboxes keep sent mail, in a folder that many providers fill automatically, or in the
folder of [smtp] kind = "directory". In that case, exactly the letters found there were sent. If the mailbox keeps no
sent mail, all letters written until Mentat stopped count as sent: a missing letter is better than one that comes twice.
`mentat mail resend` sends a player the letters that may be missing.

*Where the replay differs.* What was done by command on the machine since the backup (new games, powers used) is in no
mailbox, so a person must do it again. Two signs reveal such acts: mails that reply to letters which the replay did not
write, and copies of letters whose text differs from the replay. These are reported, and the numbers of such letters are
not used again, so that no two letters have the same Message-ID.

*Forums.* Between the mails, posts are read again, each as of the moment at which it was posted. Mentat assumes that
everything which happened until it stopped was also posted. `mentat forum repost` posts what is missing.

Each message is processed in one transaction, and is recognised if it comes again. Ticks of the clock have no effect
when repeated. The last transaction marks the letters and ends the hold. So if the process dies at any point, it can be
started again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.parser import BytesHeaderParser
from functools import partial
from pathlib import Path

from bot.channels import ChannelError
from bot.config import Settings
from bot.forum.watch import recall_forums
from bot.games.proof import check_running_games
from bot.games.seat_mail import NamedLetter, letter_named
from bot.mail.identity import is_own_message_id
from bot.mail.kept_mail import KeptMail, KeptMessage, SentCopy, written_since
from bot.moderator import outage
from bot.moderator.intake import digest_of_head
from bot.moderator.moderator import Moderator
from bot.service.backup import nobody_else_at_work
from bot.service.mail_servers import open_transport
from bot.store import games, installation, mail
from bot.store.database import Connection, Engine, reading, while_held, why_held, writing

STEP = timedelta(minutes=1)
"""While the lost time is replayed, time advances in steps of this length, and the deadlines in each are processed."""
BEFORE_COPY = timedelta(hours=1)
"""Mail that arrived up to this long before the backup may have been processed after it."""
SAME_TIME = timedelta(minutes=2)
"""The largest difference that is allowed between the clocks of this machine and of the mail server."""

_IDENTIFIER = re.compile(r"<([^<>\s]+@[^<>\s]+)>")


class CannotResume(Exception):
    """Mentat cannot resume its work now. The message says why, and what to do."""


@dataclass(slots=True)
class Resumption:
    """What was done again since the backup.

    - ``copy_at`` is the time at which the backup was made, and ``stopped`` the time at which Mentat stopped.
    - ``messages`` is the number of messages that were read again; ``put_aside`` of these were quarantined.
    - ``gone_out`` is the number of letters that count as sent, and ``to_be_sent`` the number that are waiting to be
      sent.
    - ``by_copies`` is true if the mailbox shows which letters were sent.
    - ``unknown`` are letters written after the backup but not in the replay, and ``otherwise`` are letters whose text
      differs in the replay. Both are named by game, seat and number, without the token of their Message-ID.
    """

    copy_at: datetime
    stopped: datetime
    messages: int = 0
    put_aside: int = 0
    gone_out: int = 0
    to_be_sent: int = 0
    by_copies: bool = False
    unknown: list[str] = field(default_factory=list)
    otherwise: list[str] = field(default_factory=list)


def resume(
    settings: Settings, engine: Engine, kept: KeptMail, now: datetime, stopped: datetime | None = None
) -> Resumption:
    """Redo everything that has happened since the backup, and end the hold.

    ``stopped`` is when the lost Mentat was last running, if somebody knows this better than the mailbox shows. Raise
    CannotResume if the database was not restored from a backup, or if another Mentat reads the mailbox. After
    MailboxUnavailable, DatabaseUnavailable or AlreadyRunning, it can be started again later.
    """
    with reading(engine) as conn:
        here, why = installation.this_installation(conn), why_held(conn)
    if here.held_since is None:
        raise CannotResume("This database is not held after a backup; there is nothing to do.")
    if not here.restored:
        raise CannotResume(f"This database was not restored from a backup: it {why}.")
    copy_at = here.restored_copy_at or here.held_since
    with nobody_else_at_work(engine, "reading mail", "sending", "looking after forums"):
        again = _Again(settings, while_held(engine), copy_at, now)
        last_sign = here.held_since + SAME_TIME if stopped is None else None
        again.read(kept.since(copy_at - BEFORE_COPY - again.longest_wait), last_sign)
        sent = _own(settings, kept.sent_since(copy_at - timedelta(days=1)))
        if settings.smtp.kind == "directory":
            sent |= _own(settings, written_since(Path(settings.smtp.directory), copy_at - timedelta(days=1)))
        signs = [again.at, *(copy.at for copy in sent.values()), *([stopped] if stopped else [])]
        again.pass_until(min(now, max(signs)))
        return again.end(sent, now)


class _Again:
    def __init__(self, settings: Settings, engine: Engine, copy_at: datetime, now: datetime) -> None:
        self.at = copy_at
        self._now = now
        self._engine = engine
        quiet = settings.monitoring.model_copy(update={"canary_minutes": 0, "alerts": False})
        self._moderator = Moderator(settings.model_copy(update={"monitoring": quiet}), engine)
        self._done = Resumption(copy_at, copy_at)
        self._named: set[str] = set()
        proved = settings.identity.mode != "token+sender"
        self.longest_wait = timedelta(hours=settings.identity.dns_hours if proved else 0)
        with writing(engine) as conn:
            _forget_canaries(conn)
            beat = installation.heartbeat(conn, "mailbox")
            if beat is None or beat.failing_since:
                installation.beat(conn, "mailbox", copy_at)
        check_running_games(self._moderator.open_games, now)
        try:
            self._forums = (
                recall_forums(self._moderator, partial(open_transport, settings)) if settings.forums else None
            )
        except ChannelError as problem:
            raise CannotResume(f"A forum cannot be read at the moment ({problem}); try again later.") from problem

    def read(self, messages: Iterable[KeptMessage], last_sign: datetime | None) -> None:
        """Process the mail that was processed since the backup, each message as of the moment of its arrival.

        Raise CannotResume if a message that was already processed arrived after ``last_sign``. A message in the inbox
        that is older than a processed one counts as processed too: most likely it was, but could not be moved away.
        """
        left = list[KeptMessage]()
        for message in messages:
            if message.put == "inbox":
                left.append(message)
                continue
            if last_sign is not None and message.arrived > last_sign:
                raise CannotResume(
                    f"A mail that arrived at {message.arrived:%Y-%m-%d %H:%M} UTC was processed after the backup was "
                    "restored: another Mentat reads this mailbox. Stop it, and say when it stopped: --stopped "
                    f"{message.arrived:%Y-%m-%dT%H:%MZ}, or later."
                )
            for each in (*left, message):
                self._take(each)
            left.clear()

    def _take(self, message: KeptMessage) -> None:
        self._named |= _ids_in(message.raw if message.raw is not None else message.head)
        self.pass_until(min(message.arrived, self._now))
        if _is_ours(message) or self._is_known(message):
            return
        if message.raw is None:
            verdict = self._moderator.receive(message.head, message.key, self.at, too_large=message.size)
        else:
            verdict = self._moderator.receive(message.raw, message.key, self.at)
        if verdict.disposition == "waiting" and message.put != "inbox":
            raise CannotResume(f"The sender of a mail cannot be verified now ({verdict.reason}); try again later.")
        self._done.messages += verdict.disposition not in ("duplicate", "waiting")
        self._done.put_aside += verdict.shunt
        if self._forums and verdict.disposition == "forum":
            self._forums.read(self.at)

    def pass_until(self, moment: datetime) -> None:
        while self.at < moment:
            posted = self._forums.next_after(self.at) if self._forums else None
            self.at = min(self.at + STEP, moment, *([posted] if posted else []))
            if self._forums and self.at == posted:
                self._forums.read(self.at)
            self._moderator.timekeeper.tick(self.at)

    def end(self, sent: dict[str, SentCopy], now: datetime) -> Resumption:
        done, stopped = self._done, self.at
        done.stopped, done.by_copies = stopped, bool(sent)
        done.unknown = self._not_written_here({*self._named, *sent})
        with writing(self._engine) as conn:
            for part in ("service", "mailbox"):
                beat = installation.heartbeat(conn, part)
                if beat is None or beat.at < stopped:
                    installation.beat(conn, part, stopped)
        if self._forums:
            self._forums.read(stopped)
            self._forums.told()
        outage.note_service_beat(self._moderator.open_games, now)
        with writing(self._engine) as conn:
            for letter in mail.unsent(conn):
                copy = sent.get(letter.message_id.strip("<>"))
                if copy is None and (sent or letter.created_at > stopped):
                    done.to_be_sent += 1
                    continue
                mail.note_sent(conn, [letter.id], copy.at if copy else stopped)
                done.gone_out += 1
                if copy and " ".join(copy.subject.split()) != " ".join(letter.subject.split()):
                    of = letter_named(letter.message_id, self._moderator.settings.mentat.address)
                    done.otherwise.append(_letter_name(of) if of else letter.subject)
            mail.end_claims(conn)
            installation.release_database(conn)
        return done

    def _is_known(self, message: KeptMessage) -> bool:
        digest = (
            mail.message_digest(message.raw) if message.raw is not None else digest_of_head(message.head, message.size)
        )
        with reading(self._engine) as conn:
            became = mail.dispositions_of(conn, digest)
        passing = {"waiting", *(mail.PUT_ASIDE if message.put == "processed" else ())}
        return bool(became - passing)

    def _not_written_here(self, identities: set[str]) -> list[str]:
        """Return the names of the seats' letters that are not in this database. Reserve their numbers, so that no other
        letter gets them."""
        address = self._moderator.settings.mentat.address
        letters = {identity: of for identity in identities if (of := letter_named(identity, address))}
        with reading(self._engine) as conn:
            unknown = {identity: letters[identity] for identity in mail.not_written(conn, letters)}
            existing = set(games.every(conn))
        for of in unknown.values():
            if of.game_id not in existing:
                continue
            with self._moderator.open_games.transaction(of.game_id) as (_, table):
                seat = table.seats.get(of.faction)
                if seat and seat.letters <= of.number:
                    seat.letters = of.number + 1
                    table.touched.add(of.faction)
        return sorted(map(_letter_name, unknown.values()))


def _letter_name(letter: NamedLetter) -> str:
    return f"{letter.game_id}.{letter.faction}.{letter.number}"


def _forget_canaries(conn: Connection) -> None:
    installation.forget_heartbeat(conn, "canary")
    installation.forget_heartbeat(conn, "canary-sent")
    installation.forget_canaries(conn)


def _is_ours(message: KeptMessage) -> bool:
    return "X-Mentat" in BytesHeaderParser().parsebytes(message.raw if message.raw is not None else message.head)


def _own(settings: Settings, sent: dict[str, SentCopy]) -> dict[str, SentCopy]:
    address = settings.mentat.address
    return {identity: copy for identity, copy in sent.items() if is_own_message_id(identity, address)}


def _ids_in(raw: bytes) -> set[str]:
    head = BytesHeaderParser().parsebytes(raw)
    fields: Sequence[str] = [str(head.get(name, "")) for name in ("In-Reply-To", "References")]
    return {identity for text in fields for identity in _IDENTIFIER.findall(text)}
