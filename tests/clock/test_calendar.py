"""Deadlines on the calendar: a whole year, both clock changes, and zones around the world."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.table.calendar import Calendar, counted_between, counted_from, due_at, instant_at, next_allowed

ZONES = (
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Sao_Paulo", "Africa/Cairo",
)  # fmt: skip
YEAR = datetime(2018, 1, 1, tzinfo=UTC)  # Sao Paulo still changed its clocks then, at midnight
BERLIN = ZoneInfo("Europe/Berlin")

moments = st.integers(0, 365 * 24 * 60).map(lambda minutes: YEAR + timedelta(minutes=minutes))
hours = st.floats(0.01, 400)
calendars = st.builds(
    Calendar,
    st.sampled_from(ZONES).map(ZoneInfo),
    st.none() | st.times(max_value=time(23, 59)).map(lambda wall: wall.replace(second=0, microsecond=0)),
    st.frozensets(st.integers(0, 6), max_size=6),
    st.frozensets(st.integers(0, 364).map(lambda n: date(2018, 1, 1) + timedelta(days=n)), max_size=20),
)


def wall_of(instant: datetime, zone: ZoneInfo) -> datetime:
    return instant.astimezone(zone).replace(tzinfo=None)


@given(calendars, moments, hours)
def test_a_deadline_falls_on_a_day_that_counts_and_at_its_time_of_day(
    calendar: Calendar, opened: datetime, open_for: float
) -> None:
    due = due_at(calendar, opened, open_for)
    day = calendar.day_of(due)
    assert calendar.counts(day)
    if calendar.time_of_day is not None:
        assert due == instant_at(day, calendar.time_of_day, calendar.zone)


@given(calendars, moments, hours)
def test_no_deadline_falls_before_its_hours_have_been_counted(
    calendar: Calendar, opened: datetime, open_for: float
) -> None:
    due = due_at(calendar, opened, open_for)
    assert counted_between(calendar, opened, due) >= timedelta(hours=open_for) - timedelta(microseconds=1)


@given(calendars, moments, hours)
def test_a_deadline_is_the_first_that_may_be(calendar: Calendar, opened: datetime, open_for: float) -> None:
    due = due_at(calendar, opened, open_for)
    reached = counted_from(calendar, opened, timedelta(hours=open_for))
    for earlier in (due - timedelta(minutes=1), due - timedelta(hours=13), due - timedelta(hours=24)):
        if earlier >= reached:
            assert next_allowed(calendar, earlier) == due


@given(calendars, moments, moments, moments)
def test_time_counted_in_two_pieces_is_the_time_counted_at_once(
    calendar: Calendar, one: datetime, two: datetime, three: datetime
) -> None:
    first, middle, last = sorted((one, two, three))
    assert counted_between(calendar, first, middle) + counted_between(calendar, middle, last) == counted_between(
        calendar, first, last
    )
    assert counted_between(calendar, last, first) == (
        timedelta() if first != last else counted_between(calendar, first, last)
    )


@given(st.sampled_from(ZONES).map(ZoneInfo), st.integers(0, 364), st.times().map(lambda wall: wall.replace(fold=0)))
def test_a_time_of_day_that_is_left_out_moves_to_the_first_that_exists(zone: ZoneInfo, number: int, wall: time) -> None:
    day = date(2018, 1, 1) + timedelta(days=number)
    wanted, instant = datetime.combine(day, wall), instant_at(day, wall, zone)
    shown = wall_of(instant, zone)
    if shown != wanted:
        assert shown > wanted
        assert wall_of(instant - timedelta(seconds=1), zone) < wanted
    for back in (30, 60):
        assert wall_of(instant - timedelta(minutes=back), zone) != wanted


@pytest.mark.parametrize(
    ("zone", "day", "wall", "expected"),
    [
        ("Europe/Berlin", date(2026, 3, 29), time(2, 30), "2026-03-29T01:00:00+00:00"),
        ("Europe/Berlin", date(2026, 10, 25), time(2, 30), "2026-10-25T00:30:00+00:00"),
        ("America/New_York", date(2026, 3, 8), time(2, 0), "2026-03-08T07:00:00+00:00"),
        ("Australia/Lord_Howe", date(2026, 10, 4), time(2, 15), "2026-10-03T15:30:00+00:00"),
        ("America/Sao_Paulo", date(2018, 11, 4), time(0, 0), "2018-11-04T03:00:00+00:00"),
    ],
)
def test_in_a_gap_the_first_moment_after_it_counts_and_in_a_fold_the_first(
    zone: str, day: date, wall: time, expected: str
) -> None:
    assert instant_at(day, wall, ZoneInfo(zone)) == datetime.fromisoformat(expected)


def test_a_day_is_a_day_even_when_the_clocks_change() -> None:
    before = datetime(2026, 3, 28, 19, tzinfo=UTC)
    assert due_at(Calendar(BERLIN), before, 24) == before + timedelta(hours=24)


def test_at_eight_in_the_evening_means_eight_in_summer_and_in_winter() -> None:
    calendar = Calendar(BERLIN, time(20))
    dues = [due_at(calendar, datetime(2026, month, 1, tzinfo=UTC), 1) for month in (1, 7)]
    assert [wall_of(due, BERLIN).hour for due in dues] == [20, 20]
    assert [due.hour for due in dues] == [19, 18]


def test_the_hours_of_a_weekend_off_do_not_count() -> None:
    calendar = Calendar(BERLIN, None, frozenset({5, 6}))
    friday = datetime(2026, 11, 27, 17, tzinfo=UTC)  # 18:00
    assert due_at(calendar, friday, 24) == datetime(2026, 11, 30, 17, tzinfo=UTC)
    assert due_at(calendar, friday, 6) == datetime(2026, 11, 29, 23, tzinfo=UTC)  # Monday 0:00, not Saturday 0:00


def test_a_week_without_a_day_is_refused() -> None:
    with pytest.raises(ValueError, match="every day"):
        Calendar(BERLIN, None, frozenset(range(7)))


def test_an_island_that_leaves_out_a_day_loses_no_deadline() -> None:
    apia = Calendar(ZoneInfo("Pacific/Apia"), time(20), frozenset())
    evening = datetime(2011, 12, 30, 7, tzinfo=UTC)  # the 29th, 21:00; the 30th of December 2011 did not happen there
    assert next_allowed(apia, evening) == datetime(2011, 12, 31, 6, tzinfo=UTC), "the 31st, 20:00"
    opened = datetime(2011, 12, 29, 12, tzinfo=UTC)
    assert due_at(apia, opened, 1) == datetime(2011, 12, 30, 6, tzinfo=UTC)


def test_an_evening_that_comes_twice_around_midnight_is_counted_forward() -> None:
    """In Newfoundland, clocks went back from 0:01 to 23:01, so Saturday returned after Sunday had begun."""
    again = datetime(2010, 11, 7, 2, 45, tzinfo=UTC)  # Saturday 23:15 for the second time
    hour = timedelta(hours=1)
    saturdays = Calendar(ZoneInfo("America/St_Johns"), days_off=frozenset({6}))
    monday = datetime(2010, 11, 8, 3, 30, tzinfo=UTC)
    assert counted_from(saturdays, again, hour) == monday + hour
    assert counted_between(saturdays, again, monday + hour) == hour
    without_mondays = Calendar(ZoneInfo("America/St_Johns"), days_off=frozenset({0}))
    assert counted_from(without_mondays, again, hour) == again + hour
    assert counted_between(without_mondays, again, again + hour) == hour


def test_the_public_holidays_of_a_region_do_not_count() -> None:
    bavaria, berlin = (Calendar(BERLIN, regions=frozenset({region})) for region in ("DE-BY", "DE-BE"))
    epiphany, christmas = date(2027, 1, 6), date(2026, 12, 25)
    assert not bavaria.counts(epiphany)
    assert berlin.counts(epiphany)
    assert not berlin.counts(christmas)
    assert not berlin.plain
    evening = datetime(2026, 12, 24, 22, tzinfo=UTC)
    assert due_at(berlin, evening, 2) == datetime(2026, 12, 27, 0, tzinfo=UTC), "Christmas has two days there"
