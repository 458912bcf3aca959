"""A player's waking hours, on both sides of every limit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.table.calendar import after_waking_time, waking_time

UTC_ZONE = ZoneInfo("UTC")
DAY, NIGHT = "08:00-22:00", "16:00-02:00"


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-{text}").replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "hours", "waking", "ends"),
    [
        ("24 20:00", 3, "", "24 23:00"),  # awake all day
        ("24 23:00", 0, DAY, "24 23:00"),  # zero hours end at once, even at night
        ("24 20:00", 1, DAY, "24 21:00"),
        ("24 20:00", 2, DAY, "24 22:00"),  # to the very end of the day
        ("24 20:00", 3, DAY, "25 09:00"),
        ("24 20:00", 17, DAY, "26 09:00"),  # with a whole day in between
        ("24 23:00", 1, DAY, "25 09:00"),
        ("24 05:00", 1, DAY, "24 09:00"),
        ("24 01:00", 1, NIGHT, "24 02:00"),  # the evening of the day before lasts until two
        ("24 01:00", 2, NIGHT, "24 17:00"),
        ("24 23:00", 4, NIGHT, "25 17:00"),
        ("24 09:00", 1, "08:00-08:00", "24 10:00"),  # from eight to eight is the whole day
    ],
)
def test_a_time_bank_runs_only_while_its_player_is_awake(start: str, hours: int, waking: str, ends: str) -> None:
    began, over, span = at(start), at(ends), timedelta(hours=hours)
    assert after_waking_time(began, span, waking, UTC_ZONE) == over
    assert waking_time(began, over, waking, UTC_ZONE) == span


@pytest.mark.parametrize(
    ("start", "end", "waking", "hours"),
    [
        ("24 20:00", "24 19:00", "", 0),
        ("24 20:00", "24 19:00", DAY, 0),
        ("24 20:00", "24 20:00", DAY, 0),
        ("24 22:00", "25 08:00", DAY, 0),
        ("24 21:00", "25 09:00", DAY, 2),
        ("24 07:00", "24 23:00", DAY, 14),
        ("23 07:00", "25 23:00", DAY, 42),
        ("24 01:00", "24 17:00", NIGHT, 2),
    ],
)
def test_only_the_hours_in_which_they_were_awake_are_counted(start: str, end: str, waking: str, hours: int) -> None:
    assert waking_time(at(start), at(end), waking, UTC_ZONE) == timedelta(hours=hours)


def test_the_hours_are_those_of_the_clock_of_their_zone() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")  # nine hours ahead, so awake from 23:00 to 13:00 UTC
    assert after_waking_time(at("24 12:00"), timedelta(hours=2), DAY, tokyo) == at("25 00:00")
    assert waking_time(at("24 12:00"), at("25 00:00"), DAY, tokyo) == timedelta(hours=2)
