"""The hours in which a player is awake: their time bank runs only in them.

``hours`` is like "08:00-22:00" on the clock of their zone, past midnight too ("16:00-02:00"); empty is the whole day.
An hour is a real hour, also on the nights when the clocks change.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.clock.calendar import at

_DAY = timedelta(days=1)


def after(start: datetime, span: timedelta, hours: str, zone: ZoneInfo) -> datetime:
    """The instant at which they have been awake for so long since ``start``.

    >>> evening = datetime(2026, 11, 24, 20, tzinfo=UTC)
    >>> after(evening, timedelta(hours=3), "08:00-22:00", ZoneInfo("UTC")).isoformat()
    '2026-11-25T09:00:00+00:00'
    """
    start = start.astimezone(UTC)
    if not hours or span <= timedelta():
        return start + span
    left = span
    for wakes, sleeps in _days(start, hours, zone):
        begins = max(wakes, start)
        if sleeps - begins >= left:
            return begins + left
        left -= max(sleeps - begins, timedelta())
    raise AssertionError("the days have no end")


def awake(start: datetime, end: datetime, hours: str, zone: ZoneInfo) -> timedelta:
    """How long they were awake between two instants; nothing if the second is not later."""
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    if not hours or end <= start:
        return max(end - start, timedelta())
    total = timedelta()
    for wakes, sleeps in _days(start, hours, zone):
        if wakes >= end:
            return total
        total += max(min(sleeps, end) - max(wakes, start), timedelta())
    raise AssertionError("the days have no end")


def _days(start: datetime, hours: str, zone: ZoneInfo) -> Iterator[tuple[datetime, datetime]]:
    """When they wake and fall asleep, day after day, from the day before that of ``start`` on."""
    wakes, sleeps = (time.fromisoformat(end) for end in hours.split("-"))
    day: date = start.astimezone(zone).date() - _DAY
    while True:
        night = day + _DAY if sleeps <= wakes else day
        yield at(day, wakes, zone), at(night, sleeps, zone)
        day += _DAY
