"""The moderator, which processes each message in one transaction.

Mentat reads a message, recognises its sender by the reply token *and* the address, and turns its lines into orders. The
game goes on, and every resulting letter is written to the outbox. All of this is committed together with the message
itself, or none of it is. If the process dies before the commit, the message is still in the mailbox. If a message
arrives twice, the second copy is recognised by its key, its bytes or its Message-ID, and nothing happens. The letters
are sent afterwards (``bot.service``).

An unknown sender gets no answer. A message that cannot be processed because of a fault in Mentat is shunted: Mentat
keeps it, moves it aside, reports it to the game master, and goes on with the next one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from bot.config import Settings
from bot.desk.powers import DeskRequest, PowerRefused, using
from bot.effort import BetterOutside, Understanding, understood
from bot.games import notices, silent_players
from bot.games.identity import (
    TOO_MANY_MESSAGES,
    KnownMail,
    MailOutcome,
    identify,
    seat_named,
    seat_of_sender,
    seat_to_believe,
    seats_named,
    warn_owners,
)
from bot.games.open_games import OpenGames, Session
from bot.games.retention import kept_of_stranger
from bot.games.seat_addresses import confirm_address
from bot.language.mail_lines import read_any
from bot.language.orders import Context, Unread
from bot.lobby import incoming_mail as lobby_mail
from bot.mail.disposition import auto_submitted
from bot.moderator import automatic_mail, desk_mail, intake, seat_lines
from bot.moderator.intake import Arrival, Intake, head_of
from bot.moderator.seat_lines import Delivery
from bot.moderator.timekeeper import Timekeeper
from bot.monitoring.logs import about
from bot.press import last_slot, next_slot
from bot.store import games, installation, mail, retention, tournament_rounds, tournaments
from bot.store.database import Connection, DatabaseUnavailable, Engine, writing
from bot.store.people import AddressRequest
from bot.tournament import incoming_mail
from bot.wording import say
from rules.components import Faction

log = logging.getLogger(__name__)

BELIEVED = "the game master vouches for it"
TAKEN_MEANWHILE = MailOutcome("duplicate", "another process has taken it")


class EndedProcesses(Exception):
    """Every process that tried to handle a message died while processing it."""


class Moderator:
    """The moderator of all games in one database. The time is always passed as an argument; nothing in this class reads
    the clock."""

    def __init__(self, settings: Settings, engine: Engine, open_games: OpenGames | None = None) -> None:
        self.settings = settings
        self.engine = engine
        self.open_games = open_games or OpenGames(settings, engine)
        self.writer = self.open_games.writer
        self.timekeeper = Timekeeper(self.open_games)
        self.intake = Intake(settings, engine)

    def receive(
        self,
        raw: bytes,
        key: str,
        now: datetime,
        too_large: int = 0,
        comes_again: bool = True,
        *,
        believed: bool = False,
        stored: installation.StoredMail | None = None,
    ) -> MailOutcome:
        """Process a message as it arrived. ``key`` identifies it in its mailbox.

        ``stored`` is given if the message waits in the inbox that several workers share. The verdict is entered there
        in the same transaction; if another worker has already entered one, the outcome is "duplicate".

        ``believed`` means that the game master vouches that the seat's player wrote this message.

        ``too_large`` is the size in bytes of a message over the limit, of which ``raw`` is only the head.
        ``comes_again`` means that a message that must wait (verdict "waiting") will be found again in its mailbox.
        Raise DatabaseUnavailable if nothing could be written; the message must then be passed in again.
        """
        try:
            # read before the lock is taken, because a long mail takes time
            arrival = self.intake.arrived(raw, key, now, too_large)
        except DatabaseUnavailable:
            raise
        except Exception as fault:
            return self._put_aside(raw, key, now, fault, stored)

        def received(conn: Connection) -> MailOutcome:
            if stored and not installation.mail_still_waits(conn, stored):
                return TAKEN_MEANWHILE
            verdict = self._receive(conn, arrival, key, now, comes_again, believed=believed)
            if stored:
                installation.settle_mail(conn, stored, verdict.disposition, verdict.reason, shunt=verdict.shunt)
            return verdict

        try:
            verdict = self._understood_and_committed(stored.game_id if stored else None, received)
        except DatabaseUnavailable:
            raise
        except Exception as fault:  # a fault of Mentat in one mail must not stop the others
            put_aside = self._put_aside(raw, key, now, fault, stored)
            if put_aside.disposition == "fault":
                # writing may fail here too
                with suppress(Exception), self.open_games.busy, writing(self.engine) as conn:
                    self._tell_sender(conn, arrival, now)
            return put_aside
        with self.open_games.busy:
            if verdict.game_id and self.open_games.stands_still(verdict.game_id):
                self.timekeeper.wake(now)
        return verdict

    def _understood_and_committed(
        self, game_id: str | None, received: Callable[[Connection], MailOutcome]
    ) -> MailOutcome:
        understanding = Understanding()
        with understanding.shared():
            while True:
                try:
                    return self.open_games.committed(game_id, received)
                except BetterOutside as more:  # the transaction was rolled back, so nobody has to wait
                    understanding.work_outside(more)

    def deliver(self, raw: bytes, now: datetime) -> MailOutcome:
        """Process a message from a file. The digest of its bytes serves as its key."""
        return self.receive(raw, f"file:{mail.message_digest(raw)}", now, comes_again=False)

    def take_believed(self, conn: Connection, arrival: Arrival, key: str, now: datetime) -> MailOutcome:
        return self._receive(conn, arrival, key, now, comes_again=False, believed=True)

    def _receive(
        self, conn: Connection, arrival: Arrival, key: str, now: datetime, comes_again: bool, *, believed: bool
    ) -> MailOutcome:
        seen, keys, incoming = arrival.seen, arrival.keys, arrival.seen.incoming
        before = mail.seen(conn, keys, now)
        if before:
            again = MailOutcome(before, "")
            return MailOutcome("duplicate", "this message was processed before", put_aside=again.shunt)
        if (arrival.from_list or arrival.tells_of) and not believed:
            return intake.keep_forum_mail(conn, arrival, now)
        found: KnownMail | AddressRequest | MailOutcome | None
        came = now
        if believed:
            found = identify(conn, seen, "", self.settings.limits.answers_per_hour, now, believed=True)
        else:
            doubted = bool(arrival.unproved or arrival.cannot_ask)
            found = automatic_mail.take_automatic_mail(Session(conn, self.open_games, now), seen, doubted=doubted)
        if found is None:
            counts = self._slot(conn, arrival, now, comes_again)
            if isinstance(counts, MailOutcome):
                return counts
            came = mail.waiting_since(conn, arrival.keys) or now if counts != now else now
            if waits := self._must_wait(conn, arrival, now, comes_again):
                return waits
            if counts != now:
                mail.end_waiting(conn, arrival.keys)
                now = counts
            unproved = arrival.unproved or arrival.cannot_ask or self.intake.not_proved_yet(conn, arrival, now)
            found = desk_mail.take_desk_mail(Session(conn, self.open_games, now), seen, unproved, keys.digest)
            found = found or lobby_mail.receive_mail(Session(conn, self.open_games, now), seen, unproved, keys.digest)
            found = found or incoming_mail.receive_mail(
                Session(conn, self.open_games, now), seen, unproved, keys.digest
            )
            found = found or lobby_mail.receive_stray_mail(Session(conn, self.open_games, now), seen, keys.digest)
        if found is None:
            found = identify(conn, seen, unproved, self.settings.limits.answers_per_hour, now)
        raw = arrival.raw
        if isinstance(found, AddressRequest):
            verdict = confirm_address(Session(conn, self.open_games, now), found, seen.reading.lines)
        elif isinstance(found, KnownMail):
            verdict = MailOutcome(seen.verdict.disposition, seen.verdict.reason, found.game_id, found.faction)
            if believed:
                any_line = any(part.lines for part in found.parts)
                verdict = replace(verdict, disposition="orders" if any_line else "empty", reason=BELIEVED)
            if arrival.unread:
                verdict = replace(verdict, disposition="rejected", reason=arrival.why)
        else:
            why = (
                f"{arrival.why}; {found.reason}" if arrival.why and found.reason != TOO_MANY_MESSAGES else found.reason
            )
            verdict = replace(found, reason=why)
            raw = kept_of_stranger(Session(conn, self.open_games, now), raw, head_of(raw), keys.sender)
        told = isinstance(found, KnownMail) and not self._was_told(conn, verdict, now)
        kept = mail.Message(
            keys,
            incoming.subject if incoming else "",
            verdict.disposition,
            verdict.reason,
            raw,
            verdict.game_id,
            verdict.faction,
        )
        number = mail.keep_message(conn, kept, came)
        if verdict.disposition == "rejected" and not isinstance(found, KnownMail):
            self._rejected(conn, verdict, arrival, kept, number, now)
        if not isinstance(found, KnownMail) or not told:
            return verdict
        notes = [arrival.unread] if arrival.unread else list(seen.reading.notes)
        notes += [*found.notes, *tell_left_out_lines(seen.reading.ignored, found.faction)]
        first, also = Delivery(number=number, answers=incoming, notes=notes), Delivery(number=number)
        taken = seat_lines.take_lines(Session(conn, self.open_games, now), found.parts[0], first)
        taken += sum(seat_lines.take_lines(Session(conn, self.open_games, now), part, also) for part in found.parts[1:])
        session = Session(conn, self.open_games, now)
        notices.report_lines_for_others(session, found.game_id, found.faction, found.aimed_at, key)
        if incoming and not believed:
            silent_players.note_mail_from(Session(conn, self.open_games, now), incoming.sender)
        verdict = replace(verdict, taken=taken)
        if comes_again and mail.was_put_aside(conn, keys, number):
            notices.report_message_read_again(self.writer(conn, now), verdict, seen, key)
        return verdict

    def _must_wait(self, conn: Connection, arrival: Arrival, now: datetime, comes_again: bool) -> MailOutcome | None:
        if not arrival.to_be_proved:
            return None
        after = now - timedelta(hours=self.settings.identity.dns_hours)
        begun = mail.waiting_since(conn, arrival.keys) or now
        behind = mail.waits_behind(conn, arrival.keys, after)
        if not (arrival.cannot_ask or behind) or begun <= after:
            mail.end_waiting(conn, arrival.keys)
            return None
        reason = arrival.cannot_ask or "an earlier mail of the same sender waits"
        if comes_again:
            seat = seat_named(conn, arrival.seen, now) or (None, None)
            mail.let_wait(conn, mail.Message(arrival.keys, "", "waiting", reason, arrival.raw, *seat), now)
        return MailOutcome("waiting", reason)

    def _slot(self, conn: Connection, arrival: Arrival, now: datetime, comes_again: bool) -> MailOutcome | datetime:
        """Make a mail to an anonymous game wait for the next fixed hour, so that neither the answer nor anything that
        follows reveals when it was written. Once that hour has come, return the instant as of which the mail counts."""
        seats = (*seats_named(conn, arrival.seen, now), *_tables_of_entrant(conn, arrival)) if comes_again else ()
        slots = {seat: hours for seat in seats if (hours := games.slots_of(conn, seat[0]))}
        if not slots:
            return now
        seat, hours = max(slots.items(), key=lambda each: each[1])
        begun, slot = mail.waiting_since(conn, arrival.keys), last_slot(now, hours)
        if begun is not None and begun <= slot:
            return slot
        reason = f"read at {next_slot(begun or now, hours):%H:%M} UTC, like all mail to this anonymous game"
        mail.let_wait(conn, mail.Message(arrival.keys, "", "waiting", reason, arrival.raw, *seat), now)
        return MailOutcome("waiting", reason)

    def _was_told(self, conn: Connection, verdict: MailOutcome, now: datetime) -> bool:
        if verdict.disposition != "rejected" or verdict.game_id is None or verdict.faction is None:
            return False
        hour = now - notices.HOUR
        return bool(mail.put_aside_since(conn, verdict.game_id, verdict.faction, verdict.reason, hour))

    def _rejected(
        self, conn: Connection, verdict: MailOutcome, arrival: Arrival, kept: mail.Message, number: int, now: datetime
    ) -> None:
        seen = arrival.seen
        if verdict.reason == TOO_MANY_MESSAGES and verdict.game_id and verdict.faction:
            if mail.put_aside_since(conn, verdict.game_id, verdict.faction, TOO_MANY_MESSAGES, now - notices.HOUR) > 1:
                return
            table = self.open_games.table(conn, verdict.game_id)
            notices.warn_of_too_many_messages(self.writer(conn, now), table, table.seats[verdict.faction])
            games.close(conn, table)
        told = seen.verdict.disposition == "rejected" and self._tell_sender(conn, arrival, now)
        if seen.incoming and verdict.reason.startswith("loop:"):
            automatic_mail.report_loop(Session(conn, self.open_games, now), seen.incoming, verdict.reason)
            return
        whole = mail.message_digest(kept.raw) == kept.keys.digest
        meant = seat_to_believe(conn, seen, now) if whole else None
        aside = notices.PutAside(verdict.reason, kept.keys.key, number, meant.game_id if meant else "")
        notices.report_rejected_message(self.writer(conn, now), seen, aside)
        if not told:
            warn_owners(Session(conn, self.open_games, now), verdict.aimed_at)

    def _tell_sender(self, conn: Connection, arrival: Arrival, now: datetime) -> bool:
        incoming, seat = arrival.seen.incoming, seat_of_sender(conn, arrival.seen, now)
        unproved = arrival.unproved or arrival.cannot_ask or self.intake.not_proved_yet(conn, arrival, now)
        if incoming is None or seat is None or unproved or auto_submitted(incoming):
            return False
        told = say("put-aside.sender", about=incoming.subject[:80])
        cause = f"put-aside.{seat[0]}.{seat[1]}.{now.date().isoformat()}"
        self.writer(conn, now).tell(incoming.sender, say("put-aside.sender-subject", game=seat[0]), [told], cause)
        return True

    def _put_aside(
        self, raw: bytes, key: str, now: datetime, fault: Exception, stored: installation.StoredMail | None = None
    ) -> MailOutcome:
        log.error(
            "message %s could not be processed", key, exc_info=fault, extra=about("message.failed", message_key=key)
        )
        reason = f"{type(fault).__name__} while it was processed"
        with self.open_games.busy, writing(self.engine) as conn:
            if stored and not installation.mail_still_waits(conn, stored):
                return TAKEN_MEANWHILE
            keys = mail.DeduplicationKeys(key, mail.message_digest(raw))
            if not mail.seen(conn, keys, now):
                mail.keep_message(conn, mail.Message(keys, "", "fault", reason, raw), now)
                notices.report_message_fault(self.writer(conn, now), key, fault)
            if stored:
                installation.settle_mail(conn, stored, "fault", reason, shunt=True)
        return MailOutcome("fault", reason)

    def give_up(self, stored: installation.StoredMail, now: datetime) -> MailOutcome:
        return self._put_aside(stored.raw, stored.key, now, EndedProcesses(), stored)


def _tables_of_entrant(conn: Connection, arrival: Arrival) -> Iterator[tuple[str, None]]:
    """If an entrant writes to their event, yield the running games in which they play, because parts of what they write
    may be announced there."""
    for token in arrival.seen.tokens:
        entrant = tournaments.entrant_by_token(conn, token) or tournaments.entrant_by_code(conn, token)
        for game_id in tournament_rounds.games_of(conn, entrant.tournament_id, entrant.number) if entrant else ():
            yield game_id, None


def believe_mail(request: DeskRequest, number: int) -> MailOutcome:
    """Process a quarantined mail as if the player of the seat that it names in this game had written it. Raise
    PowerRefused if it names no seat, or if it has already been processed."""
    with using(request, "believe") as used:
        moderator, conn = Moderator(request.games.settings, request.games.engine, request.games), used.conn
        kept = retention.kept_message(conn, number)
        if kept is None or kept[0].disposition not in mail.PUT_ASIDE or not retention.is_whole(conn, number):
            raise PowerRefused(f"There is no quarantined mail {number} that was kept in full.")
        key = f"replay:{number}:{request.now.isoformat()}"
        arrival = moderator.intake.arrived(kept[1], key, request.now, 0)
        meant = seat_to_believe(conn, arrival.seen, request.now)
        if meant is None or meant.game_id != request.game:
            raise PowerRefused(f"Mail {number} names no seat of {request.game}.")
        used.words = f"{meant.faction}: mail {number}"
        outcome = moderator.take_believed(conn, arrival, key, request.now)
        if outcome.disposition not in ("orders", "empty"):
            raise PowerRefused(f"Mail {number} cannot be taken: {outcome.reason or outcome.disposition}.")
        return outcome


MOST_LEFT_OUT_READ = 40
MOST_LEFT_OUT_LINES = 3
MOST_LEFT_OUT_LETTERS = 60


def tell_left_out_lines(ignored: Sequence[str], faction: Faction) -> list[str]:
    """Return a sentence that mentions the lines below a signature or in a footer that were skipped but could have been
    meant as orders. Return an empty list if there are none, so that an ordinary signature is not mentioned in every
    answer."""
    read = tuple(ignored[:MOST_LEFT_OUT_READ])
    told = understood(read, faction, lambda: [line for line in read if _like_an_order(line, Context(faction))])
    lines = [f"“{line[:MOST_LEFT_OUT_LETTERS]}”" for line in told[:MOST_LEFT_OUT_LINES]]
    return [say("reading.ignored", lines=lines, more=len(told) - len(lines))] if told else []


def _like_an_order(line: str, context: Context) -> bool:
    read = read_any(line, context)
    return not (isinstance(read, Unread) and (read.chatter or len(line.split()) == 1))
