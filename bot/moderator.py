"""The moderator: one message in, one transaction; one deadline, one transaction.

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

import hashlib
import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, Engine

import rules
from bot import proof
from bot.commands import Answered, answer_command, reading_context
from bot.config import Settings
from bot.desk import Desk, Reply
from bot.mail.disposition import Examined, examine
from bot.mail.identity import find_bounced_tokens, reply_token
from bot.orders.commands import MailCommand
from bot.orders.language import Unread, read_lines, write
from bot.reports.given import LineRead
from bot.store import games, mail
from bot.store.database import DatabaseUnavailable, reading, writing
from bot.store.games import Seat, Table
from rules.chance import Chance, commitment
from rules.components import Faction, faction_name
from rules.facts import data_folder
from rules.orders import ANSWERS, Order
from rules.play import Outcome, Play
from rules.rulebook import UnknownClause, clause
from rules.ruleset import require_playable

log = logging.getLogger(__name__)
CACHED_GAMES = 64


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a message. ``shunt``: it belongs into the folder for mail that somebody should look at."""

    disposition: Literal["orders", "auto-reply", "bounce", "rejected", "empty", "duplicate", "fault"]
    reason: str
    game_id: str | None = None
    faction: Faction | None = None
    taken: int = 0

    @property
    def shunt(self) -> bool:
        """Whether the mail is put aside instead of among the processed."""
        return self.disposition in ("rejected", "bounce", "fault")


