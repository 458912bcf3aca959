"""Seats whose players are gone: the caretaker plays them until somebody takes them, and everybody's turns are kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from bot.competition.outcomes import Why
from bot.games.open_games import OpenGames
from bot.silence.announcing import announce, same
from bot.store import games
from bot.store.database import Connection
from bot.store.tournaments import acts
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.rounds import RoundTable, Tenure
from bot.table.advance import go_on
from bot.table.table import TableBefore
from bot.tournament.places import written
from bot.tournament.results import has_ordered
from bot.wording.sentences import say
from rules.components import Faction, as_faction


def vacant(held: Tenure) -> bool:
    """Whether nobody holds this seat."""
    return not held.entrant


def vacate(
    conn: Connection, open_games: OpenGames, table: RoundTable, held: Tenure, now: datetime, *, why: Why | None = None,
    resigned: bool = False,
) -> None:  # fmt: skip
    """Whoever holds a seat is gone, and the caretaker plays it. ``why`` is set for a no-show."""
    ordered = held.ordered or has_ordered(conn, table, held)
    rows.change_tenure(conn, held, ordered=ordered, resigned=resigned, **({"why": why} if why else {}))
    turn = _turn(conn, table)
    first = turn if held.first < turn or why == "no-show" else turn + 1
    then = replace(
        held, entrant=0, first=first, last=0, why="caretaker", since=now, resigned=False, ordered=False, price=0
    )  # fmt: skip
    rows.next_tenure(conn, held, max(held.first, turn - 1), then)
    _care(conn, open_games, table, as_faction(held.faction), now)
    words = f"table {written(table)}, {held.faction}, turn {turn}"
    acts.add(conn, table.tournament_id, now, "vacant", words, audience="directors")


def taken_by(conn: Connection, table: RoundTable, held: Tenure, entrant: Entrant, why: Why, now: datetime) -> None:
    """A vacant seat is somebody's. A caretaker who has not played a turn leaves no trace."""
    turn = _turn(conn, table)
    if held.first >= turn:
        rows.change_tenure(conn, held, entrant=entrant.number, why=why, since=now)
        return
    then = replace(held, entrant=entrant.number, first=turn, last=0, why=why, since=now)
    rows.next_tenure(conn, held, turn - 1, then)


def _turn(conn: Connection, table: RoundTable) -> int:
    return max(1, games.progress(conn, table.game_id)[0])


def _care(conn: Connection, open_games: OpenGames, table: RoundTable, faction: Faction, now: datetime) -> None:
    """The caretaker plays from now on; everybody at the table knows that, and not why."""
    game = open_games.table(conn, table.game_id)
    seat = game.seats[faction]
    if seat.care:
        return
    seat.care = True
    game.touched.add(faction)
    subject, told = say("caretaker.subject", faction=faction), say("tournament.substitute.caretaker", faction=faction)
    announce(conn, open_games.writer, game, now, subject, same(told), (faction,))
    if not game.stopped_at and game.status == "running":
        before = TableBefore.of(game)
        go_on(game, now)
        games.save(conn, game, now, open_games.clock(game))
        open_games.writer.answer(conn, game, before, now)
    games.close(conn, game)
