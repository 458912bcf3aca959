"""Calendar files with personal and public dates: their format, their entries, and the secrets they keep."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

import icalendar
import pytest

from bot.lobby.calendars import Entry, calendar_file, dates_of_event, dates_of_tables, own_dates
from bot.lobby.requests import Open
from bot.store import lobby as rows
from bot.store import tournaments
from bot.store.database import reading, writing
from bot.tournament import preparation
from bot.tournament.desk import Caller
from rules.components import FACTIONS
from tests.lobby.people import Lobby, address
from tests.lobby.test_words_of_people import FOUR
from tests.tournament.cup import CUP
from tests.tournament.test_automatic import AUTO, Running

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


def test_public_dates_of_tables_name_nobody() -> None:
    tables = calendar_file("open tables", dates_of_tables(FOUR))
    assert [str(event["SUMMARY"]) for event in events(tables)] == [
        "carthag-2 starts",
        *(f"{name} ends unless it fills" for name in ("arrakeen-7", "sietch-3", "tabr-4")),
    ]


def dates_of(cup: Running) -> dict[str, Any]:
    with reading(cup.world.engine) as conn:
        found = dates_of_event(conn, cup.cup)
        return {str(each["SUMMARY"]): each for each in events(calendar_file("cup", list(found)))}


def test_an_event_has_dates_of_its_entries_check_in_rounds_and_protests(tmp_path: Path) -> None:
    cup = Running.of(tmp_path, settings=f"{AUTO}[steps]\ncheck_in = true\n")
    title, first = cup.cup.title, dates_of(cup)
    assert list(first) == [f"{title}: entries close", f"{title}: check-in ends"]
    later = cup.world.now + timedelta(days=12)
    preparation.open_entries(Caller(cup.open_games, cup.world.now), CUP, until=later)
    moved = dates_of(cup)
    for name, entry in moved.items():
        assert (entry["UID"], entry["SEQUENCE"]) == (first[name]["UID"], first[name]["SEQUENCE"] + 1)
    assert moved[f"{title}: entries close"]["DTSTART"].dt == later
    assert moved[f"{title}: check-in ends"]["DTSTART"].dt == later + timedelta(hours=72)


def test_the_dates_of_an_event_that_is_called_off_are_cancelled(tmp_path: Path) -> None:
    cup = Running.of(tmp_path)
    before = dates_of(cup)
    with writing(cup.world.engine) as conn:
        tournaments.touch(conn, CUP, state="cancelled")
    for name, entry in dates_of(cup).items():
        assert (entry["STATUS"], entry["SEQUENCE"]) == ("CANCELLED", before[name]["SEQUENCE"] + 1)


def test_protests_about_a_round_close_on_a_date_of_its_event(tmp_path: Path) -> None:
    cup = Running.of(tmp_path)
    cup.until("running")
    title = cup.cup.title
    assert f"{title}: heat 1 ends" in dates_of(cup)
    cup.end_all()
    assert dates_of(cup)[f"{title}: protests about heat 1 close"]["DTSTART"].dt > cup.world.now


def test_what_is_answered_or_has_begun_stays_in_a_persons_calendar_as_cancelled(lobby: Lobby) -> None:
    table = lobby.opens("ann", Open(most=2))
    lobby.proves("ann", "calendar")
    lobby.joins("bob", table.id)
    lobby.proves("ann", "calendar")
    found = {str(each["SUMMARY"]): each for each in events(newest_file(lobby, "ann"))}
    gone = found.pop(f"{table.id} ends unless it fills")
    assert (gone["STATUS"], gone["SEQUENCE"]) == ("CANCELLED", 1)
    assert all("STATUS" not in each for each in found.values())
    file = newest_file(lobby, "ann")
    lobby.wait(1)
    lobby.proves("ann", "calendar")
    assert newest_file(lobby, "ann") == file
    lobby.wait(24 * 31)
    lobby.proves("ann", "calendar")
    assert f"{table.id} ends unless it fills" not in newest_file(lobby, "ann").decode()


def newest_file(lobby: Lobby, name: str) -> bytes:
    (file,) = attached(lobby.newest(name).content)
    content = file.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content


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
