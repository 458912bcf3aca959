"""The timekeeper, which does the work that is due as time passes.

It applies the default to overdue questions and reminds late players. Each piece of work depends only on the instant
passed to it, and records its effects in the database. So running it twice has no further effect, and nothing is lost if
it crashes halfway.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial

from bot.desk import desk
from bot.desk import seats as desk_seats
from bot.games import notices, observers, retention, silent_players
from bot.games.notices import announce_caretaker
from bot.games.open_games import OpenGames, Session
from bot.lobby import incoming_mail as lobby_mail
from bot.lobby import starting as lobby
from bot.moderator import automatic_mail, outage, press_mail
from bot.monitoring.alerts import Alerts
from bot.monitoring.logs import about, count_lag
from bot.press import last_slot
from bot.store import deadlines, forum_threads, games, installation, mail, people, press
from bot.store.database import Connection, DatabaseUnavailable, reading, writing
from bot.store.people import SeatName
from bot.table.deadlines import note_missed, overdue_questions
from bot.table.deputy import expire
from bot.table.press import slots_of
from bot.table.rounds import go_on
from bot.table.table import Place, Table, TableBefore
from bot.tournament import calendar as tournaments
from rules.components import Faction

log = logging.getLogger(__name__)


class Timekeeper:
    def __init__(self, open_games: OpenGames) -> None:
        self._open_games = open_games
        self._alerts = Alerts(open_games)
        self._forums_wait = {
            name: 2 * timedelta(seconds=forum.poll_seconds) for name, forum in open_games.settings.forums.items()
        }

    def tick_now(self, now: datetime) -> int:
        """Tick at the real current time rather than an instant set by hand. Also send the canary and run the health
        checks, which report problems to the machine's administrator."""
        self._guard("canary", partial(automatic_mail.look_after_canary, self._open_games, now))
        moved = self.tick(now)
        self._guard("alerts", partial(self._alerts.look, now))
        return moved

    def _guard(self, name: str, work: Callable[[], None]) -> None:
        try:
            work()
        except DatabaseUnavailable:
            raise
        except Exception:
            log.exception("%s failed; will retry", name, extra=about("monitoring.failed"))

    def tick(self, now: datetime, only: str = "") -> int:
        """Apply the default to every overdue question and send the reminders that are due. Return how many games moved.

        A fault in one game does not stop the others; the game master is told. No time passes while the mailbox cannot
        be read, or in a game for which a mail is waiting for proof of its sender. In a mass silence, the clocks are
        stopped instead.

        If ``only`` is given, time passes only for that game. All other games, tournaments and stored mail stay as they
        are.
        """
        if not only:
            self._write_desk(now)
        with reading(self._open_games.engine) as conn:
            if outage.no_mail_comes(conn):
                log.warning("no deadline passes while no mail comes in", extra=about("clock.frozen"))
                return 0
            due = self._due(conn, now)
            if due and self._forums_wait:
                unread = forum_threads.held_for_reading(conn, due, self._forums_wait, now)
                due = [game_id for game_id in due if game_id not in unread]
            clock = self._open_games.settings.clock
            counts = due and clock.silence_stops and not only
            silence = outage.find_mass_silence(conn, clock, now) if counts else None
        if only:
            return self._tick_one(only, now, due=only in due)
        self.wake(now)
        if silence:
            outage.stop_all_clocks(self._open_games, silence, now)
            return 0
        moved = sum(self._pass(game_id, now) for game_id in due)
        for seats in silent_players.due_reminders(self._open_games, now):
            self._remind(seats, now)
        self._end_votes(now)
        self._end_sittings(now)
        self._write_digests(now)
        self._write_receipts(now)
        self._send_press(now)
        self._write_summaries(now)
        tournaments.tick(self._open_games, now)
        self._look_after_lobby(now)
        retention.delete_expired(self._open_games, now)
        return moved

    def _due(self, conn: Connection, now: datetime) -> list[str]:
        due = deadlines.due_games(conn, now)
        held_up = installation.games_waited_for(conn, due, now)
        if due and self._open_games.settings.identity.mode != "token+sender":
            waits = timedelta(hours=self._open_games.settings.identity.dns_hours)
            waiting = mail.games_that_wait(conn, now - waits)
            held_up |= {game_id for game_id in waiting if not games.slots_of(conn, game_id)}
        return [game_id for game_id in due if game_id not in held_up]

    def pass_until(self, game_id: str, moment: datetime) -> bool:
        """Apply the defaults that were already overdue at a past moment, before anything that came later takes effect.
        Return True if the game moved."""
        with reading(self._open_games.engine) as conn:
            if outage.no_mail_comes(conn) or game_id not in self._due(conn, moment):
                return False
        return self._pass(game_id, moment)

    def _tick_one(self, game_id: str, now: datetime, *, due: bool) -> int:
        moved = self._pass(game_id, now) if due else False
        for seats in silent_players.due_reminders(self._open_games, now):
            if here := [seat for seat in seats if seat[0] == game_id]:
                self._remind(here, now)
        self._end_votes(now, game_id)
        self._end_sittings(now, game_id)
        self._write_digests(now, game_id)
        self._write_receipts(now, game_id)
        self._send_press(now, game_id)
        self._write_summaries(now, game_id)
        return int(moved)

    def _pass(self, game_id: str, now: datetime) -> bool:
        def passed(conn: Connection, table: Table) -> bool:
            at = last_slot(now, slots_of(table))
            return not self._mail_waits(conn, table, at) and self._expire(conn, table, at)

        moved = False
        with self._guarded(game_id, now):
            moved = self._open_games.in_game(game_id, passed)
        return moved

    def _mail_waits(self, conn: Connection, table: Table, at: datetime) -> bool:
        # Mail that came before a fixed hour counts before the deadlines that fall on that hour
        if installation.mail_waits_for(conn, table.id):
            return True
        hours = slots_of(table)
        return bool(hours) and mail.waits_for_slot(conn, table.id, at - timedelta(hours=2 * hours), at)

    def _end_votes(self, now: datetime, only: str = "") -> None:
        with reading(self._open_games.engine) as conn:
            due = [game_id for game_id in games.with_votes_due(conn, now) if only in ("", game_id)]
        for game_id in due:
            with self._guarded(game_id, now):
                silent_players.end_vote_in_time(self._open_games, game_id, now)

    def _end_sittings(self, now: datetime, only: str = "") -> None:
        with reading(self._open_games.engine) as conn:
            over = [seat for seat in people.sittings_over(conn, now) if only in ("", seat[0])]
        for game_id, faction in over:
            with self._guarded(game_id, now):
                desk_seats.end_sitting_if_over(self._open_games, game_id, faction, now)

    def _write_summaries(self, now: datetime, only: str = "") -> None:
        for game_id in observers.games_to_summarise(self._open_games):
            if only in ("", game_id):
                with self._guarded(game_id, now):
                    observers.write_summaries(self._open_games, game_id, now)

    def _write_desk(self, now: datetime) -> None:
        try:
            desk.write_daily_letter(self._open_games, now, tournaments.events_of_master)
        except DatabaseUnavailable:
            raise
        except Exception:
            log.exception("the letter about the desk could not be written; will retry", extra=about("desk.failed"))

    def _look_after_lobby(self, now: datetime) -> None:
        if self._open_games.settings.lobby.who != "nobody":
            lobby.tick(self._open_games, now)
            lobby_mail.write_waiting_codes(self._open_games, now)

    def _write_digests(self, now: datetime, only: str = "") -> None:
        with reading(self._open_games.engine) as conn:
            due = [seat for seat in deadlines.digests_due(conn, now) if only in ("", seat[0])]
        for game_id, faction in due:
            with self._guarded(game_id, now):
                self._open_games.in_game(game_id, partial(self._write_digest, faction, now))

    def _write_digest(self, faction: Faction, now: datetime, conn: Connection, table: Table) -> None:
        if table.seats[faction].digest_due:
            self._open_games.writer(conn, now).digest(table, faction)

    def _write_receipts(self, now: datetime, only: str = "") -> None:
        with reading(self._open_games.engine) as conn:
            due = [seat for seat in deadlines.receipts_due(conn, now) if only in ("", seat[0])]
        for game_id, faction in due:
            with self._guarded(game_id, now):
                self._open_games.in_game(game_id, partial(self._write_receipt, faction, now))

    def _write_receipt(self, faction: Faction, now: datetime, conn: Connection, table: Table) -> None:
        due = table.seats[faction].receipt_due
        if due and due <= now:
            self._open_games.writer(conn, now).receipt(table, faction)

    def _send_press(self, now: datetime, only: str = "") -> None:
        with reading(self._open_games.engine) as conn:
            due = [game_id for game_id in press.games_with_due(conn, now) if only in ("", game_id)]

        def sent(conn: Connection, table: Table) -> None:
            press_mail.send_due_press(Session(conn, self._open_games, now), table)

        for game_id in due:
            with self._guarded(game_id, now):
                self._open_games.in_game(game_id, sent)

    def wake(self, now: datetime) -> None:
        try:
            outage.start_clocks_if_heard(self._open_games, now)
        except Exception:
            log.exception("the clocks could not be restarted; will retry", extra=about("clock.failed"))

    def _remind(self, seats: Sequence[SeatName], now: datetime) -> None:
        try:
            silent_players.remind_person(self._open_games, seats, now)
        except DatabaseUnavailable:
            raise
        except Exception:
            for seat in seats:
                with self._guarded(seat[0], now):
                    silent_players.remind_person(self._open_games, [seat], now)

    def _expire(self, conn: Connection, table: Table, now: datetime) -> bool:
        before = TableBefore.of(table)
        moved, cared_for, settings = False, list[Faction](), self._open_games.settings
        while table.status == "running" and not table.stopped_at and (late := self._silent(conn, table, before, now)):
            left = [
                key for _, key in late if table.seats[key[0]].has_player
            ]  # the pause of the computer opponents is over, so they will answer
            owing = silent_players.duties_among(table, left)
            for place in late:
                count_lag(now - table.deadlines[place].until)
            gone = expire(table, left)
            note_missed(table.deadlines, [place for place in late if place[1] in gone])
            cared_for += silent_players.count_missed_deadlines(
                conn, table, owing, settings.clock.caretaker_after, settings.silence.temperament
            )
            go_on(table, now)
            notices.report_unanswered_truthtrances(self._open_games.writer(conn, now), table)
            games.save(conn, table, now, self._open_games.clock(table))
            moved = True
        announce_caretaker(Session(conn, self._open_games, now), table, cared_for)
        if moved:
            self._open_games.writer(conn, now).answer(table, before)
        return moved

    def _silent(self, conn: Connection, table: Table, before: TableBefore, now: datetime) -> list[Place]:
        late = overdue_questions(table.deadlines, table.play, now)
        if table.on_hold:
            late = [place for place in late if table.seats[place[1][0]].has_player]
        silent = silent_players.run_time_banks(Session(conn, self._open_games, now), table, late)
        told = [place for place in late if place not in silent and place in before.deadlines]
        before.deadlines.update({place: table.deadlines[place] for place in told})
        return silent

    @contextmanager
    def _guarded(self, game_id: str, now: datetime) -> Iterator[None]:
        try:
            yield
        except DatabaseUnavailable:
            raise
        except Exception as fault:
            log.exception(
                "the deadlines of %s could not be processed", game_id, extra=about("game.failed", game=game_id)
            )
            with writing(self._open_games.engine) as conn:
                notices.report_game_fault(self._open_games.writer(conn, now), game_id, fault)
