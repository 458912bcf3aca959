"""The calendar of a game: the days that count, the moments on which a deadline may fall, and waking hours.

Durations are real hours: an hour is an hour on the night when the clocks change too. Days and times of day are those of
the game's zone. A time of day that does not exist on a day (the gap in spring) moves to the first moment that does; of
one that comes twice (the fold in autumn) the first is meant. All instants are aware datetimes in UTC.

A time bank runs only while its player is awake. Waking hours are written like "08:00-22:00" on the clock of the
player's zone, past midnight too ("16:00-02:00"); an empty text is the whole day.

Imports nothing of the game's rules: `mentat health` loads it.
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
    """The zone of a game, the time of day at which its deadlines fall (None: any), and the days that do not count:
    ``days_off`` of the week (0 is Monday), ``holidays``, and those of ``regions``. ValueError if no day of the week is
    left."""

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
        """Whether all hours count and a deadline may fall on any moment."""
        return self.time_of_day is None and self.every_day

    @property
    def every_day(self) -> bool:
        """Whether all days count."""
        return not (self.days_off or self.holidays or self.regions)

    def counts(self, day: date) -> bool:
        """Whether the hours of a day count."""
        if day.weekday() in self.days_off or day in self.holidays:
            return False
        return not any(day in holidays_of(region, day.year) for region in self.regions)

    def day_of(self, moment: datetime) -> date:
        """The day of an instant in the game's zone."""
        return moment.astimezone(self.zone).date()


def instant_at(day: date, wall: time, zone: ZoneInfo) -> datetime:
    """The instant at which clocks of a zone show a time of day; the first that exists after it where it is left out.

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
    while late - early > _SECOND:  # the clocks change between these two
        middle = early + (late - early) // 2
        if middle.astimezone(zone).replace(tzinfo=None) < wanted:
            early = middle
        else:
            late = middle
    return late.replace(microsecond=0)


def counted_from(calendar: Calendar, start: datetime, span: timedelta) -> datetime:
    """The moment at which so much time has been counted since ``start``; on a day that counts."""
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
    """How much of the time between two instants counts; nothing if the second is not later."""
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
    """The first instant, at or after ``moment``, on which a deadline may fall."""
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
    """When something is due that is open for so many hours: the first allowed moment at which they have been counted.

    >>> office = Calendar(ZoneInfo("Europe/Berlin"), time(20), frozenset({5, 6}))
    >>> due_at(office, datetime(2026, 11, 27, 21, tzinfo=UTC), 24).isoformat()  # a Friday evening
    '2026-12-01T19:00:00+00:00'
    """
    return next_allowed(calendar, counted_from(calendar, opened, timedelta(hours=hours)))


def after_waking_time(start: datetime, span: timedelta, hours: str, zone: ZoneInfo) -> datetime:
    """The instant at which they have been awake for so long since ``start``.

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


def waking_time(start: datetime, end: datetime, hours: str, zone: ZoneInfo) -> timedelta:
    """How long they were awake between two instants; nothing if the second is not later."""
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
    """When they wake and fall asleep, day after day, from the day before that of ``start`` on."""
    wakes, sleeps = (time.fromisoformat(end) for end in hours.split("-"))
    day: date = start.astimezone(zone).date() - _DAY
    while True:
        night = day + _DAY if sleeps <= wakes else day
        yield instant_at(day, wakes, zone), instant_at(night, sleeps, zone)
        day += _DAY


def stamp(moment: datetime) -> str:
    """An instant as text. ValueError if it has no zone, and so is none.

    >>> stamp(datetime(2026, 11, 24, 20, 0, tzinfo=UTC))
    '2026-11-24T20:00:00.000000+00:00'
    """
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
