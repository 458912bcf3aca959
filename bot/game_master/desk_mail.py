"""The desk as it is now, and its letter of the day to the game master.

The letter is due once a day at a time of day in Mentat's zone. For which of these moments it was last written, or left
out as nothing waited, is noted in the same transaction; so there is one a day whatever happens: not two after a crash,
and one alone after days on which Mentat was not at work or was told that it is later (`mentat tick --now`).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.clock.calendar import at
from bot.clock.instants import stamp
from bot.game_master.desk import LOOKED_BACK, Desk, Machine, look
from bot.game_master.desk_words import blocks, of_one
from bot.games.open_games import OpenGames
from bot.identity.persons import identifiers
from bot.mail.mailboxes import mailbox_of
from bot.reports import letters
from bot.reports.document import Paragraph
from bot.reports.times import day
from bot.store import desk, heartbeats
from bot.store.database import Connection, reading, size_of, writing
from bot.store.tournaments import entrants, matters, tournaments
from bot.store.tournaments.matters import Matter as EventMatter
from bot.wording.sentences import say

A_DAY = timedelta(days=1)


def desk_now(conn: Connection, open_games: OpenGames, now: datetime) -> Desk:
    """What lies on the desk."""
    settings = open_games.settings
    rows = desk.read(conn, now - LOOKED_BACK, now)
    own = is_master(conn, open_games)
    machine = _machine(conn, settings.mentat.database)
    return look(rows, machine, now, settings, own, list(_events(conn, own, now)))


def _events(conn: Connection, own: Callable[[str], bool], now: datetime) -> Iterator[tuple[str, EventMatter]]:
    """What waits in tournaments, except in those that the game master has entered."""
    for tournament in tournaments.every(conn, "open", "drawn", "running"):
        if not any(own(entrant.address) for entrant in entrants.of_tournament(conn, tournament.id)):
            for matter in matters.waiting(conn, tournament, now):
                yield tournament.id, matter


def waits(conn: Connection, open_games: OpenGames, game_id: str, now: datetime) -> list[str]:
    """Where one game stands and what waits in it, a line each."""
    found, zone = desk_now(conn, open_games, now), open_games.settings.mentat.timezone
    here = [standing for standing in found.games if standing.game.id == game_id]
    matters = [matter for matter in found.matters if matter.game == game_id]
    return of_one(replace(found, games=here, matters=matters), zone)


def is_master(conn: Connection, open_games: OpenGames) -> Callable[[str], bool]:
    """Whether an address is the game master's own, by whatever tag and letter case."""
    settings = open_games.settings
    own = identifiers(conn, settings, settings.mentat.game_master)
    apart = settings.identity.tags_apart
    return lambda address: (address.lower() if apart else mailbox_of(address)) in own


def _machine(conn: Connection, database: Path) -> Machine:
    service, mailbox = heartbeats.heartbeat(conn, "service"), heartbeats.heartbeat(conn, "mailbox")
    try:
        free = shutil.disk_usage(database.parent).free
        taken = size_of(conn)
    except OSError:
        free = taken = 0
    return Machine(free, taken, service.at if service else None, mailbox.failing_since if mailbox else None)


def write(open_games: OpenGames, now: datetime) -> bool:
    """Write the letter of the day, if one is due; whether one was written."""
    mentat = open_games.settings.mentat
    if mentat.desk_mail is None:
        return False
    due = _last_due(now, mentat.desk_mail, mentat.timezone)
    with reading(open_games.engine) as conn:
        if not _is_due(conn, due, now):
            return False
    with open_games.busy, writing(open_games.engine) as conn:
        known = heartbeats.heartbeat(conn, "desk")
        if not _is_due(conn, due, now):
            return False
        heartbeats.beat(conn, "desk", due)
        if known is None or known.at > due:
            return False  # Mentat is new here, or was told yesterday that it is next year: from the next day on
        found = desk_now(conn, open_games, now)
        if not found.matters and not mentat.desk_mail_always:
            return False
        _write(conn, open_games, found, due, mentat.timezone)
    return True


def _is_due(conn: Connection, due: datetime, now: datetime) -> bool:
    known = heartbeats.heartbeat(conn, "desk")
    return known is None or known.at < due or known.at > now + A_DAY


def _last_due(now: datetime, wall: time, zone: ZoneInfo) -> datetime:
    """The last moment at which the letter was due."""
    today = now.astimezone(zone).date()
    days = (at(today - A_DAY * back, wall, zone) for back in range(3))
    return next(moment for moment in days if moment <= now)


def _write(conn: Connection, open_games: OpenGames, found: Desk, due: datetime, zone: ZoneInfo) -> None:
    today, count = day(due.astimezone(zone).date()), len(found.matters)
    subject = say("desk-look.subject", day=today, matters=count) if count else say("desk-look.quiet-subject", day=today)
    opening = say("desk-look.opening")
    body = [
        *blocks(found, zone, machine=False),
        Paragraph(opening, "small"),
        Paragraph(say("desk-look.often"), "small"),
    ]
    rendered = letters.to_game_master(subject, body, opening)
    open_games.writer.send(conn, found.now, open_games.settings.mentat.game_master, rendered, f"desk.{stamp(due)}")
