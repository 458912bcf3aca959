"""More time: a player moves the deadlines of the open stop for everybody, within their allowance; nobody is told who.

Whether there is anything to move is read from what all can see: an open call for sheets, and what is asked publicly,
answered or not. Windows that are due with a call move with it; a window alone is not extended: who asks for that would
be known to hold something.
"""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.clock.settings import GameClock
from bot.post.answered import Answered
from bot.post.letter_writer import LetterWriter
from bot.reports.times import by
from bot.silence.announcing import announce
from bot.store import acts, deadlines
from bot.store.database import Connection
from bot.table.rounds import call_closes, extend_call, is_duty
from bot.table.seat import Seat
from bot.table.table import Table, place_of
from bot.wording.sentences import say
from rules.components import Faction

MOST_AT_ONCE = 48  # hours


def extend(
    conn: Connection, writer: LetterWriter, table: Table, faction: Faction, hours: int, now: datetime, clock: GameClock
) -> Answered:  # fmt: skip
    """Let what is open be due so many hours later, or say why not; beyond the allowance the game master decides."""
    seat, allowance = table.seats[faction], writer.settings.clock.extension_hours
    left = max(allowance - seat.extended, 0)
    called = call_closes(table)
    asked = [q for q in table.play.asked() if not (q.blanket or q.at_once) or (called and table.due(q) == called)]
    if hours < 1:
        return Answered("refused", say("extension.none"))
    if table.stopped_at:
        return Answered("refused", say("extension.stopped"))
    duties = [question for question in asked if is_duty(table, question)]
    if not (called or duties):
        return Answered("refused", say("extension.nothing"))
    if hours > min(MOST_AT_ONCE, left):
        told = say("extension.game-master", faction=faction, hours=hours, game=table.id)
        return Answered("done", say("extension.beyond", most=MOST_AT_ONCE, left=left), for_game_master=told)
    places = [place_of(table.play, question) for question in asked]
    deadlines.extend(conn, table, places, hours, clock)
    extend_call(table, hours, clock)
    acts.done(conn, table, "extend", f"{hours} h, asked for by a player", now)
    seat.extended += hours
    table.touched.add(faction)
    open_until = [call_closes(table), *map(table.due, duties)]
    next_due = min(due for due in open_until if due)

    def until(reader: Seat) -> str:
        return by(next_due, now, ZoneInfo(reader.timezone))

    def notice(reader: Seat) -> str:
        return say("extension.notice", hours=hours, by=until(reader))

    announce(conn, writer, table, now, say("extension.subject"), notice, (faction,))
    return Answered("done", say("extension.taken", hours=hours, by=until(seat), left=left - hours))
