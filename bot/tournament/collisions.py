"""Tournaments of one person whose last rounds would be played at the same time: they are told when they enter.

When a round will be played is known once it is drawn; before, it is reckoned from the days that the settings give it.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from bot.competition.settings import TournamentSettings
from bot.store.database import Connection
from bot.store.tournaments import entrants, rounds, tournaments
from bot.store.tournaments.entrants import Entrant
from bot.store.tournaments.tournaments import Tournament


def of(
    conn: Connection, tournament: Tournament, entrant: Entrant, now: datetime
) -> list[tuple[Tournament, date, date]]:  # fmt: skip
    """The other tournaments of this entrant whose final falls into the time of this one's, with the days of theirs."""
    first, last = final_of(conn, tournament, now)
    found = []
    for other in entrants.everywhere(conn, entrant.address):
        if other.tournament_id == tournament.id or other.state in ("withdrawn", "disqualified", "out", "entered"):
            continue
        its = tournaments.find(conn, other.tournament_id)
        if its.state not in ("open", "drawn", "running") or its.settings.format == "ladder":
            continue
        begins, ends = final_of(conn, its, now)
        if begins <= last and first <= ends and tournament.settings.format != "ladder":
            found.append((its, begins, ends))
    return found


def final_of(conn: Connection, tournament: Tournament, now: datetime) -> tuple[date, date]:
    """The days between which the last round is likely to be played."""
    settings = tournament.settings
    days = timedelta(days=settings.rounds.days)
    before = stages(settings) - 1
    begins = (tournament.until or tournament.opened_at or now) + before * days
    for each in rounds.rounds(conn, tournament.id):
        if each.kind == "final" and each.opens:
            return each.opens.date(), (each.ends or each.opens + days).date()
    return begins.date(), (begins + days).date()


def stages(settings: TournamentSettings) -> int:
    """How many rounds follow each other; heats that are played at the same time are one."""
    told = settings.rounds
    if settings.format == "heats":
        heats = 1 if told.parallel else told.heats
        return heats + bool(told.semifinal) + bool(told.final)
    return told.swiss if settings.format == "swiss" else 1
