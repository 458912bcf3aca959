"""Calendar files (RFC 5545): the dates of open tables and events for everybody, and by mail a person's own.

The files are published, never sent as a request, so no calendar answers them. An entry keeps its UID while its date
moves, and its SEQUENCE grows. DTSTAMP is when it last changed, not now: the same dates give the same bytes. Programs
update late or double an entry, so each says that the letter counts.

A public file names no person. A personal one says what everybody at the table knows: that an answer is due, in which
phase, never of which faction; nothing of secret windows.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

import msgspec

from bot.competition.published import Published
from bot.games.open_games import Session
from bot.lobby import letters
from bot.lobby.requests import Calendar, OpenTable
from bot.lobby.tables import reader_at, view_of, write
from bot.mail.outgoing import Attachment
from bot.render.material import Rendering
from bot.render.summary import phase_name
from bot.store import lobby, people, tournament_rounds, tournaments
from bot.store.tournaments import Tournament
from bot.table import rounds
from bot.table.calendar import stamp
from bot.table.table import Table
from bot.wording import say
from rules.components import Faction

if TYPE_CHECKING:
    from icalendar import Event

A_DAY, A_WEEK = timedelta(days=1), timedelta(days=7)
BEFORE = timedelta(hours=12)  # of the alarm
FILE = "mentat.ics"


class Entry(msgspec.Struct, frozen=True):
    """A date. ``what`` identifies it for ever and is hashed into its UID; on a day it has no hour. ``sequence`` grows
    whenever its date changes, which happened last at ``changed``."""

    what: str
    title: str
    at: datetime | date
    changed: datetime
    sequence: int = 0
    cancelled: bool = False
    alarm: bool = False


def calendar_file(name: str, entries: Iterable[Entry], key: bytes = b"") -> bytes:
    """Write a file of entries; the ``key`` keeps the UIDs of a personal one from being recomputed."""
    from icalendar import Calendar as ICalendar
    from icalendar import vDuration  # not at the top: loading it takes as long as all of `mentat health`

    made = ICalendar()
    made.add("prodid", "-//Mentat//Dune by mail//EN")
    made.add("version", "2.0")
    made.add("method", "PUBLISH")
    made.add("x-wr-calname", name)
    made.add("refresh-interval", vDuration(A_DAY), parameters={"VALUE": "DURATION"})
    for entry in sorted(entries, key=lambda each: (_instant(each.at), each.what)):
        made.add_component(_event(entry, key))
    return bytes(made.to_ical())


def _event(entry: Entry, key: bytes) -> Event:
    from icalendar import Alarm, Event

    event = Event()
    event.add("uid", f"{hmac.digest(key or b'mentat', entry.what.encode(), 'sha256').hex()[:32]}@mentat")
    event.add("dtstamp", entry.changed.astimezone(UTC))
    event.add("dtstart", entry.at.astimezone(UTC) if isinstance(entry.at, datetime) else entry.at)
    event.add("sequence", entry.sequence)
    event.add("summary", entry.title)
    event.add("description", say("lobby-calendar.letter-counts"))
    event.add("transp", "TRANSPARENT")
    if entry.cancelled:
        event.add("status", "CANCELLED")
    elif entry.alarm:
        alarm = Alarm()
        alarm.add("action", "DISPLAY")
        alarm.add("description", entry.title)
        alarm.add("trigger", -BEFORE)
        event.add_component(alarm)
    return event


def _instant(at: datetime | date) -> datetime:
    return at if isinstance(at, datetime) else datetime.combine(at, time(), UTC)


# --- for everybody ---------------------------------------------------------------------------------------------------


def dates_of_tables(tables: Sequence[OpenTable]) -> Iterator[Entry]:
    for table in tables:
        title = say(f"lobby-calendar.{'starts' if table.starts_at else 'until'}", table=table.id)
        at = table.starts_at or table.until
        yield Entry(f"table {table.id}", title, at, table.opened, table.revision)


def dates_of_event(event: Published) -> Iterator[Entry]:
    """Yield the days on which rounds begin and end."""
    for one in event.rounds:
        for what, day in (("opens", one.opens), ("ends", one.ends)):
            if day is not None:
                title = say(f"lobby-calendar.round-{what}", event=event.tournament, number=one.number, kind=one.kind)
                yield Entry(f"event {event.tournament} {one.number} {what}", title, day, _instant(one.opens or day))


# --- for one person --------------------------------------------------------------------------------------------------


def answer_calendar(session: Session, address: str, asked: Calendar) -> Rendering:
    """Answer `calendar` with a file of all that is open for a person; with `calendar weekly`, send it weekly too."""
    own = lobby.standing(session.conn, address)
    if asked.weekly:
        lobby.set_standing(session.conn, replace(own, calendar_at=session.now))
    return _with_file(session, address, weekly=asked.weekly or own.calendar_at is not None)


def write_due_calendar(session: Session, address: str) -> None:
    """Send a person their calendar if the last one that they get weekly is a week old."""
    own = lobby.standing(session.conn, address)
    if own.calendar_at is None or own.calendar_at + A_WEEK > session.now or own.stopped:
        return
    lobby.set_standing(session.conn, replace(own, calendar_at=session.now))
    write(session, address, _with_file(session, address, weekly=True), f"calendar.{stamp(session.now)}")


def _with_file(session: Session, address: str, *, weekly: bool) -> Rendering:
    entries = list(own_dates(session, address))
    file = calendar_file(say("lobby-calendar.own"), entries, session.settings.key)
    letter = letters.calendar(reader_at(session, address), len(entries), weekly=weekly)
    return msgspec.structs.replace(letter, files=(Attachment(FILE, file),))


def own_dates(session: Session, address: str) -> Iterator[Entry]:
    """Yield what is open for a person: their answers, their tables that form, their events."""
    known = people.known_as(session.conn, address)
    for game, faction in people.seats_at_addresses(session.conn, known):
        yield from duties(session.games.table(session.conn, game), faction)
    for seat in lobby.seats_of_person(session.conn, known):
        table = lobby.find_table(session.conn, seat.table_id)
        if table is None:
            continue
        if due := seat.offer_until or (table.check_due if seat.state == "seated" else None):
            what = f"answer {table.id} {seat.joined_at}"
            yield Entry(what, say("lobby-calendar.answer", table=table.id), due, seat.joined_at, alarm=True)
        yield from dates_of_tables([view_of(session.conn, table)])
    for entrant in tournaments.entries_of_person(session.conn, address):
        yield from _dates_of_entrant(session, tournaments.find_tournament(session.conn, entrant.tournament_id))


def duties(table: Table, faction: Faction) -> Iterator[Entry]:
    """Yield the answers that a player owes, as far as everybody knows of them."""
    if table.status != "running" or table.stopped_at:
        return
    title = say("lobby-calendar.duty", game=table.id, phase=phase_name(table.play.state.phase))
    for (stop, key), deadline in table.deadlines.items():
        if key[0] == faction and deadline.duty and deadline.state == "open":
            asked = deadline.asked_at or deadline.due
            moved = int((deadline.due - asked) / timedelta(hours=1))  # deadlines only move to later hours
            yield Entry(f"duty {table.id} {stop} {key}", title, deadline.due, asked, moved, alarm=True)
    if rounds.awaits(table, faction) and table.call_due is not None:
        sheet = say("lobby-calendar.sheet", game=table.id)
        yield Entry(f"call {table.id} {table.call}", sheet, table.call_due, table.call_due, alarm=True)


def _dates_of_entrant(session: Session, event: Tournament) -> Iterator[Entry]:
    if event.state not in ("open", "drawn", "running"):
        return
    if event.until is not None and event.state == "open":
        title = say("lobby-calendar.entries", event=event.title)
        yield Entry(f"event {event.id} entries", title, event.until, event.opened_at or event.until)
    for one in tournament_rounds.rounds_of(session.conn, event.id):
        for what, at in (("opens", one.opens), ("ends", one.ends)):
            if at is not None and one.state != "closed":
                title = say(f"lobby-calendar.round-{what}", event=event.title, number=one.number, kind=one.kind)
                yield Entry(f"event {event.id} {one.number} {what}", title, at, one.opens or at)
