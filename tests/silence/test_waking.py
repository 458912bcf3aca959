from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.table.calendar import after_waking_time, waking_time

ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Sao_Paulo"]
HOURS = ["", "08:00-22:00", "16:00-02:00", "00:00-06:00", "22:00-06:00", "02:30-03:00"]
moments = st.integers(0, 366 * 24 * 60).map(
    lambda minutes: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
)


@given(moments, st.integers(0, 100 * 60), st.sampled_from(HOURS), st.sampled_from(ZONES))
def test_walking_so_far_and_looking_back_gives_the_same_time(
    start: datetime, minutes: int, hours: str, zone: str
) -> None:  # fmt: skip
    span, place = timedelta(minutes=minutes), ZoneInfo(zone)
    end = after_waking_time(start, span, hours, place)
    assert end >= start + span
    assert waking_time(start, end, hours, place) == span


@given(moments, st.integers(1, 60 * 60), st.sampled_from(ZONES))
def test_time_runs_out_only_while_they_are_awake(start: datetime, minutes: int, zone: str) -> None:
    end = after_waking_time(start, timedelta(minutes=minutes), "08:00-22:00", ZoneInfo(zone)).astimezone(ZoneInfo(zone))
    assert (8, 0) < (end.hour, end.minute) <= (22, 0)


@pytest.mark.parametrize(
    ("hours", "expected"),
    [("", 24), ("08:00-22:00", 14), ("22:00-06:00", 8), ("00:00-00:00", 24)],
)
def test_a_day_holds_the_hours_of_waking(hours: str, expected: int) -> None:
    noon = datetime(2026, 6, 1, 12, tzinfo=UTC)
    assert waking_time(noon, noon + timedelta(days=1), hours, ZoneInfo("UTC")) == timedelta(hours=expected)


def test_a_night_with_an_hour_less_is_an_hour_shorter() -> None:
    before = datetime(2026, 3, 28, 23, tzinfo=UTC)  # midnight in Berlin, before the clocks go forward
    slept = timedelta(hours=24) - waking_time(
        before, before + timedelta(hours=24), "00:00-08:00", ZoneInfo("Europe/Berlin")
    )
    assert slept == timedelta(hours=24 - 8)  # seven hours of Sunday, one of Monday


def test_nobody_is_awake_in_no_time() -> None:
    noon = datetime(2026, 6, 1, 12, tzinfo=UTC)
    assert waking_time(noon, noon - timedelta(hours=3), "08:00-22:00", ZoneInfo("UTC")) == timedelta()
