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

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, Engine

from bot import calls, not_orders, proof, quoted, trouble
from bot.answers import Late, left_open, nothing_taken, play_lines
from bot.commands import Answered, answer_command
from bot.config import Settings
from bot.desk import Reply
from bot.going_on import go_on
from bot.hall import Hall
from bot.identification import TOO_MANY, Known, Part, Verdict, identify, seat_named
from bot.identity.addresses import answer_about_identity, answered_question
from bot.identity.harmless import harmless
from bot.identity.strangers import as_kept
from bot.identity.suspicion import lines_for_others, tell_owners
from bot.identity.wording import left_out, say
from bot.installed import rules_digest
from bot.intake import Arrival, Intake, head_of
from bot.mail.disposition import Examined
from bot.mail.identity import answers_own_letter, bounce_token, reply_token
from bot.mail.mime.message import Incoming
from bot.orders.commands import MailCommand, ShowMap
from bot.reports.given import LineRead
from bot.silence import strikes, unreachable
from bot.silence.announcing import player_is_back
from bot.silence.requests import answer_request
from bot.store import addresses, deadlines, games, mail, sheets, waiting
from bot.store.addresses import Asked
from bot.store.database import DatabaseUnavailable, reading, writing
from bot.store.games import Seat, Table
from bot.tempo import DEFAULT
from bot.tempo import tempo as find_tempo
from bot.timekeeper import Timekeeper
from rules.board import DOTS
from rules.chance import Chance, commitment
from rules.components import FACTIONS, Faction
from rules.events import Event
from rules.play import Play
from rules.ruleset import require_playable

log = logging.getLogger(__name__)

SHEETS_CUT = (
    "Lines of sheets that were filed, were used or ended since then count no more; send “orders” to see which still do."
)

ORDERS = ("accepted", "held", "refused")  # what becomes of lines by which a player shows that he plays


