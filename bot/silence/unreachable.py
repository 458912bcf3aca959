"""Players whom no mail reaches: when that is believed, what the table and the game master are told, and its end.

A final refusal (5.x.x, RFC 3463) is believed at once. A delay, a full mailbox or a report that does not say (4.x.x)
counts a third of that, for a week: three of them are believed. One spell is reported once, however many letters come
back in it, and ends with anything that he sends, or when the game master lets his letters be sent again.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from bot import trouble
from bot.hall import Hall
from bot.reports.times import by, clock_of, moment
from bot.reports.wording import template
from bot.silence.announcing import announce
from bot.store import games, mail, unreachable
from bot.store.games import Table
from bot.store.tables import stamp
from rules.components import Faction

WORDS = "letters/undelivered.toml"
FOR_GOOD, FOR_NOW = 3, 1
BELIEVED = 3
FORGOTTEN = timedelta(days=7)
MOST_SENT_AGAIN = 30


def say(sentence: str, **facts: Any) -> str:
    """A sentence about mail that comes back, or that a program wrote, with its facts."""
    return template(WORDS, sentence).render(facts)


def mail_came_back(
    conn: Connection, hall: Hall, table: Table, faction: Faction, points: int, report: str, now: datetime
) -> None:  # fmt: skip
    """A letter to this player came back. Where that is now enough to be believed, his duties wait for him, and the
    table and the game master are told."""
    seat = table.seats[faction]
    if seat.unreachable:
        return
    lately = bool(seat.undelivered_at) and now - datetime.fromisoformat(seat.undelivered_at) < FORGOTTEN
    seat.undelivered = (seat.undelivered if lately else 0) + points
    seat.undelivered_at = stamp(now)
    table.touched.add(faction)
    if seat.undelivered < BELIEVED:
        return
    until = unreachable.begin(conn, table, faction, now, hall.settings.clock.unreachable_hours, hall.clock(table))
    told = [say("unreachable.game-master", address=seat.address, report=report)]
    if until:
        told.append(say("unreachable.wait", faction=faction, by=by(until, now, hall.settings.mentat.timezone)))
        _tell_table(conn, hall, table, faction, until, now)
    else:
        told.append(say("unreachable.no-wait"))
    told.append(say("unreachable.advice", game=table.id, faction=faction))
    subject = say("unreachable.subject", game=table.id, faction=faction)
    hall.desk.tell_game_master(conn, now, subject, told, f"{table.id}.{faction}.{stamp(now)}")


def _tell_table(
    conn: Connection, hall: Hall, table: Table, faction: Faction, until: datetime, now: datetime
) -> None:  # fmt: skip
    announce(
        conn, hall.desk, table, now, say("unreachable.notice-subject"),
        lambda seat: say("unreachable.notice", by=by(until, now, ZoneInfo(seat.timezone))), (faction,),
    )  # fmt: skip


def heard_from(table: Table, faction: Faction) -> list[str]:
    """Something has come from this player, so mail works for him; what he is told if some of his did not arrive."""
    seat = table.seats[faction]
    if not seat.unreachable:
        seat.undelivered = 0
        return []
    zone = ZoneInfo(seat.timezone)
    since = f"{moment(datetime.fromisoformat(seat.unreachable_since), zone)} {clock_of(zone)}"
    unreachable.end(table, faction)
    return [say("unreachable.back", since=since)]


def send_again(hall: Hall, game_id: str, faction: Faction, now: datetime) -> int:
    """Put the letters that a player may have missed into the outbox once more, with the same Message-IDs, and take him
    to be reachable until one comes back again; how many letters. KeyError if nobody plays that faction; UnknownGame if
    there is no game of that name."""
    with hall.transaction(game_id) as (conn, table):
        address = table.seats[faction].address
        count = mail.send_again(conn, game_id, faction, address, now, MOST_SENT_AGAIN)
        unreachable.end(table, faction)
    return count


def letter_refused(conn: Connection, hall: Hall, letter: mail.Letter, why: str, now: datetime) -> None:
    """A server would not take a letter: to a player that is as good as one that came back for good. One that could not
    be sent for days says less of him than of our own server."""
    table = hall.table(conn, letter.game_id) if letter.game_id and letter.faction else None
    if table is None or not letter.faction or table.seats[letter.faction].address != letter.recipient:
        trouble.letter_lost(conn, hall.desk, letter, why, now)
        return
    mail_came_back(conn, hall, table, letter.faction, FOR_GOOD, why, now)
    games.close(conn, table)
