"""Tests for times as people say them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.wording import clock_of, day_and_month, deadline, distance, moment

NOW = datetime(2026, 11, 22, 20, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (-60, "now"), (0, "now"), (59, "now"), (60, "in 1 minute"), (89, "in 1 minute"), (91, "in 2 minutes"),
        (90 * 60 - 1, "in 90 minutes"), (90 * 60, "in 2 hours"), (36 * 3600 - 1, "in 36 hours"),
        (36 * 3600, "in 2 days"), (7 * 24 * 3600, "in 7 days"),
    ],
)  # fmt: skip
def test_a_distance_is_told_in_minutes_then_hours_then_days(seconds: int, told: str) -> None:
    assert distance(NOW + timedelta(seconds=seconds), NOW) == told


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("UTC", "UTC"), ("Etc/UTC", "UTC"), ("GMT", "UTC"), ("Etc/UCT", "UTC"), ("Zulu", "UTC"), ("Universal", "UTC"),
        ("Europe/Berlin", "Berlin time"), ("America/Argentina/Buenos_Aires", "Buenos Aires time"),
    ],
)  # fmt: skip
def test_a_clock_is_named_by_its_city(key: str, told: str) -> None:
    assert clock_of(ZoneInfo(key)) == told


def test_a_moment_is_told_on_the_readers_own_clock() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    assert moment(NOW, tokyo) == "Mon 23 Nov 05:00"
    assert deadline(NOW + timedelta(days=2), NOW, tokyo) == "Wed 25 Nov 05:00 Tokyo time (in 2 days)"
    assert day_and_month(date(2026, 3, 1)) == "1 Mar"