class Moderator:
    """Runs all games of one database. The clock is an argument everywhere: nothing here asks what time it is."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self.settings = settings
        self.engine = engine
        self.desk = Desk(settings)
        self._open: dict[str, Table] = {}
        self._busy = threading.RLock()  # the service's clock works in a thread of its own

    # --- games ---------------------------------------------------------------------------------------------------

    def new_game(
        self,
        game_id: str,
        ruleset: str,
        seats: Mapping[Faction, str],
        now: datetime,
        *,
        seed: str,
        dots: Mapping[Faction, int],
        options: Mapping[str, Any] | None = None,
    ) -> Table:
        """Start a game and mail its players. ``seats`` gives each faction its player's address, ``dots`` its place.

        RuleSetError if the rule set (or an option) is unknown or not played yet; ValueError if the id is taken.
        """
        made_of = games.rule_set(ruleset, options or {})
        require_playable(made_of)
        secret = self.settings.secrets.secret.get_secret_value().encode()
        zone = self.settings.mentat.timezone.key
        made = {
            faction: Seat(
                faction, dots[faction], address.lower(), address.partition("@")[0], zone, reply_token(secret,
                game_id, faction, 0)
            )
            for faction, address in sorted(seats.items(), key=lambda seat: dots[seat[0]])
        }  # fmt: skip
        play = Play.start(made_of, seed, {faction: dots[faction] for faction in made})
        table = Table(game_id, ruleset, dict(options or {}), seed, play, made)
        with writing(self.engine) as conn:
            if games.exists(conn, game_id):
                raise ValueError(f"There is already a game {game_id!r}; choose another id.")
            games.create(conn, table, commitment(seed), now)
            games.save(conn, table, now, self._due(now))
            self.desk.begin(conn, table, now)
        del play.events[:]
        return table

    def rollback(self, game_id: str, entries: int, now: datetime, why: str = "") -> Table:
        """Take a game back to where its log had so many entries; everybody is told. ValueError if it has fewer."""
        with writing(self.engine) as conn:
            old = games.open_table(conn, game_id)
            if not 0 <= entries <= old.entries:
                raise ValueError(f"{game_id} has {old.entries} entries; it can be taken back to 0 to {old.entries}.")
            kept = games.log_of(conn, game_id)[:entries]
            play = Play.start(old.play.game.rules, old.seed, {f: seat.dot for f, seat in old.seats.items()})
            play.replay(kept)
            games.cut(conn, game_id, entries)
            table = Table(game_id, old.ruleset, old.options, old.seed, play, old.seats, entries=entries)
            for seat in table.seats.values():
                seat.told = min(seat.told, play.state.events)
            games.save(conn, table, now, self._due(now))
            where = f"turn {play.state.turn}, {play.state.phase}"
            gone = old.entries - entries
            subject = f"taken back to {where}"
            told = [f"The game master has taken the game back to {where}. {gone} later entries no longer stand."]
            self.desk.announce(conn, table, now, subject, told + ([why] if why else []))
            self.desk.answer(conn, table, {}, play.state.turn, now)
        self._open.pop(game_id, None)
        return table

    # --- messages ------------------------------------------------------------------------------------------------

    def receive(self, raw: bytes, key: str, now: datetime, too_large: int = 0) -> Verdict:
        """Process a message as it came. ``key`` names it in its mailbox.

        ``too_large``: its size in bytes, where ``raw`` is only the head of a message that is larger than is read.
        DatabaseUnavailable if nothing could be written: the message must then be offered again.
        """
        with self._busy:
            try:
                with writing(self.engine) as conn:
                    return self._receive(conn, raw, key, now, too_large)
            except DatabaseUnavailable:
                self._open.clear()
                raise
            except Exception as fault:  # a fault of ours must not stop the mail of others
                log.exception("message %s could not be processed", key)
                self._open.clear()
                return self._shunt(raw, key, now, fault)

    def deliver(self, raw: bytes, now: datetime) -> Verdict:
        """Process a message that came in a file; its bytes are its key."""
        return self.receive(raw, f"file:{mail.digest(raw)}", now)

    def check_running_games(self, now: datetime) -> list[str]:
        """Play every running game again with the rules as they are installed now. One that comes out differently is
        held, with a notice to the game master; a sentence for each. Games that these very rules have checked are
        skipped."""
        problems = []
        installed = rules_digest()
        with reading(self.engine) as conn:
            unchecked = games.running(conn, but_not=installed)
        for game_id in unchecked:
            with writing(self.engine) as conn:
                found = proof.verify(proof.record(conn, game_id))
                games.mark_checked(conn, game_id, installed, holds=found.holds)
                if not found.holds:
                    told = f"{game_id} is held: with the rules installed now it would have gone differently."
                    problems.append(f"{told} {found.difference}")
                    advice = "Roll it back, or install the rules it was played with, and start Mentat again."
                    self.desk.tell_game_master(
                        conn, now, f"{game_id} is held", [told, found.difference, advice], f"{game_id}.{installed}"
                    )
        return problems

    def _receive(self, conn: Connection, raw: bytes, key: str, now: datetime, too_large: int) -> Verdict:
        limits = self.settings.limits
        seen = examine(
            raw,
            self.settings.mentat.address,
            lambda code: mail.form_lines(conn, code),
            max_bytes=limits.max_message_bytes,
            max_lines=limits.max_lines,
            max_line_chars=limits.line_chars,
        )
        incoming = seen.incoming
        digest = mail.digest(raw)
        message_id = incoming.message_id or "" if incoming else ""
        sender = incoming.sender if incoming else ""
        if mail.seen(conn, key, digest, message_id, sender):
            return Verdict("duplicate", "this message was processed before")
        verdict, table, seat = self._judge(conn, seen, now)
        number = mail.keep(
            conn,
            mail.Message(
                key, digest, message_id, sender, incoming.subject if incoming else "", verdict.disposition,
                verdict.reason, raw, verdict.game_id, verdict.faction,
            ),
            now,
        )  # fmt: skip
        if table is not None and seat is not None:
            notes = [self._too_large(too_large)] if too_large else list(seen.reading.notes)
            taken = self._take(conn, table, seat, seen, notes, number, now)
            return Verdict(verdict.disposition, verdict.reason, table.id, seat.faction, taken)
        if verdict.shunt and verdict.disposition != "bounce":
            self._report(conn, verdict, seen, key, now)
        return verdict

    def _judge(self, conn: Connection, seen: Examined, now: datetime) -> tuple[Verdict, Table | None, Seat | None]:
        """Who wrote this, and may he? The table and seat come back only if his lines are to be answered."""
        found, incoming = seen.verdict, seen.incoming
        if found.disposition == "bounce":
            return self._bounced(conn, seen, now), None, None
        if found.disposition in ("rejected", "auto-reply") or incoming is None:
            return Verdict(found.disposition, found.reason), None, None
        if not seen.tokens:
            return Verdict("rejected", "no reply token: it is for no game here"), None, None
        places = [place for token in seen.tokens if (place := games.seat_by_token(conn, token))]
        if not places:
            return Verdict("rejected", "the reply token is not one of ours, or no longer valid"), None, None
        game_id, faction = places[0]
        table = self._table(conn, game_id)
        seat = table.seats[faction]
        if incoming.sender != seat.address:
            why = f"the reply token of {faction_name(faction)} in {game_id}, but not that player's address"
            return Verdict("rejected", why, game_id, faction), None, None
        hour = now - timedelta(hours=1)
        if mail.answered_since(conn, game_id, faction, hour) >= self.settings.limits.answers_per_hour:
            return Verdict("rejected", "more messages in an hour than are answered", game_id, faction), None, None
        return Verdict(found.disposition, found.reason, game_id, faction), table, seat

    def _take(
        self,
        conn: Connection,
        table: Table,
        seat: Seat,
        seen: Examined,
        notes: Sequence[str],
        number: int,
        now: datetime,
    ) -> int:
        """Read the lines of a known player, let the game go on, and write the letters; how many lines were taken."""
        before, turn = dict(table.deadlines), table.play.state.turn
        if len(seen.tokens) > 1 or table.status == "held":
            why = TWO_GAMES if len(seen.tokens) > 1 else HELD
            lines = [LineRead(line, "refused", reason=why) for line in seen.reading.lines]
        else:
            lines = self._orders(conn, table, seat, seen.reading.lines, now)
            table.play.advance()
        games.save(conn, table, now, self._due(now), number)
        incoming = seen.incoming
        answers = incoming.message_id or "" if incoming else ""
        reply = Reply(seat.faction, lines, notes, answers)
        self.desk.answer(conn, table, before, turn, now, reply)
        del table.play.events[:]
        return sum(line.status in ("accepted", "held", "done") for line in lines)

    def _orders(
        self, conn: Connection, table: Table, seat: Seat, texts: Sequence[str], now: datetime
    ) -> list[LineRead]:
        play, faction = table.play, seat.faction
        context = reading_context(play, faction)
        read = read_lines(texts, context)
        orders = [line.result for line in read if isinstance(line.result, Order)]
        outcomes = iter(play.submit(faction, orders))
        late = games.missed_kinds(conn, table.id, faction, play.state.turn)
        answers: list[LineRead] = []
        for line in read:
            match line.result:
                case Order():
                    answers.append(order_read(line.text, next(outcomes), late))
                case MailCommand() as command:
                    done = self._command(conn, table, faction, command, now)
                    answers.append(LineRead(line.text, done.status, canonical=line.text, reason=done.text))
                case Unread(reason, suggestions):
                    answers.append(LineRead(line.text, "unread", reason=reason, suggestions=tuple(suggestions)))
        return answers

    def _command(
        self, conn: Connection, table: Table, faction: Faction, command: MailCommand, now: datetime
    ) -> Answered:
        """A line about the mail itself; the game goes on first, so that the answer shows where it stands."""
        table.play.advance()
        happened = games.events_of(conn, table.id)
        done = answer_command(table, faction, command, happened)
        if done.press:
            self.desk.press(conn, table, faction, done.press.to, done.press.text, now)
        if done.for_game_master:
            cause = f"{table.id}.{faction}.{table.seats[faction].letters}"
            self.desk.tell_game_master(conn, now, f"{table.id}: a player asks", [done.for_game_master], cause)
        return done

    def _bounced(self, conn: Connection, seen: Examined, now: datetime) -> Verdict:
        """A delivery report: the player is unreachable if it is final, and the game master is told."""
        bounce, incoming = seen.verdict.bounce, seen.incoming
        if bounce is None or incoming is None or not bounce.permanent:
            return Verdict("bounce", seen.verdict.reason)
        for token in find_bounced_tokens(incoming, self.settings.mentat.address):
            place = games.seat_by_token(conn, token)
            if place is None:
                continue
            game_id, faction = place
            table = self._table(conn, game_id)
            seat = table.seats[faction]
            if not seat.unreachable:
                seat.unreachable = True
                games.save_seat(conn, game_id, seat)
                self.desk.tell_game_master(
                    conn, now, f"{game_id}: {faction_name(faction)} cannot be reached",
                    [f"Mail to {seat.address} came back: {seen.verdict.reason}.",
                     "The deadlines go on; silence takes the defaults. You may give the seat to another player."],
                    f"{game_id}.{faction}.{seat.letters}",
                )  # fmt: skip
            return Verdict("bounce", seen.verdict.reason, game_id, faction)
        return Verdict("bounce", seen.verdict.reason)

    def _report(self, conn: Connection, verdict: Verdict, seen: Examined, key: str, now: datetime) -> None:
        """Tell the game master of a message that was put aside. Its sender is told nothing."""
        incoming = seen.incoming
        whose = (
            f"{incoming.sender or 'nobody'}, subject {incoming.subject[:80]!r}" if incoming else "an unreadable sender"
        )
        told = [f"A message from {whose} was put aside: {verdict.reason}.", "Its sender was not answered."]
        self.desk.tell_game_master(conn, now, "A message was put aside", told, key)

    def _shunt(self, raw: bytes, key: str, now: datetime, fault: Exception) -> Verdict:
        reason = f"{type(fault).__name__} while it was processed"
        with writing(self.engine) as conn:
            digest = mail.digest(raw)
            if not mail.seen(conn, key, digest, "", ""):
                mail.keep(conn, mail.Message(key, digest, "", "", "", "fault", reason, raw), now)
                told = ["A message could not be processed through a fault of the program, and was put aside.",
                        f"The fault: {fault!r}. Every other message goes on. The log has the details."]  # fmt: skip
                self.desk.tell_game_master(conn, now, "A message could not be processed", told, key)
        return Verdict("fault", reason)

    # --- deadlines -----------------------------------------------------------------------------------------------

    def tick(self, now: datetime) -> int:
        """Let silence answer every question that is overdue, and remind who is due to be reminded; how many games
        moved."""
        with reading(self.engine) as conn:
            due = games.due_games(conn, now)
            remind = games.to_remind(conn, now, self.settings.clock.reminder_hours)
        moved = 0
        for game_id in due:
            with self._transaction(game_id) as (conn, table):
                moved += self._expire(conn, table, now)
        for game_id, faction in remind:
            with self._transaction(game_id) as (conn, table):
                if games.mark_reminded(conn, game_id, faction, now, self.settings.clock.reminder_hours):
                    self.desk.remind(conn, table, faction, now)
        return moved

    def _expire(self, conn: Connection, table: Table, now: datetime) -> bool:
        at = games.stamp(now)
        keys = tuple(key for key, (_, due) in table.deadlines.items() if due <= at)
        if table.status != "running" or not keys:
            return False
        before, turn = dict(table.deadlines), table.play.state.turn
        games.mark_missed(conn, table, table.play.expire(keys))
        table.play.advance()
        games.save(conn, table, now, self._due(now))
        self.desk.answer(conn, table, before, turn, now)
        del table.play.events[:]
        return True

    def _too_large(self, size: int) -> str:
        most = self.settings.limits.max_message_bytes
        return f"Your mail has {size:,} bytes; at most {most:,} are read. Nothing was taken. Send the orders alone."

    def _due(self, now: datetime) -> datetime:
        return now + timedelta(hours=self.settings.clock.step_hours)

    # --- open games ----------------------------------------------------------------------------------------------

    def _table(self, conn: Connection, game_id: str) -> Table:
        """The game, from memory if that is as new as the database."""
        table = self._open.pop(game_id, None)
        if table is None or games.length(conn, game_id) != (table.entries, table.events):
            table = games.open_table(conn, game_id)
            del table.play.events[:]
        self._open[game_id] = table  # the one used last is last
        if len(self._open) > CACHED_GAMES:
            self._open.pop(next(iter(self._open)))
        return table

    @contextmanager
    def _transaction(self, game_id: str) -> Iterator[tuple[Connection, Table]]:
        with self._busy:
            try:
                with writing(self.engine) as conn:
                    yield conn, self._table(conn, game_id)
            except BaseException:
                self._open.pop(game_id, None)  # it may hold what was not committed
                raise


TWO_GAMES = "This mail carries the reply tokens of two seats. Answer each game in a mail of its own; nothing was taken."


HELD = "The game is held until the game master has looked at it; nothing was taken. You will be told when it goes on."


def draw_seats(addresses: Sequence[str], seed: str) -> tuple[dict[Faction, str], dict[Faction, int]]:
    """Deal factions and player dots at random (WBC.HR.1): the seats by faction, and the dots."""
    from rules.board import DOTS
    from rules.components import FACTIONS

    chance = Chance(seed, {})
    factions, dots = list(FACTIONS), list(DOTS)
    chance.shuffle("seats-factions", factions)
    chance.shuffle("seats-dots", dots)
    dealt = factions[: len(addresses)]
    return dict(zip(dealt, addresses, strict=True)), dict(zip(dealt, dots, strict=False))


def rules_digest() -> str:
    """What names the rules as they are installed: a hash of the rules' code and of the facts they read."""
    digest = hashlib.sha256()
    for folder, pattern in ((Path(rules.__file__).parent, "**/*.py"), (data_folder(), "**/*.toml")):
        for path in sorted(folder.glob(pattern)):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def utc_now() -> datetime:
    """The present, for those who start things: the command line and the service."""
    return datetime.now(UTC)


def order_read(text: str, outcome: Outcome, late: Mapping[str, str]) -> LineRead:
    """An outcome in words. An order whose question silence has answered is told so."""
    refusal = outcome.refusal
    if refusal is None:
        return LineRead(text, "accepted" if outcome.status == "accepted" else "held", canonical=write(outcome.order))
    reason = refusal.reason
    missed = next((late[kind] for kind in ANSWERS.get(type(outcome.order), ()) if kind in late), None)
    if missed:
        due = datetime.fromisoformat(missed).strftime("%d %b %H:%M UTC")
        reason = f"It came after the deadline ({due}), when silence had already decided. {reason}"
    try:
        rule = clause(refusal.clause).rule
    except UnknownClause:
        rule = ""
    return LineRead(text, "refused", canonical=write(outcome.order), reason=reason, clause=refusal.clause, rule=rule)
