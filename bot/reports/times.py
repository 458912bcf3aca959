"""Deadlines as people say them: "Tue 24 Nov 21:00 Berlin time, in 2 days"."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from bot.wording.filters import plural
from bot.wording.sentences import say


def moment(due: datetime, zone: ZoneInfo) -> str:
    """ "Tue 24 Nov 21:00" on the clock of that zone."""
    local = due.astimezone(zone)
    return say("time.moment", weekday=local.weekday(), day=local.day, month=local.month, clock=f"{local:%H:%M}")


def day(when: date) -> str:
    """ "24 Dec"."""
    return say("time.day", day=when.day, month=when.month)


def clock_of(zone: ZoneInfo) -> str:
    """Whose time it is: "Berlin time", "UTC"."""
    city = zone.key.rpartition("/")[2].replace("_", " ")
    return "UTC" if city.upper() in ("UTC", "GMT", "UCT", "ZULU", "UNIVERSAL") else say("time.zone", city=city)


def distance(due: datetime, now: datetime) -> str:
    """How far it is from now: "in 2 days", "in 5 hours", "in 20 minutes", "now"."""
    left = due - now
    if left < timedelta(minutes=1):
        return say("time.now")
    if left < timedelta(minutes=90):
        return say("time.in", span=plural(round(left / timedelta(minutes=1)), "minute"))
    if left < timedelta(hours=36):
        return say("time.in", span=plural(round(left / timedelta(hours=1)), "hour"))
    return say("time.in", span=plural(round(left / timedelta(days=1)), "day"))


def by(due: datetime, now: datetime, zone: ZoneInfo) -> str:
    """ "Tue 24 Nov 21:00 Berlin time (in 2 days)"."""
    return say("time.by", moment=moment(due, zone), zone=clock_of(zone), distance=distance(due, now))
