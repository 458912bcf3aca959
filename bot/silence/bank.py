"""The time bank: a public duty that falls due unanswered costs its player some of their own time before silence
answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.clock import waking
from bot.post.letter_writer import LetterWriter
from bot.reports.questions import duty
from bot.reports.times import by
from bot.store import deadlines, overruns
from bot.store.database import Connection
from bot.table.rounds import is_duty
from bot.table.seat import Seat
from bot.table.table import Overrun, Place, Table
from bot.wording.sentences import say


def overrun(conn: Connection, writer: LetterWriter, table: Table, late: Sequence[Place], now: datetime) -> list[Place]:
    """Of these overdue questions, those that silence answers now; for the others a time bank begins to run. It runs
    once for a question, and never for a window, in secret, or where silence is forgiven."""
    duties = {question.key for question in table.play.questions() if is_duty(table, question) and not question.forgiven}
    silent = []
    for place in late:
        seat = table.seats[place[1][0]]
        if place[1] in duties and seat.bank > 0 and not seat.care and place not in table.overruns:
            _run(conn, writer, table, seat, place, now)
        else:
            silent.append(place)
    return silent


def _run(conn: Connection, writer: LetterWriter, table: Table, seat: Seat, place: Place, now: datetime) -> None:
    zone, span = ZoneInfo(seat.timezone), timedelta(minutes=seat.bank)
    since = table.deadlines[place].until
    end = waking.after(since, span, seat.waking, zone)
    overruns.begin(conn, table, place, Overrun(seat.waking, seat.timezone))
    deadlines.postpone(conn, table, [place], end)
    told = say(
        "bank.notice", duty=duty(place[1][1]), minutes=seat.bank, hours=awake_hours(seat.waking),
        by=by(end, now, zone),
    )  # fmt: skip
    writer.notify(conn, table, seat.faction, now, say("bank.subject"), [told])


def awake_hours(hours: str) -> str:
    """ "08:00 and 22:00"; nothing for the whole day."""
    first, _, last = hours.partition("-")
    return say("bank.hours", first=first, last=last) if hours else ""
