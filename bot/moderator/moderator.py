"""The moderator: one message in, one transaction.

Theory of operation
-------------------
A message is read, its sender known by reply token *and* address, its lines become orders, the game goes on, and
every letter that follows is written to the outbox: all of it is committed together with the message itself, or none
of it. Where the process dies, the mailbox shows the message again and it is taken then; where it was taken already,
its key, its bytes or its Message-ID say so and nothing happens. Sending comes afterwards (``bot.service``).

Whoever is not known gets no answer. A message that cannot be processed (a fault of ours) is shunted: kept, moved
aside, and reported to the game master, and the next one is read.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.config import Settings
from bot.games.open_games import OpenGames
from bot.identity.addresses import answer_about_identity, answered_question
from bot.identity.archive_names import answer_about_archive
from bot.identity.harmless import harmless
from bot.identity.identification import TOO_MANY, Known, Part, Processed, can_be_believed, identify, seat_named
from bot.identity.left_out import left_out
from bot.identity.own_rating import answer_about_rating
from bot.identity.strangers import as_kept
from bot.identity.suspicion import lines_for_others, tell_owners
from bot.mail.disposition import Examined
from bot.mail.identity import answers_own_letter
from bot.mail.mime.message import Incoming
from bot.moderator import automatic_mail, quoted_press
from bot.moderator.commands import answer_command
from bot.moderator.intake import Arrival, Intake, head_of
from bot.moderator.order_lines import Late, left_open, nothing_taken, play_lines
from bot.orders.commands import MailCommand, ShowMap, Status
from bot.post import notices
from bot.post.answered import Answered
from bot.post.letter_writer import Reply
from bot.reports.given import LineRead
from bot.silence import strikes, unreachable
from bot.silence.announcing import player_is_back
from bot.silence.requests import answer_request
from bot.store import deadlines, games, mail, waiting
from bot.store.addresses import Asked
from bot.store.database import Connection, DatabaseUnavailable, Engine, writing
from bot.table.advance import go_on
from bot.table.table import Table
from bot.timekeeping.timekeeper import Timekeeper
from bot.tournament import mail_orders
from bot.wording.sentences import say
from bot.wording.spoken import speaking
from rules.components import Faction
from rules.state.events import Event

log = logging.getLogger(__name__)

BELIEVED = "the game master vouches for it"
ORDERS = ("accepted", "held", "refused")  # what becomes of lines by which players show that they play


class Moderator:
    """Runs all games of one database. The clock is an argument everywhere: nothing here asks what time it is."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self.settings = settings
        self.engine = engine
        self.open_games = OpenGames(settings, engine)
        self.writer = self.open_games.writer
        self.timekeeper = Timekeeper(self.open_games)
        self.intake = Intake(settings, engine)

    def receive(
        self, raw: bytes, key: str, now: datetime, too_large: int = 0, comes_again: bool = True, *,
        believed: bool = False,
    ) -> Processed:  # fmt: skip
        """Process a message as it came. ``key`` names it in its mailbox.

        ``believed``: the game master vouches that the player of the seat has written it.

        ``too_large``: its size in bytes, where ``raw`` is only the head of a message that is larger than is read.
        ``comes_again``: whether it lies where it will be found again, should it have to wait (verdict "waiting").
        DatabaseUnavailable if nothing could be written: the message must then be offered again.
        """
        try:
            arrival = self.intake.arrived(raw, key, now, too_large)  # before the lock: a long one takes its time
        except DatabaseUnavailable:
            raise
        except Exception as fault:
            return self._put_aside(raw, key, now, fault)
        with self.open_games.busy:
            try:
                with writing(self.engine) as conn:
                    verdict = self._receive(conn, arrival, key, now, comes_again, believed=believed)
            except DatabaseUnavailable:
                self.open_games.forget()  # a game in memory may hold what was not committed
                raise
            except Exception as fault:  # a fault of ours must not stop the mail of others
                self.open_games.forget()
                return self._put_aside(raw, key, now, fault)
            except BaseException:
                self.open_games.forget()
                raise
            if verdict.game_id and self.open_games.stands_still(verdict.game_id):
                self.timekeeper.wake(now)
            return verdict

    def deliver(self, raw: bytes, now: datetime) -> Processed:
        """Process a message that came in a file; its bytes are its key."""
        return self.receive(raw, f"file:{mail.digest(raw)}", now, comes_again=False)

    def _receive(
        self, conn: Connection, arrival: Arrival, key: str, now: datetime, comes_again: bool, *, believed: bool
    ) -> Processed:
        seen, keys, incoming = arrival.seen, arrival.keys, arrival.seen.incoming
        before = mail.seen(conn, keys, now)
        if before:
            again = Processed(before, "")
            return Processed("duplicate", "this message was processed before", put_aside=again.shunt)
        found: Known | Asked | Processed | None
        if believed:
            found = identify(conn, seen, "", self.settings.limits.answers_per_hour, now, believed=True)
        else:
            found = automatic_mail.dealt_with(conn, self.open_games, seen, now)
        if found is None:
            if waits := self._must_wait(conn, arrival, now, comes_again):
                return waits
            unproved = arrival.unproved or arrival.cannot_ask or self.intake.not_proved_yet(conn, arrival, now)
            found = mail_orders.received(conn, self.open_games, seen, unproved, keys.digest, now)
        if found is None:
            found = identify(conn, seen, unproved, self.settings.limits.answers_per_hour, now)
        raw = arrival.raw
        if isinstance(found, Asked):
            verdict = answered_question(conn, self.open_games, found, seen.reading.lines, now)
        elif isinstance(found, Known):
            verdict = Processed(seen.verdict.disposition, seen.verdict.reason, found.game_id, found.faction)
            if believed:
                any_line = any(part.lines for part in found.parts)
                verdict = replace(verdict, disposition="orders" if any_line else "empty", reason=BELIEVED)
            if arrival.unread:
                verdict = replace(verdict, disposition="rejected", reason=arrival.why)
        else:
            why = f"{arrival.why}; {found.reason}" if arrival.why and found.reason != TOO_MANY else found.reason
            verdict = replace(found, reason=why)
            raw = as_kept(conn, self.open_games, raw, head_of(raw), keys.sender, now)
        told = isinstance(found, Known) and not self._was_told(conn, verdict, now)
        kept = mail.Message(
            keys, incoming.subject if incoming else "", verdict.disposition, verdict.reason, raw, verdict.game_id,
            verdict.faction,
        )  # fmt: skip
        number = mail.keep(conn, kept, now)
        if verdict.disposition == "rejected" and not isinstance(found, Known):
            self._rejected(conn, verdict, seen, kept, number, now)
        if not isinstance(found, Known) or not told:
            return verdict
        notes = [arrival.unread] if arrival.unread else list(seen.reading.notes)
        notes += [*found.notes, *left_out(seen.reading.ignored, found.faction)]
        taken = self._take(conn, found.parts[0], notes, number, now, incoming)
        taken += sum(self._take(conn, part, (), number, now) for part in found.parts[1:])
        lines_for_others(conn, self.open_games, found.game_id, found.faction, found.aimed_at, key, now)
        if incoming and not believed:
            unreachable.written_from(conn, self.open_games, incoming.sender, now)
        verdict = replace(verdict, taken=taken)
        if comes_again and mail.was_put_aside(conn, keys, number):
            notices.read_again(conn, self.writer, found.game_id, found.faction, taken, seen, key, now)
        return verdict

    def _must_wait(self, conn: Connection, arrival: Arrival, now: datetime, comes_again: bool) -> Processed | None:
        """The verdict on a mail whose sender may be proved later on, and on those behind it."""
        hours = self.settings.identity.dns_hours
        if not arrival.to_be_proved or not hours:
            return None
        after = now - timedelta(hours=hours)
        begun = waiting.since(conn, arrival.keys) or now
        behind = waiting.is_behind(conn, arrival.keys, after)
        if not (arrival.cannot_ask or behind) or begun <= after:
            waiting.ends(conn, arrival.keys)
            return None
        reason = arrival.cannot_ask or "an earlier mail of the same sender waits"
        if comes_again:
            waiting.wait(conn, arrival.keys, reason, seat_named(conn, arrival.seen, now), arrival.raw, now)
        return Processed("waiting", reason)

    def _was_told(self, conn: Connection, verdict: Processed, now: datetime) -> bool:
        """Whether a player whose mail could not be read has been told so within the hour."""
        if verdict.disposition != "rejected" or verdict.game_id is None or verdict.faction is None:
            return False
        hour = now - notices.HOUR
        return bool(mail.put_aside_since(conn, verdict.game_id, verdict.faction, verdict.reason, hour))

    def _take(
        self, conn: Connection, part: Part, notes: Sequence[str], number: int, now: datetime,
        answers: Incoming | None = None,
    ) -> int:  # fmt: skip
        """Read the lines of a known player, let the game go on, and write the letters; how many lines were taken.
        ``answers`` is the mail, if it belongs to this game."""
        table = self.open_games.table(conn, part.game_id)
        with speaking(table.play.game.rules.edition):
            return self._take_at(conn, table, part, notes, number, now, answers)

    def _take_at(
        self, conn: Connection, table: Table, part: Part, notes: Sequence[str], number: int, now: datetime,
        answers: Incoming | None,
    ) -> int:  # fmt: skip
        seat = table.seats[part.faction]
        before, turn, table.now = dict(table.deadlines), table.play.state.turn, now
        commands: Mapping[int, MailCommand] = {}
        back = False
        if part.doubtful or table.status == "held":
            why = say("reading.two-seats") if part.doubtful else say("not-taken.held")
            lines = nothing_taken(part.lines, why)
            notes = [*notes, *([] if lines else [why])]
        else:
            zone = ZoneInfo(seat.timezone)
            late = Late(lambda: deadlines.missed_kinds(conn, table.id, seat.faction, turn), zone)
            own = [harmless(line, self.settings.mentat.address) for line in part.lines]
            takes = self.settings.mentat.plain_words == "take"
            played = play_lines(table, seat.faction, own, late, now.astimezone(zone).date(), takes=takes)
            lines, commands = played.lines, played.commands
            back = any(line.status in ORDERS for line in lines) and strikes.heard_from(table, seat.faction)
            games.ready_for_deputies(conn, table)
            go_on(table, now)
            notes = [*notes, *left_open(table, seat.faction, lines)]
        games.save(conn, table, now, self.open_games.clock(table), number)
        saved = dict(table.deadlines)
        for place, command in commands.items():
            lines[place] = self._command(conn, table, seat.faction, command, lines[place].text, now)
        before |= {at: due for at, due in table.deadlines.items() if at in before and due != saved.get(at)}  # announced
        if back:
            player_is_back(conn, self.writer, table, seat.faction, now)
        notes = [*unreachable.heard_from(table, seat.faction), *notes]
        notes = [*notes, *automatic_mail.warn_of_silence(conn, self.open_games, table, seat.faction, lines, now)]
        board = any(isinstance(command, ShowMap) for command in commands.values())
        identity = answers.message_id or "" if answers else ""
        in_thread = answers is not None and answers_own_letter(answers, self.settings.mentat.address)
        position = board or any(isinstance(command, Status) for command in commands.values())
        reply = Reply(seat.faction, lines, notes, identity, board, in_thread, position)
        self.writer.answer(conn, table, before, turn, now, reply if automatic_mail.is_answered(seat) else None)
        games.close(conn, table)
        return sum(line.status in ("accepted", "held", "done") for line in lines)

    def _command(
        self, conn: Connection, table: Table, faction: Faction, command: MailCommand, text: str, now: datetime
    ) -> LineRead:
        """A line about the mail itself, answered after the game went on."""

        def latest() -> list[Event]:
            turn = table.play.state.turn
            return [e for number in range(turn - 2, turn + 1) for e in games.events_of_turn(conn, table.id, number)]

        clock = self.open_games.clock(table)
        done = answer_request(conn, self.writer, table, faction, command, now, clock)
        done = done or answer_about_identity(conn, self.open_games, table, faction, command, now)
        done = done or answer_about_archive(conn, table, faction, command)
        done = done or answer_about_rating(conn, table, faction, command)
        done = done or answer_command(table, faction, command, latest)

        def private() -> Iterable[str]:
            return quoted_press.private_lines(self.writer.position(table, faction, now, ()), faction, latest())

        if done.press and (warning := quoted_press.held_back(table, faction, done.press, private)):
            done = Answered("refused", warning)
        if done.press:
            self.writer.press(conn, table, faction, done.press.to, done.press.text, now)
        if done.for_game_master:
            cause = f"{table.id}.{faction}.{table.seats[faction].letters}.{text}"
            self.writer.tell_game_master(conn, now, say("asks.subject", game=table.id), [done.for_game_master], cause)
        return LineRead(text, done.status, canonical=text, reason=done.text)

    def _rejected(
        self, conn: Connection, verdict: Processed, seen: Examined, kept: mail.Message, number: int, now: datetime
    ) -> None:  # fmt: skip
        """Report a message that was put aside and kept under a number; players who write too often are told so
        themselves, once an hour."""
        if verdict.reason == TOO_MANY and verdict.game_id and verdict.faction:
            if mail.put_aside_since(conn, verdict.game_id, verdict.faction, TOO_MANY, now - notices.HOUR) > 1:
                return
            table = self.open_games.table(conn, verdict.game_id)
            notices.too_many_messages(conn, self.writer, table, table.seats[verdict.faction], now)
            games.close(conn, table)
        if seen.incoming and verdict.reason.startswith("loop:"):
            automatic_mail.tell_loop(conn, self.open_games, seen.incoming, verdict.reason, now)
            return
        whole = mail.digest(kept.raw) == kept.keys.digest
        to_believe = number if whole and can_be_believed(conn, seen, now) else 0
        notices.message_rejected(conn, self.writer, verdict.reason, seen, kept.keys.key, to_believe, now)
        tell_owners(conn, self.open_games, verdict.aimed_at, now)

    def _put_aside(self, raw: bytes, key: str, now: datetime, fault: Exception) -> Processed:
        """Keep a message that could not be processed."""
        log.error("message %s could not be processed", key, exc_info=fault)
        reason = f"{type(fault).__name__} while it was processed"
        with self.open_games.busy, writing(self.engine) as conn:
            keys = mail.DeduplicationKeys(key, mail.digest(raw))
            if not mail.seen(conn, keys, now):
                mail.keep(conn, mail.Message(keys, "", "fault", reason, raw), now)
                notices.message_failed(conn, self.writer, key, fault, now)
        return Processed("fault", reason)
