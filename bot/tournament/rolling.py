"""Tables that are seated as they come: on a ladder, and where nobody has more than so many tables at a time, the next
is drawn and begun as soon as six are free. The first draw, with which entries close, is the director's.
"""

from __future__ import annotations

from datetime import datetime

from bot.competition.progress import SEATS, Next
from bot.games.open_games import OpenGames
from bot.store.database import Connection, reading
from bot.store.tournaments import rounds, tournaments
from bot.store.tournaments.tournaments import Tournament
from bot.tournament.desk import By, Refused
from bot.tournament.drawing import draw
from bot.tournament.places import guarded
from bot.tournament.progress import following, free
from bot.tournament.starting import start

CALENDAR = By("", "", "")


def seat_who_is_free(open_games: OpenGames, now: datetime) -> None:
    """Draw and begin the tables for which there are enough. What cannot be yet (those who are ready have met lately,
    factions are not settled) is tried again."""
    with reading(open_games.engine) as conn:
        rolling = [each for each in tournaments.every(conn, "running") if _rolls(each)]
        enough = [each for each in rolling if free(conn, each) >= SEATS]
        todraw = [each.id for each in enough if isinstance(comes := following(conn, each), Next) and _more(comes)]
        tostart = [each.id for each in rolling if each.id in todraw or _drawn(conn, each)]
    for name in tostart:
        with guarded("seating who is free", name):
            try:
                if name in todraw:
                    draw(open_games, name, now, by=CALENDAR)
                start(open_games, name, now, by=CALENDAR)
            except Refused:
                continue


def _rolls(tournament: Tournament) -> bool:
    settings = tournament.settings
    return settings.format == "ladder" or (settings.format == "heats" and settings.rounds.load > 0)


def _more(comes: Next) -> bool:
    """Semifinals and finals are drawn by the director."""
    return comes.kind in ("heat", "ladder")


def _drawn(conn: Connection, tournament: Tournament) -> bool:
    return bool(rounds.tables(conn, tournament.id, states=["planned"]))
