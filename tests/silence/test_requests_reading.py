"""Parsing of players' requests about time and their seats."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from bot.language.commands import Absent, MailCommand, NoAbsence, ShowMap, TimeZone, Waking
from bot.language.orders import Context, Unread, read_line, write

TODAY = Context("harkonnen", today=date(2026, 11, 22))


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("waking 8:00 to 22:00", Waking("08:00-22:00")),
        ("Waking 8 - 22", Waking("08:00-22:00")),
        ("waking 16.30 until 2", Waking("16:30-02:00")),
        ("waking 8 to 24", Waking("08:00-00:00")),
        ("waking 0:00 to 23:59", Waking("00:00-23:59")),
        ("waking all day", Waking("")),
        ("timezone Europe/Berlin", TimeZone("Europe/Berlin")),
        ("time zone america/new york", TimeZone("America/New_York")),
        ("timezone Kolkata", TimeZone("Asia/Kolkata")),
        ("timezone GMT-5", TimeZone("Etc/GMT+5")),
        ("timezone UTC−3:30", TimeZone("UTC-03:30")),
        ("timezone louisville", TimeZone("America/Kentucky/Louisville")),
        ("waking 8 to 22 in Berlin", Waking("08:00-22:00", "Europe/Berlin")),
        ("waking 8 - 22 h Berlin", Waking("08:00-22:00", "Europe/Berlin")),
        ("waking all day +05:30", Waking("", "UTC+05:30")),
        ("absent 24. Dec until January 2nd (GMT+5:30)", Absent(date(2026, 12, 24), date(2027, 1, 2), "UTC+05:30")),
        ("no absence", NoAbsence()),
        ("absent 24 Dec to 2 Jan", Absent(date(2026, 12, 24), date(2027, 1, 2))),
        ("absent 22 Nov to 23 Nov", Absent(date(2026, 11, 22), date(2026, 11, 23))),
        ("map light and names", ShowMap("light names")),
        ("map dark, dark", ShowMap("dark")),
    ],
)
def test_requests_are_read_and_written_so_that_they_read_the_same(line: str, command: MailCommand) -> None:
    assert read_line(line, TODAY) == command
    assert read_line(write(command), TODAY) == command


@pytest.mark.parametrize(
    ("line", "reason", "suggestion"),
    [
        ("waking 25 to 3", "waking 08:00 to 22:00", ""),
        ("waking 8 to 25", "waking 08:00 to 22:00", ""),
        ("waking 24:30 to 3", "waking 08:00 to 22:00", ""),
        ("waking 8:60 to 22", "waking 08:00 to 22:00", ""),
        ("waking 8 to 22:60", "waking 08:00 to 22:00", ""),
        ("waking 8 to 8", "waking 08:00 to 22:00", ""),
        ("waking from dawn", "waking 08:00 to 22:00", ""),
        ("timezone Berlim", "I do not know the time zone “Berlim”", "timezone Europe/Berlin"),
        ("timezone Mars/Olympus", "timezone Europe/Berlin", ""),
        ("map codes and names", "“codes and names” is not a way to draw the board", ""),
        ("map dark light", "“dark light” is not a way to draw the board", ""),
        ("map purple", "“purple” is not a way to draw the board", ""),
        ("absent from 24 Dec", "absent DATE to DATE", ""),
        ("absent 24 Dec", "absent DATE to DATE", "absent 2026-12-24 to 2026-12-24"),
        ("absent 3 decoy to 5 decoy", "“3 decoy” is not a day", ""),
        ("timezone UTC+17", "No clock in the world shows “UTC+17”", ""),
    ],
)
def test_what_cannot_be_read_is_answered_with_what_would_be_right(line: str, reason: str, suggestion: str) -> None:
    result = read_line(line, TODAY)
    assert isinstance(result, Unread)
    assert reason in result.reason
    assert not suggestion or suggestion in result.suggestions


@pytest.mark.parametrize(
    ("line", "present", "suggestions"),
    [
        ("timezone georgia", "UTC", ("timezone Asia/Tbilisi", "timezone America/New_York")),
        ("timezone EST", "Australia/Perth", ("timezone Australia/Sydney", "timezone America/New_York")),
        ("timezone UTC 3", "UTC", ("timezone UTC+3", "timezone UTC-3")),
        (
            "waking 8:00 to 22:00 BST",
            "UTC",
            ("waking 08:00 to 22:00 Europe/London",),
        ),
        ("absent 24 Dec to 2 Jan Berlim", "UTC", ("absent 2026-12-24 to 2027-01-02 Europe/Berlin",)),
        ("absent 29 Feb to 3 Mar", "UTC", ("absent 2027-02-28 to 2027-03-03", "absent 2027-03-01 to 2027-03-03")),
        ("absent 29 Feb", "UTC", ("absent 2027-02-28 to 2027-02-28", "absent 2027-03-01 to 2027-03-01")),
        ("absent 30 Nov to 31 Nov", "UTC", ("absent 2026-11-30 to 2026-11-30", "absent 2026-11-30 to 2026-12-01")),
    ],
)
def test_what_may_mean_several_things_is_answered_with_these_the_nearest_first(
    line: str, present: str, suggestions: tuple[str, ...]
) -> None:
    result = read_line(line, replace(TODAY, zone=present))
    assert isinstance(result, Unread)
    assert result.suggestions[: len(suggestions)] == suggestions


def test_a_day_that_a_year_lacks_is_told_with_the_year() -> None:
    lacking = read_line("absent 29 Feb", TODAY)
    assert isinstance(lacking, Unread)
    assert lacking.reason == "There is no 29 Feb in 2027: that month ends on the 28th."
    assert read_line("absent 29 Feb to 29 Feb", replace(TODAY, today=date(2027, 11, 22))) == Absent(
        date(2028, 2, 29), date(2028, 2, 29)
    )
