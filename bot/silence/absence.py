"""Absences that players announce: within a budget of days, ahead, with an end; the table is told, but not who it is."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.clock.settings import GameClock
from bot.orders.commands import Absent
from bot.post.answered import Answered
from bot.post.letter_writer import LetterWriter
from bot.reports.times import day
from bot.silence.announcing import announce, same
from bot.store import absences
from bot.store.database import Connection
from bot.table.table import Absence, Table
from bot.wording.sentences import say
from rules.components import Faction

FARTHEST = 60
"""How many days ahead an absence may begin."""

_DAY = timedelta(days=1)


def file_absence(
    conn: Connection, writer: LetterWriter, table: Table, faction: Faction, asked: Absent, now: datetime, clock:
    GameClock
) -> Answered:  # fmt: skip
    """Take an absence down and tell everybody; or say why not."""
    seat, wanted = table.seats[faction], Absence(asked.first, asked.last)
    if refusal := _refusal(table, faction, wanted, now, writer.settings.clock.absence_days):
        return Answered("refused", refusal)
    absences.add(conn, table, faction, wanted, now, clock)
    seat.away += wanted.days
    table.touched.add(faction)
    days = {"first": day(wanted.first), "last": day(wanted.last), "back": day(wanted.last + _DAY)}
    left = writer.settings.clock.absence_days - seat.away
    notice = say("absence.notice", **days)
    announce(conn, writer, table, now, say("absence.subject"), same(notice), (faction,))
    told = say("absence.game-master", faction=faction, left=left, **days)
    return Answered("done", say("absence.taken", left=left, **days), for_game_master=told)


def _refusal(table: Table, faction: Faction, wanted: Absence, now: datetime, budget: int) -> str:
    seat = table.seats[faction]
    today = now.astimezone(ZoneInfo(seat.timezone)).date()
    first, last = day(wanted.first), day(wanted.last)
    if wanted.last < wanted.first:
        years = {"first_year": wanted.first.year, "last_year": wanted.last.year}
        return say("absence.turned", first=first, last=last, **years)
    if wanted.first < today:
        return say("absence.past", first=first)
    if (wanted.first - today).days > FARTHEST:
        return say("absence.far", first=first, days=FARTHEST)
    for other in table.absences.get(faction, ()):
        if wanted.first <= other.last and other.first <= wanted.last:
            return say("absence.overlaps", first=day(other.first), last=day(other.last))
    if wanted.days > budget - seat.away:
        return say("absence.too-long", days=wanted.days, left=max(budget - seat.away, 0))
    return ""


def take_back(conn: Connection, writer: LetterWriter, table: Table, faction: Faction, now: datetime) -> Answered:
    """Take back the days of absence that have not begun to pass; days that have passed stay spent."""
    seat = table.seats[faction]
    today = now.astimezone(ZoneInfo(seat.timezone)).date()
    open_ones = [absence for absence in table.absences.get(faction, ()) if absence.last >= today]
    if not open_ones:
        return Answered("refused", say("absence.none"))
    absences.remove(conn, table, faction, open_ones)
    seat.away -= sum((absence.last - max(absence.first, today)).days + 1 for absence in open_ones)
    table.touched.add(faction)
    for absence in open_ones:
        notice = say("absence.withdrawn-notice", first=day(absence.first), last=day(absence.last))
        announce(conn, writer, table, now, say("absence.withdrawn-subject"), same(notice), (faction,))
    spans = [say("absence.span", first=day(absence.first), last=day(absence.last)) for absence in open_ones]
    left = writer.settings.clock.absence_days - seat.away
    told = say("absence.withdrawn-game-master", faction=faction, spans=spans, left=left)
    return Answered("done", say("absence.withdrawn", spans=spans, left=left), for_game_master=told)
