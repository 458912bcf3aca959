"""Lost time: no deadline passes while mail cannot be read, while Mentat is not running, or after most players have
fallen silent at once.

While the mailbox cannot be read, no default is applied, because the answers may be waiting in it. Afterwards, every
open question in every running game has as much time left as when the trouble began. Only entries that `mentat run`
writes into the database count as signs that Mentat is running, so a clock that a game master sets forward by hand
(`mentat tick --now`) is never mistaken for an outage. Each game gets its time back in its own logged transaction, so a
crash in between neither loses the time nor gives it back twice.

If most players fall silent at the same time, Mentat assumes that the mail has failed, not the players: it stops the
clocks and tells the game master. This is called a mass silence. It takes several people who have written before, who
met their last deadline, and whose duties are due at the same time. Neither they nor anybody else in any game has
written since they were asked. So there is no mass silence in a new game in which nobody has written yet, at a table
where only some players answer, or if players drop out one by one. One silence stops the clocks only once: after a
restart, they can stop again only if somebody has written in between. They restart once two players have written. They
also restart after some hours if any mail has come in, because then it really is the players who are silent.

If the mailbox lists a mail but cannot deliver it, that mail may also contain answers. The clocks of every game for
which the mail may be meant are stopped until it has been read or is gone. The database remembers such mail, and mail
that cannot be moved away, so that each process retries at growing intervals and the game master is told only once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.config import ClockSettings
from bot.desk.clocks import SILENCE, WITHHELD, resume_automatically
from bot.games import notices
from bot.games.notices import LostTimeCause
from bot.games.open_games import OpenGames, Session
from bot.mail.mailbox import StuckMail, StuckMails
from bot.store import deadlines, installation, record
from bot.store import deadlines as silence_rows
from bot.store.database import Connection, reading, writing, writing_no_game
from bot.store.mail import LONGEST_PAUSE, pause_after
from bot.table.calendar import stamp
from bot.tournament import rounds as tournaments

OFTEN_ENOUGH = timedelta(minutes=1)
"""The minimum interval between two records that the mailbox can be read."""


def mailbox_failing(conn: Connection) -> bool:
    known = installation.heartbeat(conn, "mailbox")
    return known is not None and known.failing_since is not None


def canary_missing(conn: Connection) -> bool:
    known = installation.heartbeat(conn, "canary")
    return known is not None and known.failing_since is not None


def no_mail_comes(conn: Connection) -> bool:
    """Return True if there may be answers that Mentat cannot see. Defaults must then wait."""
    return mailbox_failing(conn) or canary_missing(conn)


def note_mailbox_failure(open_games: OpenGames, now: datetime) -> None:
    with writing(open_games.engine) as conn:
        installation.note_failure(conn, "mailbox", now)


def note_mailbox_success(open_games: OpenGames, now: datetime) -> None:
    """Record that the mailbox can be read, and give back the time that was lost since it first failed. If canaries were
    already missing before that, all the time is given back when a canary comes."""
    with reading(open_games.engine) as conn:
        known = installation.heartbeat(conn, "mailbox")
        missing = known is not None and known.failing_since is not None and canary_missing(conn)
    if known and known.failing_since:
        if now - known.failing_since > _shortest_outage(open_games) and not missing:
            give_time_back(open_games, "mailbox", known.failing_since, now)
            _miss_canaries_from(open_games, now)
    elif known and abs(now - known.at) < OFTEN_ENOUGH:
        return
    with writing(open_games.engine) as conn:
        installation.beat(conn, "mailbox", now)


def note_canary_success(open_games: OpenGames, since: datetime, now: datetime) -> None:
    """Give back the time lost since the first missing canary, because one has come back, or because canaries are no
    longer sent."""
    if now - since > _shortest_outage(open_games):
        give_time_back(open_games, "canary", since, now)
    with writing_no_game(open_games.engine) as conn:
        installation.beat(conn, "canary", now)


def _miss_canaries_from(open_games: OpenGames, back: datetime) -> None:
    with writing_no_game(open_games.engine) as conn:
        sent = installation.heartbeat(conn, "canary-sent")
        if sent and sent.failing_since and sent.failing_since < back:
            installation.note_stop(conn, "canary-sent", sent.at, back)


def note_service_beat(open_games: OpenGames, now: datetime) -> None:
    """Record that `mentat run` is running, and give back the time lost since the last such record. If the mailbox
    failed or a canary went missing in the meantime, the time is given back when that problem is over instead."""
    with reading(open_games.engine) as conn:
        service, mailbox = installation.heartbeat(conn, "service"), installation.heartbeat(conn, "mailbox")
        failing = no_mail_comes(conn)
    if service and not failing:
        last = max(service.at, mailbox.at) if mailbox else service.at
        if now - last > _shortest_outage(open_games):
            give_time_back(open_games, "service", last, now)
            _miss_canaries_from(open_games, now)
    with writing(open_games.engine) as conn:
        installation.beat(conn, "service", now)


def give_time_back(open_games: OpenGames, cause: LostTimeCause, since: datetime, back: datetime) -> None:
    """Give lost time back to every running game in which a question is open, and tell each player in one mail. Games
    whose clocks are stopped get it when they start again."""
    lost = f"{cause} {stamp(since)}"
    with reading(open_games.engine) as conn:
        todo = deadlines.games_without_lost_time(conn, lost)
    for game_id in todo:
        with open_games.transaction(game_id) as (conn, table):
            if game_id not in deadlines.games_without_lost_time(conn, lost):
                continue  # another process has given the time back already
            if table.stopped_at:
                table.stopped_at = min(table.stopped_at, since)
            else:
                clock = open_games.clock(table)
                deadlines.give_back(conn, table, clock, since, back)
                if table.call_due and table.call_due > since:
                    table.call_due = clock.later(table.call_due, since, back)
            record.note_act(conn, table, "outage", lost, back)
    tournaments.give_back_lost_time(open_games, lost, since, back)
    with writing(open_games.engine) as conn:
        notices.tell_time_given_back(
            open_games.writer(conn, back), cause, deadlines.games_with_lost_time(conn, lost), since
        )


def _shortest_outage(open_games: OpenGames) -> timedelta:
    return timedelta(minutes=open_games.settings.clock.outage_minutes)


ENOUGH_PERSONS = 2
"""This many players must have written again before the clocks start."""


@dataclass(frozen=True, slots=True)
class MassSilence:
    persons: int
    since: datetime


def find_mass_silence(conn: Connection, clock: ClockSettings, now: datetime) -> MassSilence | None:
    last = silence_rows.last_heard(conn)
    if last is None:
        return None
    known = installation.heartbeat(conn, "silence")
    if known and known.at >= last:
        return None
    duties = silence_rows.overdue_duties(conn, now)
    due = {row.address for row in duties}
    asked = [row for row in duties if row.asked_at and row.asked_at >= last]
    silent = {row.address for row in asked if row.state == "open" and not row.missed}
    if len(silent) < clock.silence_players or 100 * len(silent) < clock.silence_percent * len(due):
        return None
    heard = silence_rows.ever_heard(conn, silent)
    if len(heard) < clock.silence_players or 100 * len(heard) < clock.silence_percent * len(due):
        return None
    return MassSilence(len(heard), last)


def stop_all_clocks(open_games: OpenGames, silence: MassSilence, now: datetime) -> None:
    with open_games.busy, writing(open_games.engine) as conn:
        silence_rows.stop_clocks(conn, silence.since, SILENCE, now)
        installation.note_stop(conn, "silence", now, silence.since)
        stopped = silence_rows.stopped_games(conn, SILENCE)
        notices.tell_mass_silence(open_games.writer(conn, now), silence.persons, silence.since, stopped)


def start_clocks_if_heard(open_games: OpenGames, now: datetime) -> None:
    longest = timedelta(hours=open_games.settings.clock.silence_hours)
    with reading(open_games.engine) as conn:
        known = installation.heartbeat(conn, "silence")
        if known is None or known.failing_since is None:
            return
        heard = len(silence_rows.heard_after(conn, known.at)) >= ENOUGH_PERSONS
        if not heard and not (longest and now >= known.at + longest and _mail_comes(conn, known.at)):
            return
    start_all_clocks(open_games, now, "players write again" if heard else "mail comes, but not from the players")


def _mail_comes(conn: Connection, since: datetime) -> bool:
    canary = installation.heartbeat(conn, "canary")
    return silence_rows.mail_came_after(conn, since) or (canary is not None and canary.at > since)


def start_all_clocks(open_games: OpenGames, now: datetime, why: str) -> int:
    with reading(open_games.engine) as conn:
        known = installation.heartbeat(conn, "silence")
        stopped = silence_rows.stopped_games(conn, SILENCE)
    for game_id in stopped:
        with open_games.transaction(game_id) as (conn, table):
            if table.stopped_why == SILENCE:
                resume_automatically(Session(conn, open_games, now), table, why)
    if known and known.failing_since:
        with writing(open_games.engine) as conn:
            went_on = silence_rows.resumed_since(conn, known.at)
            notices.tell_time_given_back(open_games.writer(conn, now), "silence", went_on, known.failing_since)
            installation.beat(conn, "silence", now)
    return len(stopped)


PossibleGames = Callable[[bytes, datetime], tuple[str, set[str]]]
"""A function that returns, from the head of a mail, its sender and the games that it may be for."""
TOLD_AT = 2
"""The game master is told of a mail that cannot be read at the second failure, because the first may be temporary."""
EVERY_GAME = ("*",)


class RememberedMail(StuckMails):
    def __init__(self, open_games: OpenGames, possible: PossibleGames, clock: Callable[[], datetime]) -> None:
        self._open_games = open_games
        self._possible_games = possible
        self._clock = clock

    def load(self) -> dict[str, StuckMail]:
        with reading(self._open_games.engine) as conn:
            return {stuck.key: stuck for stuck in installation.stuck_mails(conn)}

    def is_due(self, stuck: StuckMail) -> bool:
        now = self._clock()
        # a time too far ahead means that the clock was set back
        return stuck.next_try_at is None or not now < stuck.next_try_at <= now + LONGEST_PAUSE

    def keep(self, stuck: StuckMail, head: bytes) -> None:
        now = self._clock()
        pause = pause_after(stuck.tries - 1) if stuck.tries > 1 else timedelta()
        kept = replace(stuck, since=stuck.since or now, next_try_at=now + pause)
        if not stuck.folder and not stuck.games:
            sender, games = self._possible_games(head, now) if head else ("", set())
            kept = replace(kept, sender=sender, games=tuple(sorted(games)) or EVERY_GAME)
        with self._open_games.busy, writing(self._open_games.engine) as conn:
            installation.keep_stuck_mail(conn, kept)
            if not stuck.folder and stuck.tries == 1:
                games_alone = None if kept.games == EVERY_GAME else kept.games
                silence_rows.stop_clocks(conn, now, WITHHELD, now, games_alone)
            if stuck.tries == TOLD_AT:
                self._tell(conn, kept, now)

    def rename(self, stuck: StuckMail, key: str) -> None:
        with writing(self._open_games.engine) as conn:
            installation.forget_stuck_mail(conn, stuck.key)
            installation.keep_stuck_mail(conn, replace(stuck, key=key))

    def forget(self, key: str) -> None:
        with writing(self._open_games.engine) as conn:
            installation.forget_stuck_mail(conn, key)

    def _tell(self, conn: Connection, stuck: StuckMail, now: datetime) -> None:
        for each in installation.stuck_mails(conn):
            covered = each.games == EVERY_GAME or {*stuck.games} <= {*each.games}
            if each.key != stuck.key and each.tries >= TOLD_AT and bool(each.folder) == bool(stuck.folder) and covered:
                return  # the letter about the other mail already says everything
        writer = self._open_games.writer(conn, now)
        if stuck.folder:
            notices.tell_unmoved_mail(writer, stuck)
            return
        stopped = silence_rows.stopped_games(conn, WITHHELD)
        games = [game_id for game_id in stopped if stuck.games == EVERY_GAME or game_id in stuck.games]
        notices.tell_withheld_mail(writer, stuck, games)


def start_clocks_if_read(open_games: OpenGames, now: datetime) -> None:
    with reading(open_games.engine) as conn:
        stopped = silence_rows.stopped_games(conn, WITHHELD)
        still = {game_id for stuck in installation.stuck_mails(conn) for game_id in stuck.games} if stopped else set()
    for game_id in () if EVERY_GAME[0] in still else sorted({*stopped} - still):
        with open_games.transaction(game_id) as (conn, table):
            if table.stopped_why != WITHHELD or (since := table.stopped_at) is None:
                continue
            resume_automatically(Session(conn, open_games, now), table, "mail can be read again")
            if now - since > _shortest_outage(open_games):
                notices.tell_clocks_after_withheld_mail(open_games.writer(conn, now), table, since)
