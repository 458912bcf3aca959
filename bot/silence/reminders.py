"""Reminders: who owes an answer is told before its deadline, more urgently the nearer it is, in one mail for all of
their games. Nobody is reminded of a window, nor of what is answered already, by themselves or by their sheet.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.games.open_games import OpenGames
from bot.reports.letters import Urgency
from bot.store import deadlines, games, persons
from bot.store.database import Connection, reading
from bot.store.persons import SeatName
from bot.table import rounds
from bot.table.table import Table
from rules.components import Faction

NEAR = timedelta(hours=3)
"""A reminder of another game that would come so soon comes with this one."""


def due_reminders(open_games: OpenGames, now: datetime) -> list[list[SeatName]]:
    """The seats to remind, those of one person together: the ones whose reminder is due, and their others."""
    with reading(open_games.engine) as conn:
        late = deadlines.to_remind(conn, now, open_games.settings.clock.reminder_hours)
        return persons.seats_of_persons(conn, late, now) if late else []


def remind(open_games: OpenGames, seats: Sequence[SeatName], now: datetime) -> bool:
    """Write one reminder to the person whose seats these are, if one is still due; whether it was written."""
    played = {game_id for game_id, _ in seats}
    game_id = played.pop() if len(played) == 1 else None
    return open_games.committed(game_id, lambda conn: _remind(conn, open_games, seats, now))


def _remind(conn: Connection, open_games: OpenGames, seats: Sequence[SeatName], now: datetime) -> bool:
    hours = open_games.settings.clock.reminder_hours
    owing: list[tuple[datetime, Table, Faction]] = []
    called = False
    for game_id, faction in seats:
        table = open_games.table(conn, game_id)
        marked = deadlines.mark_reminded(conn, game_id, faction, now, hours)
        due = _due(table, faction)
        if due is not None:
            called = called or (marked and due <= now + timedelta(hours=max(hours)))
            owing.append((due, table, faction))
    if not called:
        return False
    if len(owing) > 1:
        for _, table, faction in owing:
            deadlines.mark_reminded(conn, table.id, faction, now + NEAR, hours)
    owing.sort(key=lambda each: (each[0], each[1].id))
    last = len(hours) > 1 and owing[0][0] <= now + timedelta(hours=min(hours))
    urgency: Urgency = "last-reminder" if last else "reminder"
    open_games.writer.remind(conn, [(table, faction) for _, table, faction in owing], now, urgency)
    games.close(conn, owing[0][1])
    return True


def _due(table: Table, faction: Faction) -> datetime | None:
    """When the first answer is due that a player owes; None where they owe none."""
    owed = [
        table.due(q)
        for q in table.play.questions()
        if q.faction == faction and not (rounds.takes_no_time(table, q) or q.blanket or q.waived)
    ]
    return min((due for due in owed if due), default=None)