class Moderator:
    """Runs all games of one database. The clock is an argument everywhere: nothing here asks what time it is."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self.settings = settings
        self.engine = engine
        self.hall = Hall(settings, engine)
        self.desk = self.hall.desk
        self.timekeeper = Timekeeper(self.hall)
        self.intake = Intake(settings, engine)

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
        tempo: str = DEFAULT,
        clock: Mapping[str, Any] | None = None,
    ) -> Table:
        """Start a game and mail its players. ``seats`` gives each faction its player's address, ``dots`` its place.

        ``tempo`` says how its stops are spread over days (``bot.tempo``), ``clock`` what differs from the settings
        (``bot.clock.settings.read_own``). UnknownTempo if there is none of that name;
        RuleSetError if the rule set (or an option) is unknown or not played yet; ValueError if the id is taken.
        """
        find_tempo(tempo)
        made_of = games.rule_set(ruleset, options or {})
        require_playable(made_of)
        made = {
            faction: self._new_seat(game_id, faction, dots[faction], address)
            for faction, address in sorted(seats.items(), key=lambda seat: dots[seat[0]])
        }
        play = Play.start(made_of, seed, {faction: dots[faction] for faction in made})
        table = Table(game_id, ruleset, dict(options or {}), seed, play, made, tempo=tempo, clock=dict(clock or {}))
        with writing(self.engine) as conn:
            for seat in made.values():
                seat.address = addresses.in_use(conn, seat.address)
            if games.exists(conn, game_id):
                raise ValueError(f"There is already a game {game_id!r}; choose another id.")
            games.create(conn, table, commitment(seed), rules_digest(), now)
            games.save(conn, table, now, self.hall.clock(table))
            self.desk.begin(conn, table, now)
            games.close(conn, table)
        return table

    def _new_seat(self, game_id: str, faction: Faction, dot: int, address: str) -> Seat:
        secret = self.settings.secrets.secret.get_secret_value().encode()
        token, returns_to = reply_token(secret, game_id, faction, 0), bounce_token(secret, game_id, faction, 0)
        zone = self.settings.mentat.timezone.key
        bank = 60 * self.settings.clock.bank_hours
        return Seat(faction, dot, address.lower(), address.partition("@")[0], zone, token, returns_to, bank=bank)

    def rollback(self, game_id: str, entries: int, now: datetime, why: str = "") -> Table:
        """Take a game back to where its log had so many entries; everybody is told. ValueError if it has fewer."""
        with self.hall.busy, writing(self.engine) as conn:
            self.hall.forget(game_id)
            old = games.open_table(conn, game_id)
            if not 0 <= entries <= old.entries:
                raise ValueError(f"{game_id} has {old.entries} entries; it can be taken back to 0 to {old.entries}.")
            play = Play.start(old.play.game.rules, old.seed, {f: seat.dot for f, seat in old.seats.items()})
            play.replay(games.log_of(conn, game_id)[:entries])
            games.cut(conn, game_id, entries)
            table = Table(
                game_id, old.ruleset, old.options, old.seed, play, old.seats, entries=entries, revision=old.revision,
                tempo=old.tempo, clock=old.clock, stopped_at=old.stopped_at, stopped_why=old.stopped_why,
                absences=old.absences, sheets=sheets.load(conn, game_id, old.seats),
            )  # fmt: skip
            for seat in table.seats.values():
                seat.told, seat.called = min(seat.told, play.state.events), ""
            table.now = now
            calls.open_call(table)  # what was filed since is withdrawn, so all are asked for their sheets again
            games.save(conn, table, now, self.hall.clock(table))
            games.ready_for_deputies(conn, table)
            where = f"turn {play.state.turn}, {play.state.phase}"
            told = f"The game master has taken the game back to {where}. What happened since no longer stands."
            paragraphs = [told, SHEETS_CUT, *([why] if why else [])]
            self.desk.announce(conn, table, now, f"taken back to {where}", paragraphs)
            self.desk.answer(conn, table, {}, play.state.turn, now)
            games.close(conn, table)
        return table

    def check_running_games(self, now: datetime) -> list[str]:
        """Play every running game again with the rules as they are installed now. One that comes out differently is
        held, with a notice to the game master; a sentence for each. A held one that comes out right again goes on.
        Games that these very rules have checked are skipped."""
        problems = []
        installed = rules_digest()
        with reading(self.engine) as conn:
            unchecked = games.to_check(conn, but_not=installed)
        for game_id in unchecked:
            with self.hall.busy, writing(self.engine) as conn:
                found = proof.verify(proof.record(conn, game_id))
                games.mark_checked(conn, game_id, installed, holds=found.holds)
                if not found.holds:
                    problems.append(trouble.game_held(conn, self.desk, game_id, found.difference, installed, now))
        return problems

    # --- time ----------------------------------------------------------------------------------------------------

    def tick(self, now: datetime) -> int:
        """Let the clock act (``bot.timekeeper``); how many games moved."""
        return self.timekeeper.tick(now)

    # --- messages ------------------------------------------------------------------------------------------------

    def receive(
        self, raw: bytes, key: str, now: datetime, too_large: int = 0, comes_again: bool = True
    ) -> Verdict:  # fmt: skip
        """Process a message as it came. ``key`` names it in its mailbox.

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
        with self.hall.busy:
            try:
                with writing(self.engine) as conn:
                    verdict = self._receive(conn, arrival, key, now, comes_again)
            except DatabaseUnavailable:
                self.hall.forget()  # a game in memory may hold what was not committed
                raise
            except Exception as fault:  # a fault of ours must not stop the mail of others
                self.hall.forget()
                return self._put_aside(raw, key, now, fault)
            except BaseException:
                self.hall.forget()
                raise
            if verdict.game_id and self.hall.stands_still(verdict.game_id):
                self.timekeeper.wake(now)
            return verdict

    def deliver(self, raw: bytes, now: datetime) -> Verdict:
        """Process a message that came in a file; its bytes are its key."""
        return self.receive(raw, f"file:{mail.digest(raw)}", now, comes_again=False)

    def _receive(self, conn: Connection, arrival: Arrival, key: str, now: datetime, comes_again: bool) -> Verdict:
        seen, marks, incoming = arrival.seen, arrival.marks, arrival.seen.incoming
        before = mail.seen(conn, marks, now)
        if before:
            again = Verdict(before, "")
            return Verdict("duplicate", "this message was processed before", put_aside=again.shunt)
        found: Known | Asked | Verdict | None = not_orders.dealt_with(conn, self.hall, seen, now)
        if found is None:
            if waits := self._must_wait(conn, arrival, now, comes_again):
                return waits
            unproved = arrival.unproved or arrival.cannot_ask or self.intake.not_proved_yet(conn, arrival, now)
            found = identify(conn, seen, unproved, self.settings.limits.answers_per_hour, now)
        raw = arrival.raw
        if isinstance(found, Asked):
            verdict = answered_question(conn, self.hall, found, seen.reading.lines, now)
        elif isinstance(found, Known):
            verdict = Verdict(seen.verdict.disposition, seen.verdict.reason, found.game_id, found.faction)
            if arrival.unread:
                verdict = replace(verdict, disposition="rejected", reason=arrival.why)
        else:
            why = f"{arrival.why}; {found.reason}" if arrival.why and found.reason != TOO_MANY else found.reason
            verdict = replace(found, reason=why)
            raw = as_kept(conn, self.hall, raw, head_of(raw), marks.sender, now)
        told = isinstance(found, Known) and not self._was_told(conn, verdict, now)
        if verdict.disposition == "rejected" and not isinstance(found, Known):
            self._rejected(conn, verdict, seen, key, now)
        kept = mail.Message(
            marks, incoming.subject if incoming else "", verdict.disposition, verdict.reason, raw, verdict.game_id,
            verdict.faction,
        )  # fmt: skip
        number = mail.keep(conn, kept, now)
        if not isinstance(found, Known) or not told:
            return verdict
        notes = [arrival.unread] if arrival.unread else list(seen.reading.notes)
        notes += [*found.notes, *left_out(seen.reading.ignored, found.faction)]
        taken = self._take(conn, found.parts[0], notes, number, now, incoming)
        taken += sum(self._take(conn, part, (), number, now) for part in found.parts[1:])
        lines_for_others(conn, self.hall, found.game_id, found.faction, found.aimed_at, key, now)
        if incoming:
            unreachable.written_from(conn, self.hall, incoming.sender, now)
        return replace(verdict, taken=taken)

    def _must_wait(self, conn: Connection, arrival: Arrival, now: datetime, comes_again: bool) -> Verdict | None:
        """The verdict on a mail whose sender may be proved later on, and on those behind it."""
        hours = self.settings.identity.dns_hours
        if not arrival.to_be_proved or not hours:
            return None
        after = now - timedelta(hours=hours)
        begun = waiting.since(conn, arrival.marks) or now
        behind = waiting.is_behind(conn, arrival.marks, after)
        if not (arrival.cannot_ask or behind) or begun <= after:
            waiting.ends(conn, arrival.marks)
            return None
        reason = arrival.cannot_ask or "an earlier mail of the same sender waits"
        if comes_again:
            waiting.wait(conn, arrival.marks, reason, seat_named(conn, arrival.seen, now), arrival.raw, now)
        return Verdict("waiting", reason)

    def _was_told(self, conn: Connection, verdict: Verdict, now: datetime) -> bool:
        """Whether a player whose mail could not be read has been told so within the hour."""
        if verdict.disposition != "rejected" or verdict.game_id is None or verdict.faction is None:
            return False
        hour = now - trouble.HOUR
        return bool(mail.put_aside_since(conn, verdict.game_id, verdict.faction, verdict.reason, hour))

    def _take(
        self, conn: Connection, part: Part, notes: Sequence[str], number: int, now: datetime,
        answers: Incoming | None = None,
    ) -> int:  # fmt: skip
        """Read the lines of a known player, let the game go on, and write the letters; how many lines were taken.
        ``answers`` is the mail, if it belongs to this game."""
        table = self.hall.table(conn, part.game_id)
        seat = table.seats[part.faction]
        before, turn, table.now = dict(table.deadlines), table.play.state.turn, now
        commands: Mapping[int, MailCommand] = {}
        back = False
        if part.doubtful or table.status == "held":
            why = say("reading.two-seats") if part.doubtful else trouble.HELD
            lines = nothing_taken(part.lines, why)
            notes = [*notes, *([] if lines else [why])]
        else:
            zone = ZoneInfo(seat.timezone)
            late = Late(lambda: deadlines.missed_kinds(conn, table.id, seat.faction, turn), zone)
            own = [harmless(line, self.settings.mentat.address) for line in part.lines]
            played = play_lines(table, seat.faction, own, late, now.astimezone(zone).date())
            lines, commands = played.lines, played.commands
            back = any(line.status in ORDERS for line in lines) and strikes.heard_from(table, seat.faction)
            games.ready_for_deputies(conn, table)
            go_on(table, now)
            notes = [*notes, *left_open(table, seat.faction, lines)]
        games.save(conn, table, now, self.hall.clock(table), number)
        saved = dict(table.deadlines)
        for place, command in commands.items():
            lines[place] = self._command(conn, table, seat.faction, command, lines[place].text, now)
        before |= {at: due for at, due in table.deadlines.items() if at in before and due != saved.get(at)}  # announced
        if back:
            player_is_back(conn, self.desk, table, seat.faction, now)
        notes = [*unreachable.heard_from(table, seat.faction), *notes]
        notes = [*notes, *not_orders.warn_of_silence(conn, self.hall, table, seat.faction, lines, now)]
        board = any(isinstance(command, ShowMap) for command in commands.values())
        identity = answers.message_id or "" if answers else ""
        in_thread = answers is not None and answers_own_letter(answers, self.settings.mentat.address)
        reply = Reply(seat.faction, lines, notes, identity, board, in_thread)
        self.desk.answer(conn, table, before, turn, now, reply if not_orders.is_answered(seat) else None)
        games.close(conn, table)
        return sum(line.status in ("accepted", "held", "done") for line in lines)

    def _command(
        self, conn: Connection, table: Table, faction: Faction, command: MailCommand, text: str, now: datetime
    ) -> LineRead:
        """A line about the mail itself, answered after the game went on."""

        def latest() -> list[Event]:
            turn = table.play.state.turn
            return [e for number in range(turn - 2, turn + 1) for e in games.events_of_turn(conn, table.id, number)]

        clock = self.hall.clock(table)
        done = answer_request(conn, self.desk, table, faction, command, now, clock)
        done = done or answer_about_identity(conn, self.hall, table, faction, command, now)
        done = done or answer_command(table, faction, command, latest)

        def private() -> Iterable[str]:
            return quoted.private_lines(self.desk.position(table, faction, now, ()), faction, latest())

        if done.press and (warning := quoted.held_back(table, faction, done.press, private)):
            done = Answered("refused", warning)
        if done.press:
            self.desk.press(conn, table, faction, done.press.to, done.press.text, now)
        if done.for_game_master:
            cause = f"{table.id}.{faction}.{table.seats[faction].letters}.{text}"
            self.desk.tell_game_master(conn, now, f"{table.id}: a player asks", [done.for_game_master], cause)
        return LineRead(text, done.status, canonical=text, reason=done.text)

    def _rejected(
        self, conn: Connection, verdict: Verdict, seen: Examined, key: str, now: datetime
    ) -> None:  # fmt: skip
        """Report a message that was put aside; a player who writes too often is told so himself, once an hour."""
        if verdict.reason == TOO_MANY and verdict.game_id and verdict.faction:
            if mail.put_aside_since(conn, verdict.game_id, verdict.faction, TOO_MANY, now - trouble.HOUR):
                return
            table = self.hall.table(conn, verdict.game_id)
            trouble.too_many_messages(conn, self.desk, table, table.seats[verdict.faction], now)
            games.close(conn, table)
        if seen.incoming and verdict.reason.startswith("loop:"):
            not_orders.tell_loop(conn, self.hall, seen.incoming, verdict.reason, now)
            return
        trouble.message_rejected(conn, self.desk, verdict, seen, key, now)
        tell_owners(conn, self.hall, verdict.aimed_at, now)

    def _put_aside(self, raw: bytes, key: str, now: datetime, fault: Exception) -> Verdict:
        """Keep a message that could not be processed."""
        log.error("message %s could not be processed", key, exc_info=fault)
        reason = f"{type(fault).__name__} while it was processed"
        with self.hall.busy, writing(self.engine) as conn:
            marks = mail.Marks(key, mail.digest(raw))
            if not mail.seen(conn, marks, now):
                mail.keep(conn, mail.Message(marks, "", "fault", reason, raw), now)
                trouble.message_failed(conn, self.desk, key, fault, now)
        return Verdict("fault", reason)


def draw_seats(addresses: Sequence[str], seed: str) -> tuple[dict[Faction, str], dict[Faction, int]]:
    """Deal factions and player dots at random (WBC.HR.1): the seats by faction, and the dots."""
    chance = Chance(seed, {})
    factions, dots = list(FACTIONS), list(DOTS)
    chance.shuffle("seats-factions", factions)
    chance.shuffle("seats-dots", dots)
    dealt = factions[: len(addresses)]
    return dict(zip(dealt, addresses, strict=True)), dict(zip(dealt, dots, strict=False))


def utc_now() -> datetime:
    """The present, for those who start things: the command line and the service."""
    return datetime.now(UTC)
