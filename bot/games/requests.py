"""Players' requests by mail about time and their seats: absent, extend, waking, timezone, letters, resign.

Players announce absences in advance, with an end date, and each player has a limited number of days. The table is told
that somebody is absent, but not who.

With ``extend`` a player postpones the deadlines of the open stop for everybody, within their allowance. Nobody learns
who asked. Only publicly known deadlines move: those of an open call for sheets and of public questions, even if these
are already answered. Reaction windows that are due together with a call move with it. A window alone is not extended,
because the request would show that the player holds something.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from bot.config.time_zones import write_zone, zone_named
from bot.games.notices import announce, another_player, same_words
from bot.games.open_games import Session
from bot.games.silent_players import (
    LEAST_HOURS_A_DAY,
    awake_hours,
    bank_hours,
    let_caretaker_play,
    vote_on_caretaker,
)
from bot.language.commands import (
    Absent,
    Extend,
    Letters,
    LettersMode,
    MailCommand,
    NoAbsence,
    Receipts,
    Resign,
    TimeZone,
    VoteOnCaretaker,
    Waking,
)
from bot.render.material import CommandAnswer
from bot.store import deadlines, record
from bot.store.tournament_rounds import tournament_of
from bot.table.deadlines import zone_of_days
from bot.table.press import names_hidden
from bot.table.rounds import call_closes, extend_call, go_on, is_duty, next_digest
from bot.table.table import Absence, Seat, Table, place_of
from bot.wording import day_and_month, deadline, moment, now_there, say
from rules.components import Faction


def answer_request(session: Session, table: Table, faction: Faction, command: MailCommand) -> CommandAnswer | None:
    match command:
        case Absent():
            return file_absence(session, table, faction, command)
        case NoAbsence():
            return withdraw_absence(session, table, faction)
        case Extend(hours):
            return extend_deadlines(session, table, faction, hours)
        case Waking(hours, zone):
            return _set_waking_hours(session, table, faction, hours, zone)
        case Letters(mode):
            return _set_letters(table, faction, mode, session.now)
        case Receipts(wanted):
            table.seats[faction].receipts = wanted
            table.touched.add(faction)
            return CommandAnswer("done", say("letters.receipts" if wanted else "letters.no-receipts"))
        case TimeZone(zone):
            return _set_timezone(table, faction, zone, session.now)
        case Resign():
            return _resign(session, table, faction)
        case VoteOnCaretaker():
            return vote_on_caretaker(session, table, faction, command)
    return None


def _set_waking_hours(session: Session, table: Table, faction: Faction, hours: str, zone: str) -> CommandAnswer:
    seat = table.seats[faction]
    seat.waking, seat.timezone = hours, zone or seat.timezone
    table.touched.add(faction)
    wider = bank_hours(table, seat)
    if not session.settings.clock.bank_hours:
        runs = "no-bank"
    else:
        runs = "hidden" if names_hidden(table) else "then" if wider == hours else "wider"
    facts = {"hours": awake_hours(hours), "runs": runs, "wider": awake_hours(wider), "least": LEAST_HOURS_A_DAY}
    return CommandAnswer("done", say("waking.hours", **facts, **_clock(seat, session.now)))


def _set_letters(table: Table, faction: Faction, mode: LettersMode, now: datetime) -> CommandAnswer:
    seat = table.seats[faction]
    seat.letters_mode, seat.digest_due = mode, None
    table.touched.add(faction)
    until = moment(next_digest(seat, now), zone_named(seat.timezone)) if mode == "daily" else ""
    return CommandAnswer("done", say(f"letters.{mode}", at=until))


def _set_timezone(table: Table, faction: Faction, zone: str, now: datetime) -> CommandAnswer:
    seat = table.seats[faction]
    seat.timezone = zone
    table.touched.add(faction)
    return CommandAnswer("done", say("waking.zone", **_clock(seat, now)))


def _clock(seat: Seat, now: datetime) -> dict[str, str]:
    return {"zone": write_zone(seat.timezone), "time": now_there(now, zone_named(seat.timezone))}


def _resign(session: Session, table: Table, faction: Faction) -> CommandAnswer:
    seat = table.seats[faction]
    another = another_player(session.conn, table.id, faction)
    told = say("resignation.game-master", faction=faction, game=table.id, address=seat.address, another=another)
    ready = () if tournament_of(session.conn, table.id) else (f"replace {faction} ADDRESS",)
    if seat.care:
        return CommandAnswer("done", say("resignation.caretaker"), told, ready)
    in_tournament = bool(tournament_of(session.conn, table.id))
    if not (session.settings.clock.caretaker_on_resignation or in_tournament):
        return CommandAnswer("done", say("resignation.taken"), told, (*ready, f"caretaker {faction} on"))
    let_caretaker_play(session.conn, table, faction, session.settings.silence.temperament)
    notice = say("caretaker.resigned", faction=faction, how=seat.opponent)
    announce(session, table, say("caretaker.subject", faction=faction), same_words(notice), (faction,))
    go_on(table, session.now)
    session.save(table)
    return CommandAnswer("done", say("resignation.caretaker"), told, ready)


FARTHEST_DAYS_AHEAD = 60
"""How many days ahead of today an absence may begin."""

_DAY = timedelta(days=1)


def file_absence(
    session: Session, table: Table, faction: Faction, asked: Absent, budget: int | None = None
) -> CommandAnswer:
    most = session.settings.clock.absence_days if budget is None else budget
    seat, wanted = table.seats[faction], Absence(asked.first, asked.last)
    before, clock, hidden = seat.timezone, session.games.clock(table), names_hidden(table)
    seat.timezone = asked.zone or before
    zone = zone_of_days(table, faction, clock)
    if refusal := _absence_refusal(table, faction, wanted, session.now.astimezone(zone).date(), most):
        seat.timezone = before
        return CommandAnswer("refused", refusal)
    deadlines.add_absence(session.conn, table, faction, wanted, session.now, clock)
    seat.away += wanted.days
    table.touched.add(faction)
    days = {
        "first": day_and_month(wanted.first),
        "last": day_and_month(wanted.last),
        "back": day_and_month(wanted.last + _DAY),
    }
    left = max(session.settings.clock.absence_days - seat.away, 0)
    notice = say("absence.notice", hidden=hidden, **days)
    announce(session, table, say("absence.subject"), same_words(notice), (faction,))
    told = say("absence.game-master", faction=faction, left=left, **days)
    facts = {"zone": write_zone(zone.key), "time": now_there(session.now, zone), "hidden": hidden}
    return CommandAnswer("done", say("absence.taken", left=left, **days, **facts), for_game_master=told)


def _absence_refusal(table: Table, faction: Faction, wanted: Absence, today: date, budget: int) -> str:
    seat = table.seats[faction]
    first, last = day_and_month(wanted.first), day_and_month(wanted.last)
    if wanted.last < wanted.first:
        years = {"first_year": wanted.first.year, "last_year": wanted.last.year}
        return say("absence.turned", first=first, last=last, **years)
    if wanted.first < today:
        return say("absence.past", first=first)
    if (wanted.first - today).days > FARTHEST_DAYS_AHEAD:
        return say("absence.far", first=first, days=FARTHEST_DAYS_AHEAD)
    for other in table.absences.get(faction, ()):
        if wanted.first <= other.last and other.first <= wanted.last:
            return say("absence.overlaps", first=day_and_month(other.first), last=day_and_month(other.last))
    if wanted.days > budget - seat.away:
        return say("absence.too-long", days=wanted.days, left=max(budget - seat.away, 0))
    return ""


def withdraw_absence(session: Session, table: Table, faction: Faction) -> CommandAnswer:
    seat = table.seats[faction]
    today = session.now.astimezone(zone_of_days(table, faction, session.games.clock(table))).date()
    open_ones = [absence for absence in table.absences.get(faction, ()) if absence.last >= today]
    if not open_ones:
        return CommandAnswer("refused", say("absence.none"))
    deadlines.remove_absences(session.conn, table, faction, open_ones)
    seat.away -= sum((absence.last - max(absence.first, today)).days + 1 for absence in open_ones)
    table.touched.add(faction)
    for absence in open_ones:
        days = {"first": day_and_month(absence.first), "last": day_and_month(absence.last)}
        notice = say("absence.withdrawn-notice", hidden=names_hidden(table), **days)
        announce(session, table, say("absence.withdrawn-subject"), same_words(notice), (faction,))
    spans = [
        say("absence.span", first=day_and_month(absence.first), last=day_and_month(absence.last))
        for absence in open_ones
    ]
    left = max(session.settings.clock.absence_days - seat.away, 0)
    told = say("absence.withdrawn-game-master", faction=faction, spans=spans, left=left)
    return CommandAnswer("done", say("absence.withdrawn", spans=spans, left=left), for_game_master=told)


MOST_HOURS_AT_ONCE = 48


def extend_deadlines(session: Session, table: Table, faction: Faction, hours: int) -> CommandAnswer:
    # beyond the player's allowance, the game master decides
    seat, allowance = table.seats[faction], session.settings.clock.extension_hours
    left = max(allowance - seat.extended, 0)
    called = call_closes(table)
    asked = [q for q in table.play.asked() if not (q.blanket or q.at_once) or (called and table.due(q) == called)]
    if hours < 1:
        return CommandAnswer("refused", say("extension.none"))
    if table.stopped_at:
        return CommandAnswer("refused", say("extension.stopped"))
    duties = [question for question in asked if is_duty(table, question)]
    if not (called or duties):
        return CommandAnswer("refused", say("extension.nothing"))
    if hours > min(MOST_HOURS_AT_ONCE, left):
        told = say("extension.game-master", faction=faction, hours=hours, game=table.id)
        beyond = say("extension.beyond", most=MOST_HOURS_AT_ONCE, left=left)
        return CommandAnswer("done", beyond, told, (f"extend {hours}",))
    places, clock = [place_of(table.play, question) for question in asked], session.games.clock(table)
    deadlines.extend(session.conn, table, places, hours, clock)
    extend_call(table, hours, clock)
    record.note_act(session.conn, table, "extend", f"{hours} h, asked for by a player", session.now)
    seat.extended += hours
    table.touched.add(faction)
    open_until = [call_closes(table), *map(table.due, duties)]
    next_due = min(due for due in open_until if due)

    def until(reader: Seat) -> str:
        hidden = names_hidden(table) and not called
        return "" if hidden else deadline(next_due, session.now, zone_named(reader.timezone))

    def notice(reader: Seat) -> str:
        return say("extension.notice", hours=hours, by=until(reader))

    announce(session, table, say("extension.subject"), notice, (faction,))
    return CommandAnswer("done", say("extension.taken", hours=hours, by=until(seat), left=left - hours))
