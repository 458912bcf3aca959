"""Calendar files (RFC 5545). Public files give the dates of open tables and events to everybody; a letter can bring a
person a file with their own dates.

The files are published, never sent as an invitation, so no calendar program replies to them. An entry keeps its UID
when its date moves, and its SEQUENCE goes up. When a date is dropped, its entry stays for a month with the STATUS
CANCELLED. DTSTAMP is the time of the entry's last change, not the current time, so the same dates give the same bytes.
Calendar programs may update late or show an entry twice, so each entry says that only the letter is binding.

A public file names no person. A personal file contains only what everybody at the table knows: that an answer is due,
and in which phase. It never names the faction, and never mentions a secret window.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from email import message_from_bytes
from typing import TYPE_CHECKING, Any

import msgspec

from bot.games.open_games import Session
from bot.lobby import letters
from bot.lobby.requests import Calendar, OpenTable
from bot.lobby.tables import reader_at, view_of, write
from bot.mail.outgoing import Attachment
from bot.render.material import Rendering
from bot.render.summary import phase_name
from bot.store import acts, lobby, mail, people, tournament_rounds, tournaments
from bot.store.database import Connection
from bot.store.tournaments import Tournament
from bot.table import rounds
from bot.table.calendar import stamp
from bot.table.table import Table
from bot.wording import say
from rules.components import Faction

if TYPE_CHECKING:
    from icalendar import Event

A_DAY, A_WEEK, A_MONTH = timedelta(days=1), timedelta(days=7), timedelta(days=30)
BEFORE = timedelta(hours=12)  # how long before a date the alarm rings
FILE = "mentat.ics"


class Entry(msgspec.Struct, frozen=True):
    """A date. ``what`` identifies it permanently and is hashed into its UID, unless ``uid`` is given. An entry for a
    whole day has no hour. ``sequence`` goes up each time the date moves or is cancelled; ``changed`` is the time of the
    last such change."""

    what: str
    title: str
    at: datetime | date
    changed: datetime
    sequence: int = 0
    cancelled: bool = False
    alarm: bool = False
    uid: str = ""


def calendar_file(name: str, entries: Iterable[Entry], key: bytes = b"") -> bytes:
    """Return a calendar file with these entries. In a personal file, the ``key`` ensures that nobody else can compute
    the UIDs."""
    # not imported at the top, because loading it takes as long as all of `mentat health`
    from icalendar import Calendar as ICalendar
    from icalendar import vDuration

    made = ICalendar()
    made.add("prodid", "-//Mentat//Dune by mail//EN")
    made.add("version", "2.0")
    made.add("method", "PUBLISH")
    made.add("x-wr-calname", name)
    made.add("refresh-interval", vDuration(A_DAY), parameters={"VALUE": "DURATION"})
    for entry in sorted(entries, key=lambda each: (_instant(each.at), each.what)):
        made.add_component(_event(entry, key))
    return bytes(made.to_ical())


def uid_of(entry: Entry, key: bytes = b"") -> str:
    return entry.uid or f"{hmac.digest(key or b'mentat', entry.what.encode(), 'sha256').hex()[:32]}@mentat"


def _event(entry: Entry, key: bytes) -> Event:
    from icalendar import Alarm, Event

    event = Event()
    event.add("uid", uid_of(entry, key))
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


def dates_of_tables(tables: Sequence[OpenTable], *, gone: bool = False) -> Iterator[Entry]:
    for table in tables:
        title = say(f"lobby-calendar.{'starts' if table.starts_at else 'until'}", table=table.id)
        at = table.starts_at or table.until
        yield Entry(f"table {table.id}", title, at, table.opened, table.revision, cancelled=gone)


def dates_of_event(conn: Connection, event: Tournament) -> Iterator[Entry]:
    """Yield the dates of an event: its entries, check-in, rounds and protests. If the event was cancelled, all its
    dates are marked as cancelled; so are the end of a round that has been closed, and a check-in that was never
    held."""
    moved = acts.count_acts(conn, event.id, MOVES_DATES)
    off, since = event.state == "cancelled", event.opened_at or event.created_at

    def entry(what: str, key: str, at: datetime, *, gone: bool = False, again: bool = False, **facts: object) -> Entry:
        title, count = say(f"lobby-calendar.{key}", event=event.title, **facts), moved + off + gone + again
        return Entry(f"event {event.id} {what}", title, at, since, count, cancelled=off or gone)

    if event.until is not None:
        yield entry("entries", "entries", event.until)
    asked = [each.until for each in tournaments.papers_of(conn, event.id, "check-in", state=None) if each.until]
    if asked:
        yield entry("check-in", "check-in", max(asked), again=True)
    elif event.settings.steps.check_in and event.until is not None:
        ends = event.until + timedelta(hours=event.settings.steps.check_in_hours)
        yield entry("check-in", "check-in", ends, gone=event.state != "open")
    results = tournament_rounds.newest_results(conn, event.id).values()
    for one in tournament_rounds.rounds_of(conn, event.id):
        facts: dict[str, Any] = {"number": one.number, "kind": one.kind}
        if one.opens is not None:
            yield entry(f"{one.number} opens", "round-opens", one.opens, **facts)
        if one.ends is not None:
            yield entry(f"{one.number} ends", "round-ends", one.ends, gone=one.state == "closed", **facts)
        stand = [each.stands_at for each in results if each.place[0] == one.number and each.stands_at]
        if stand:
            yield entry(f"{one.number} protests", "protests", max(stand), **facts)


def on_its_day(entry: Entry, zone: tzinfo) -> Entry:
    day = entry.at.astimezone(zone).date() if isinstance(entry.at, datetime) else entry.at
    return msgspec.structs.replace(entry, at=day)


MOVES_DATES = ("open", "close entries", "extend", "outage", "start")
"""The acts on an event that may change one of its dates."""


# --- for one person --------------------------------------------------------------------------------------------------


def answer_calendar(session: Session, address: str, asked: Calendar) -> Rendering:
    own = lobby.standing(session.conn, address)
    if asked.weekly:
        lobby.set_standing(session.conn, replace(own, calendar_at=session.now))
    return _with_file(session, address, weekly=asked.weekly or own.calendar_at is not None)


def write_due_calendar(session: Session, address: str) -> None:
    own = lobby.standing(session.conn, address)
    if own.calendar_at is None or own.calendar_at + A_WEEK > session.now or own.stopped:
        return
    lobby.set_standing(session.conn, replace(own, calendar_at=session.now))
    write(session, address, _with_file(session, address, weekly=True), f"calendar.{stamp(session.now)}")


def _with_file(session: Session, address: str, *, weekly: bool) -> Rendering:
    entries, key = list(own_dates(session, address)), session.settings.key
    before = _last_file(session, address)
    gone = withdrawn(before, entries, key, session.now) if before else ()
    file = calendar_file(say("lobby-calendar.own"), [*entries, *gone], key)
    letter = letters.calendar(reader_at(session, address), len(entries), weekly=weekly)
    return msgspec.structs.replace(letter, files=(Attachment(FILE, file),))


def own_dates(session: Session, address: str) -> Iterator[Entry]:
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
        event = tournaments.find_tournament(session.conn, entrant.tournament_id)
        if event.state in ("open", "drawn", "running") and entrant.state not in ("withdrawn", "disqualified"):
            yield from dates_of_event(session.conn, event)


def duties(table: Table, faction: Faction) -> Iterator[Entry]:
    if table.status != "running" or table.stopped_at:
        return
    title = say("lobby-calendar.duty", game=table.id, phase=phase_name(table.play.state.phase))
    for (stop, key), deadline in table.deadlines.items():
        if key[0] == faction and deadline.duty and deadline.state == "open":
            asked = deadline.asked_at or deadline.due
            moved = int((deadline.due - asked) / timedelta(hours=1))  # deadlines only ever move to later hours
            yield Entry(f"duty {table.id} {stop} {key}", title, deadline.due, asked, moved, alarm=True)
    if rounds.awaits(table, faction) and table.call_due is not None:
        sheet = say("lobby-calendar.sheet", game=table.id)
        yield Entry(f"call {table.id} {table.call}", sheet, table.call_due, table.call_due, alarm=True)


# --- earlier files ---------------------------------------------------------------------------------------------------


def withdrawn(before: bytes, entries: Sequence[Entry], key: bytes, now: datetime) -> Iterator[Entry]:
    """Yield the entries that were in the person's last file and are missing from the new one, because a duty was
    answered or a table began. Each is marked as cancelled and stays for a month. Entries for past dates are left
    out."""
    from icalendar import Calendar as ICalendar

    kept = {uid_of(entry, key) for entry in entries}
    for event in ICalendar.from_ical(before).walk("VEVENT"):
        at: datetime | date = event.decoded("dtstart")
        since: datetime = event.decoded("dtstamp")
        again = event.get("STATUS") == "CANCELLED"
        if str(event["UID"]) in kept or (now - since > A_MONTH if again else _instant(at) <= now):
            continue
        sequence = int(str(event["SEQUENCE"])) + (not again)
        yield Entry("", str(event["SUMMARY"]), at, since if again else now, sequence, True, uid=str(event["UID"]))


def _last_file(session: Session, address: str) -> bytes:
    """Return the last calendar file that was sent to this person, or b"" if none was sent within the last month."""
    subject, since = say("lobby-letter.calendar-subject"), session.now - A_MONTH
    letter = mail.newest_letter_to(session.conn, people.known_as(session.conn, address), subject, since)
    parts = message_from_bytes(letter).walk() if letter else ()
    files = (part.get_payload(decode=True) for part in parts if part.get_content_type() == "text/calendar")
    return next((file for file in files if isinstance(file, bytes)), b"")
