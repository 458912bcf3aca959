"""The letter of the day to an entrant: what waits for them at all of their tables of a tournament, and until when.

It comes as they wake, by their own clock, once a day and person, and not at all on a day on which nothing waits. Who
gets one depends on nothing but their own duties.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.clock.calendar import at
from bot.games.open_games import OpenGames
from bot.reports.times import by
from bot.store import addresses, games
from bot.store.database import Connection, reading
from bot.store.tournaments import entrants, rounds, tournaments
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.tournaments import Tournament
from bot.table import rounds as calls
from bot.table.table import Table
from bot.tournament.desk import acting
from bot.wording.sentences import say
from rules.components import Faction

FIRST_HOUR = 7
"""When the letter comes to somebody who has not said when they are awake."""


@dataclass(frozen=True, slots=True)
class Waits:
    """A seat of theirs from which something is wanted, and until when (None: no matter)."""

    table: Table
    faction: Faction
    due: datetime | None


def next_digest(entrant: Entrant, now: datetime) -> datetime:
    """When the next letter of the day comes: in the first hour in which they are awake."""
    zone = ZoneInfo(entrant.timezone)
    today = now.astimezone(zone).date()
    mornings = (at(today + timedelta(days=number), time(_wakes(entrant, now)), zone) for number in range(3))
    return next(moment for moment in mornings if moment > now)


def _wakes(entrant: Entrant, now: datetime) -> int:
    """The hour of their clock in which they wake."""
    mask = entrant.hours
    if not mask or mask == (1 << 24) - 1:
        return FIRST_HOUR
    first = next(hour for hour in range(24) if mask >> hour & 1 and not mask >> ((hour - 1) % 24) & 1)
    return now.replace(hour=first, minute=0).astimezone(ZoneInfo(entrant.timezone)).hour


def write(open_games: OpenGames, now: datetime) -> None:
    """Write the letters that are due, each person's in a transaction of its own; and note when those of people are who
    have come to a table since."""
    with reading(open_games.engine) as conn:
        running = [each for each in tournaments.every(conn, "running") if each.settings.people.digest]
        due = {(each.tournament_id, each.number) for each in entrants.digests_due(conn, now)}
        todo = [each.id for each in running if _to_note(conn, each.id)]
    for tournament_id in todo:
        with acting(open_games, tournament_id, quietly=True) as (conn, _):
            for entrant in _to_note(conn, tournament_id):
                entrants.change(conn, tournament_id, entrant.number, digest_due=next_digest(entrant, now))
    for tournament_id, number in sorted(due):
        with acting(open_games, tournament_id, quietly=True) as (conn, tournament):
            for entrant in entrants.digests_due(conn, now, tournament_id, number):
                _write(conn, open_games, tournament, entrant, now)


def _to_note(conn: Connection, tournament_id: str) -> list[Entrant]:
    """Who sits at a table that is played and waits for no letter of the day yet."""
    playing = {(table.round, table.number) for table in rounds.tables(conn, tournament_id, 0, ["playing"])}
    seated = {t.entrant for t in rounds.now_sitting(conn, tournament_id) if (t.round, t.table) in playing}
    everybody = entrants.of_tournament(conn, tournament_id) if seated else []
    return [entrant for entrant in everybody if entrant.number in seated and entrant.digest_due is None]


def _write(conn: Connection, open_games: OpenGames, tournament: Tournament, entrant: Entrant, now: datetime) -> None:
    plays = tournament.state == "running" and rounds.games_of(conn, tournament.id, entrant.number)
    again = next_digest(entrant, now) if plays and tournament.settings.people.digest else None
    entrants.change(conn, tournament.id, entrant.number, digest_due=again)
    if again is None:
        return
    waits = what_waits(conn, open_games, entrant)
    if not waits:
        return
    first = next((each.due for each in waits if each.due), None)
    zone = ZoneInfo(entrant.timezone)
    told = [say("tournament-digest.first", by=by(first, now, zone))] if first else []
    headline = say("tournament-digest.headline", title=tournament.title, games=len(waits))
    seats = [(each.table, each.faction) for each in waits]
    open_games.writer.digest_of_games(conn, seats, now, tournament.id, headline, told)
    for table in {each.table.id: each.table for each in waits}.values():
        games.close(conn, table)


def what_waits(conn: Connection, open_games: OpenGames, entrant: Entrant) -> list[Waits]:
    """Their seats from which something is wanted, the most urgent first."""
    known = addresses.known_as(conn, entrant.address)
    found = []
    for game_id in rounds.games_of(conn, entrant.tournament_id, entrant.number):
        table = open_games.table(conn, game_id)
        if table.status != "running" or table.stopped_at:
            continue
        for seat in table.seats.values():
            if seat.address not in known:
                continue
            asked = [q for q in table.play.questions() if q.faction == seat.faction]
            dues = [table.due(q) for q in asked if not q.blanket and not calls.takes_no_time(table, q)]
            if calls.awaits(table, seat.faction):
                dues.append(table.call_due)
            if dues:
                found.append(Waits(table, seat.faction, min((due for due in dues if due), default=None)))
    return sorted(found, key=lambda each: (each.due is None, each.due, each.table.id))
