"""How players write what they ask for about time and their seats."""

from __future__ import annotations

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
        ("timezone Berlim", "I know no time zone “Berlim”", "timezone Europe/Berlin"),
        ("timezone Mars/Olympus", "timezone Europe/Berlin", ""),
        ("map codes and names", "“codes and names” is no way to draw the board", ""),
        ("map dark light", "“dark light” is no way to draw the board", ""),
        ("map purple", "“purple” is no way to draw the board", ""),
        ("absent from 24 Dec", "absent DATE to DATE", ""),
    ],
)
def test_what_cannot_be_read_is_answered_with_what_would_be_right(line: str, reason: str, suggestion: str) -> None:
    result = read_line(line, TODAY)
    assert isinstance(result, Unread)
    assert reason in result.reason
    assert not suggestion or suggestion in result.suggestions


def test_a_place_in_several_zones_is_answered_with_these_alone() -> None:
    result = read_line("timezone louisville", TODAY)
    assert isinstance(result, Unread)
    assert result.suggestions == ("timezone America/Kentucky/Louisville", "timezone America/Louisville")
