"""Time in which nobody's mail could be read is given back to tournaments too: to what is asked, to protests, to rounds,
and to those from whom nothing has come yet.
"""

from __future__ import annotations

from datetime import datetime

from bot.games.open_games import OpenGames
from bot.store.database import Connection, reading
from bot.store.tournaments import acts, papers, results, tournaments
from bot.store.tournaments import rounds as rows
from bot.store.tournaments.tournaments import Tournament
from bot.tournament.desk import acting

COMMAND = "outage"


def give_back(open_games: OpenGames, lost: str, since: datetime, back: datetime) -> None:
    """Everything that ran while time was lost has as much left as it had then. ``lost`` names the loss: it is given
    back once."""
    with reading(open_games.engine) as conn:
        every = [each.id for each in tournaments.every(conn, "open", "drawn", "running")]
        todo = [name for name in every if not _given(conn, name, lost)]
    for name in todo:
        with acting(open_games, name) as (conn, tournament):
            if not _given(conn, name, lost):
                _give_back(conn, tournament, since, back)
                acts.add(conn, name, back, COMMAND, lost)


def _given(conn: Connection, tournament_id: str, lost: str) -> bool:
    done = acts.of_tournament(conn, tournament_id)
    return any(act.command == COMMAND and act.words == lost for act in done)


def _give_back(conn: Connection, tournament: Tournament, since: datetime, back: datetime) -> None:
    span = back - since
    for paper in papers.of_tournament(conn, tournament.id):
        if paper.until and paper.until > since:
            papers.postpone(conn, paper, paper.until + span)
    for result in results.newest(conn, tournament.id).values():
        if result.state == "provisional" and result.stands_at and result.stands_at > since:
            results.postpone(conn, result, result.stands_at + span)
    for each in rows.rounds(conn, tournament.id):
        if each.state == "playing" and each.ends and each.ends > since:
            rows.change_round(conn, tournament.id, each.number, ends=each.ends + span)
    for each_table in rows.playing(conn, tournament.id):
        table = each_table.table
        if table.deadline and table.deadline > since:
            rows.change_table(conn, tournament.id, table.round, table.number, deadline=table.deadline + span)
        if each_table.stopped_at or each_table.began > back:
            continue  # a game that stands still gets it when it goes on
        for held in rows.now_sitting(conn, tournament.id, table.round, table.number):
            waited = held.since or each_table.began
            if held.entrant and not held.ordered and waited < back:
                rows.change_tenure(conn, held, since=waited + span)
