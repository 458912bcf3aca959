"""The calendar of a game: the days that count, the moments at which a deadline may fall, and waking hours.

Durations are real hours, even on the night when the clocks change. Days and times of day are in the game's time zone.
If the clocks skip a time of day (in the spring gap), the first moment after the gap counts. If a time occurs twice (in
the autumn overlap), the first occurrence counts. All instants are aware datetimes in UTC.

A time bank runs only while its player is awake. Waking hours are written like "08:00-22:00" in the player's time zone,
and may go past midnight ("16:00-02:00"). An empty string means the whole day.

This module imports none of the game's rules, because `mentat health` loads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.config.values import holidays_of

_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)
_NOTHING = timedelta()


@dataclass(frozen=True, slots=True)
class Calendar:
    """The times at which a game's deadlines may fall. ``zone`` is the game's time zone, and ``time_of_day`` is the time
    of day at which its deadlines fall, or None for any time. The days that do not count are the weekdays in
    ``days_off`` (0 is Monday), the dates in ``holidays``, and the public holidays of ``regions``. Creating a calendar
    with no weekday left raises ValueError."""

    zone: ZoneInfo
    time_of_day: time | None = None
    days_off: frozenset[int] = frozenset()
    holidays: frozenset[date] = frozenset()
    regions: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if self.days_off >= frozenset(range(7)):
            raise ValueError("every day of the week is off; leave one on which a deadline can fall")

    @property
    def plain(self) -> bool:
        return self.time_of_day is None and self.every_day

    @property
    def every_day(self) -> bool:
        return not (self.days_off or self.holidays or self.regions)

    def counts(self, day: date) -> bool:
        if day.weekday() in self.days_off or day in self.holidays:
            return False
        return not any(day in holidays_of(region, day.year) for region in self.regions)

    def day_of(self, moment: datetime) -> date:
        return moment.astimezone(self.zone).date()


def instant_at(day: date, wall: time, zone: ZoneInfo) -> datetime:
    """Return the instant at which the clocks in a zone show a time of day. If the clocks skip that time, return the
    first instant after the gap.

    >>> instant_at(date(2026, 3, 29), time(2, 30), ZoneInfo("Europe/Berlin")).isoformat()
    '2026-03-29T01:00:00+00:00'
    >>> instant_at(date(2026, 10, 25), time(2, 30), ZoneInfo("Europe/Berlin")).isoformat()
    '2026-10-25T00:30:00+00:00'
    """
    wanted = datetime.combine(day, wall)
    instant = wanted.replace(tzinfo=zone).astimezone(UTC)
    if instant.astimezone(zone).replace(tzinfo=None) == wanted:
        return instant
    early, late = wanted.replace(tzinfo=zone, fold=1).astimezone(UTC), instant
    while late - early > _SECOND:  # the clocks change in between
        middle = early + (late - early) // 2
        if middle.astimezone(zone).replace(tzinfo=None) < wanted:
            early = middle
        else:
            late = middle
    return late.replace(microsecond=0)


def counted_from(calendar: Calendar, start: datetime, span: timedelta) -> datetime:
    """Return the moment at which ``span`` has passed since ``start``, skipping the days that do not count. The moment
    is on a day that counts."""
    if calendar.every_day:
        return start.astimezone(UTC) + span
    day = calendar.day_of(start)
    moment, left = start.astimezone(UTC), span
    while True:
        ends = instant_at(day + _DAY, time(), calendar.zone)
        if calendar.counts(day):
            if left < ends - moment:
                return moment + left
            left -= max(ends - moment, _NOTHING)
        day += _DAY
        moment = max(moment, ends)


def counted_between(calendar: Calendar, start: datetime, end: datetime) -> timedelta:
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    if end <= start:
        return _NOTHING
    if calendar.every_day:
        return end - start
    total, day, moment = _NOTHING, calendar.day_of(start), start
    while moment < end:
        ends = max(instant_at(day + _DAY, time(), calendar.zone), moment)
        if calendar.counts(day):
            total += min(ends, end) - moment
        day += _DAY
        moment = ends
    return total


def next_allowed(calendar: Calendar, moment: datetime) -> datetime:
    moment = moment.astimezone(UTC)
    day = calendar.day_of(moment)
    while True:
        if calendar.counts(day):
            if calendar.time_of_day is None:
                return max(moment, instant_at(day, time(), calendar.zone))
            due = instant_at(day, calendar.time_of_day, calendar.zone)
            if due >= moment and calendar.day_of(due) == day:
                return due
        day += _DAY


def due_at(calendar: Calendar, opened: datetime, hours: float) -> datetime:
    """Return the deadline of a question that stays open for this many hours: the first allowed moment after that many
    hours have passed on days that count.

    >>> office = Calendar(ZoneInfo("Europe/Berlin"), time(20), frozenset({5, 6}))
    >>> due_at(office, datetime(2026, 11, 27, 21, tzinfo=UTC), 24).isoformat()  # a Friday evening
    '2026-12-01T19:00:00+00:00'
    """
    return next_allowed(calendar, counted_from(calendar, opened, timedelta(hours=hours)))


def after_waking_time(start: datetime, span: timedelta, hours: str, zone: ZoneInfo) -> datetime:
    """Return the instant at which a player with these waking hours has been awake for ``span`` since ``start``.

    >>> evening = datetime(2026, 11, 24, 20, tzinfo=UTC)
    >>> after_waking_time(evening, timedelta(hours=3), "08:00-22:00", ZoneInfo("UTC")).isoformat()
    '2026-11-25T09:00:00+00:00'
    """
    start = start.astimezone(UTC)
    if not hours or span <= timedelta():
        return start + span
    left = span
    for wakes, sleeps in _waking_days(start, hours, zone):
        begins = max(wakes, start)
        if sleeps - begins >= left:
            return begins + left
        left -= max(sleeps - begins, timedelta())
    raise AssertionError("the days have no end")


def widened(hours: str, least: int) -> str:
    """Return waking hours that last at least ``least`` hours. If the given hours are shorter, move their end.

    >>> widened("20:00-21:30", 8), widened("08:00-22:00", 8), widened("", 8)
    ('20:00-04:00', '08:00-22:00', '')
    """
    if not hours:
        return ""
    wakes, sleeps = (datetime.combine(date.min, time.fromisoformat(end)) for end in hours.split("-"))
    awake = (sleeps - wakes) % _DAY or _DAY
    return hours if awake >= timedelta(hours=least) else f"{wakes:%H:%M}-{wakes + timedelta(hours=least):%H:%M}"


def waking_time(start: datetime, end: datetime, hours: str, zone: ZoneInfo) -> timedelta:
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    if not hours or end <= start:
        return max(end - start, timedelta())
    total = timedelta()
    for wakes, sleeps in _waking_days(start, hours, zone):
        if wakes >= end:
            return total
        total += max(min(sleeps, end) - max(wakes, start), timedelta())
    raise AssertionError("the days have no end")


def _waking_days(start: datetime, hours: str, zone: ZoneInfo) -> Iterator[tuple[datetime, datetime]]:
    wakes, sleeps = (time.fromisoformat(end) for end in hours.split("-"))
    day: date = start.astimezone(zone).date() - _DAY
    while True:
        night = day + _DAY if sleeps <= wakes else day
        yield instant_at(day, wakes, zone), instant_at(night, sleeps, zone)
        day += _DAY


def stamp(moment: datetime) -> str:
    """Return an instant as text. Raise ValueError if it has no time zone.

    >>> stamp(datetime(2026, 11, 24, 20, 0, tzinfo=UTC))
    '2026-11-24T20:00:00.000000+00:00'
    """
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
