"""Calendar files: what programs read of a person's dates and of the public ones, and what nobody reads in them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from email import message_from_bytes
from email.message import Message
from typing import Any

import icalendar
import pytest

from bot.competition.published import Published, Round
from bot.lobby.calendars import Entry, calendar_file, dates_of_event, dates_of_tables, own_dates
from bot.lobby.requests import Open
from bot.store import lobby as rows
from rules.components import FACTIONS
from tests.lobby.people import Lobby, address
from tests.lobby.test_words_of_people import FOUR

EVERYBODY = ("ann", "bob", "cid", "dora", "eve", "fay")
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def events(file: bytes) -> list[Any]:
    calendar = icalendar.Calendar.from_ical(file)
    assert [calendar["METHOD"], calendar["VERSION"]] == ["PUBLISH", "2.0"]
    assert all(not each.errors for each in calendar.walk())
    return list(calendar.walk("VEVENT"))


def test_a_file_is_the_same_bytes_for_the_same_dates_in_any_order() -> None:
    entries = [Entry(f"duty {n}", f"t-{n}: answer due", NOW + timedelta(hours=n), NOW, alarm=True) for n in range(5)]
    assert calendar_file("mine", entries) == calendar_file("mine", reversed(entries))


def test_lines_are_short_and_titles_cannot_begin_another_line() -> None:
    file = calendar_file("ä" * 90, [Entry("x", "ix\nATTENDEE:mailto:a@b.example;" + "é" * 200, NOW, NOW)])
    assert all(len(line) <= 75 for line in file.split(b"\r\n"))
    assert b"\nATTENDEE" not in file
    assert b"REFRESH-INTERVAL;VALUE=DURATION:P1D" in file


def test_an_entry_keeps_its_uid_while_its_date_moves() -> None:
    before, after = (
        events(calendar_file("mine", [Entry("duty 1", "t", NOW + timedelta(hours=more), NOW, more)]))[0]
        for more in (0, 1)
    )
    assert before["UID"] == after["UID"]
    assert after["SEQUENCE"] == before["SEQUENCE"] + 1
    assert after["DTSTAMP"].dt == before["DTSTAMP"].dt


def test_uids_of_a_personal_file_cannot_be_computed_without_the_key() -> None:
    one = [Entry("duty 1", "t", NOW, NOW)]
    assert events(calendar_file("mine", one, b"key"))[0]["UID"] != events(calendar_file("mine", one))[0]["UID"]


def test_entries_take_no_time_and_a_withdrawn_one_stays_as_cancelled() -> None:
    gone, duty = events(
        calendar_file(
            "mine",
            [
                Entry("a", "gone", NOW, NOW, 2, cancelled=True, alarm=True),
                Entry("b", "due", NOW + timedelta(1), NOW, alarm=True),
            ],
        )
    )
    assert (gone["STATUS"], gone.subcomponents) == ("CANCELLED", [])
    assert [each["TRIGGER"].dt for each in duty.subcomponents] == [-timedelta(hours=12)]
    assert "DTEND" not in duty
    assert duty["TRANSP"] == "TRANSPARENT"


def test_public_dates_of_tables_and_rounds_name_nobody() -> None:
    tables = calendar_file("open tables", dates_of_tables(FOUR))
    assert [str(event["SUMMARY"]) for event in events(tables)] == [
        "carthag-2 starts",
        *(f"{name} ends unless it fills" for name in ("arrakeen-7", "sietch-3", "tabr-4")),
    ]
    event = Published(
        tournament="cup",
        settings="",
        settings_sha256="",
        state="running",
        commitment="",
        rounds=(Round(number=1, kind="heat", state="playing", opens=date(2026, 12, 1), ends=date(2026, 12, 31)),),
    )
    first, last = events(calendar_file("cup", dates_of_event(event)))
    assert (first["DTSTART"].dt, str(last["SUMMARY"])) == (date(2026, 12, 1), "cup: heat 1 ends")


def attached(raw: bytes) -> list[Message]:
    return [part for part in message_from_bytes(raw).walk() if part.get_content_type() == "text/calendar"]


def test_calendar_by_mail_brings_a_file_of_what_is_open(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(ruleset="wbc-2018"))
    lobby.proves("ann", "calendar")
    sent = lobby.newest("ann")
    (file,) = attached(sent.content)
    assert file.get_filename() == "mentat.ics"
    found = events(file.get_payload(decode=True))  # type: ignore[arg-type]
    assert [str(event["SUMMARY"]) for event in found] == [f"{table.id} ends unless it fills"]


def test_duties_of_a_game_name_no_faction_and_nothing_of_others(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(press="gunboat"))
    for name in EVERYBODY[1:]:
        lobby.joins(name, table.id)
    assert lobby.table(table.id).state == "started"
    with lobby.session() as session:
        entries = {name: list(own_dates(session, address(name))) for name in EVERYBODY}
    titles = {entry.title for each in entries.values() for entry in each}
    assert titles
    assert not [title for title in titles for faction in FACTIONS if faction in title.lower()]
    assert all(entry.title.startswith(f"{table.id}: ") for each in entries.values() for entry in each)


def test_the_weekly_calendar_comes_once_a_week_until_stopped(lobby: Lobby) -> None:
    lobby.opens("ann")
    lobby.proves("ann", "calendar weekly")
    with lobby.session() as session:
        assert rows.standing(session.conn, address("ann")).calendar_at is not None

    def files() -> int:
        return sum(len(attached(sent.content)) for sent in lobby.letters("ann"))

    assert files() == 1
    lobby.wait(24 * 8)
    assert files() == 2
    lobby.wait(1)
    assert files() == 2
    lobby.proves("ann", "stop weekly")
    lobby.wait(24 * 8)
    assert files() == 2


@pytest.mark.parametrize("minutes", [0, 90])
def test_the_hour_of_asking_does_not_change_the_file(lobby: Lobby, minutes: int) -> None:
    lobby.opens("ann")
    with lobby.session() as session:
        before = calendar_file("x", own_dates(session, address("ann")))
    lobby.wait(minutes / 60)
    with lobby.session() as session:
        assert calendar_file("x", own_dates(session, address("ann"))) == before
