"""The timekeeper: what happens because time has passed. Silence answers what is overdue, and who is late is reminded.

Every piece of work is a function of the instant it is given and claims what it does in the database, so running it
twice does nothing, and dying half-way loses nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import Connection

from bot import trouble
from bot.going_on import go_on
from bot.hall import Hall
from bot.store import deadlines, games
from bot.store.database import DatabaseUnavailable, reading, writing
from bot.store.games import Table
from rules.components import Faction

log = logging.getLogger(__name__)


class Timekeeper:
    """Looks after the clocks of all games in the hall."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    def tick(self, now: datetime) -> int:
        """Let silence answer every question that is overdue, and remind who is due to be reminded; how many games
        moved. A game in which something goes wrong does not stop the others; the game master is told."""
        hours = self._hall.settings.clock.reminder_hours
        with reading(self._hall.engine) as conn:
            due = deadlines.due_games(conn, now)
            remind = deadlines.to_remind(conn, now, hours)
        moved = 0
        for game_id in due:
            with self._guarded(game_id, now), self._hall.transaction(game_id) as (conn, table):
                moved += self._expire(conn, table, now)
        for game_id, faction in remind:
            with self._guarded(game_id, now), self._hall.transaction(game_id) as (conn, table):
                if deadlines.mark_reminded(conn, game_id, faction, now, hours) and _duty(table, faction):
                    self._hall.desk.remind(conn, table, faction, now)
        return moved

    def _expire(self, conn: Connection, table: Table, now: datetime) -> bool:
        before, turn = dict(table.deadlines), table.play.state.turn
        moved = False
        while table.status == "running" and (late := deadlines.overdue(table.deadlines, table.play, now)):
            gone = set(table.play.expire([key for _, key in late]))
            deadlines.note_missed(table.deadlines, [place for place in late if place[1] in gone])
            go_on(table, now)
            games.save(conn, table, now, self._hall.clock(table))
            moved = True
        if moved:
            self._hall.desk.answer(conn, table, before, turn, now)
        return moved

    @contextmanager
    def _guarded(self, game_id: str, now: datetime) -> Iterator[None]:
        """Report a fault in one game instead of stopping the others."""
        try:
            yield
        except DatabaseUnavailable:
            raise
        except Exception as fault:
            log.exception("the deadlines of %s could not be looked after", game_id)
            with writing(self._hall.engine) as conn:
                trouble.game_failed(conn, self._hall.desk, game_id, fault, now)


def _duty(table: Table, faction: Faction) -> bool:
    """Whether a player owes an answer; nobody needs to be reminded of what he may react to."""
    return any(question.faction == faction and not question.blanket for question in table.play.questions())
