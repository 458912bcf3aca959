"""Tables that are seated as players come free: on a ladder, and in heats where nobody has more than some tables at a
time. The director draws and starts the first heat; what follows is drawn and begun by the calendar."""

from __future__ import annotations

import logging
from datetime import datetime

from bot.competition.progress import Next
from bot.games.open_games import OpenGames
from bot.store.database import Connection, reading
from bot.store.tournaments import rounds, tournaments
from bot.store.tournaments.tournaments import Tournament
from bot.tournament import progress
from bot.tournament.desk import By, Refused
from bot.tournament.drawing import Asked, draw
from bot.tournament.places import guarded
from bot.tournament.starting import start

log = logging.getLogger(__name__)
CALENDAR = By("", "", "")


def seat_as_they_come(open_games: OpenGames, now: datetime) -> None:
    """Draw the tables for which enough are free, and begin those that were drawn. Where who is free has met before, or
    factions are not settled yet, it is tried again later."""
    with reading(open_games.engine) as conn:
        going = [each.id for each in tournaments.every(conn, "open", "drawn", "running") if _rolls(each)]
        comes = {each: _comes(conn, tournaments.find(conn, each)) for each in going}
    for tournament_id in going:
        with guarded("seating as they come", tournament_id):
            try:
                if comes[tournament_id]:
                    draw(open_games, tournament_id, now, Asked(by_itself=True), by=CALENDAR)
                with reading(open_games.engine) as conn:
                    planned = _to_begin(conn, tournaments.find(conn, tournament_id))
                for number in planned:
                    start(open_games, tournament_id, now, number=number, by=CALENDAR)
            except Refused as refused:
                log.debug("%s waits: %s", tournament_id, refused)


def _rolls(tournament: Tournament) -> bool:
    if tournament.settings.format == "ladder":
        return True
    rolling = tournament.settings.format == "heats" and tournament.settings.rounds.load > 0
    return rolling and tournament.state == "running"


def _comes(conn: Connection, tournament: Tournament) -> bool:
    """Whether enough are free for another table."""
    comes = progress.following(conn, tournament)
    return isinstance(comes, Next) and comes.kind in ("heat", "ladder")


def _to_begin(conn: Connection, tournament: Tournament) -> list[int]:
    """The rounds of which every table can begin."""
    return [
        each.number
        for each in rounds.rounds(conn, tournament.id)
        if each.state == "drawn" and each.opens is None and each.kind in ("heat", "ladder")
    ]
