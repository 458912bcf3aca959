"""When a person answers a letter: after a while that is mostly hours, never asleep, and now and then not at all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from random import Random
from zoneinfo import ZoneInfo

ZONES = (
    "Europe/London", "Europe/Berlin", "America/New_York", "America/Los_Angeles", "Asia/Kolkata", "Australia/Sydney",
)  # fmt: skip
MEDIAN_HOURS = 8.0
SIGMA = 1.0
MISSED = 0.05
WAKES, SLEEPS = time(7), time(23)
_MARGIN = timedelta(minutes=20)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who lives in a zone. Their answers come after a log-normal time; they sleep from 23 to 7 o'clock, know
    the deadline, and of twenty letters leave one unanswered."""

    zone: ZoneInfo
    chance: Random

    def answers_at(self, now: datetime, due: datetime | None) -> datetime | None:
        """When they answer a letter that comes now and wants something by then; None if they miss it."""
        if self.chance.random() < MISSED:
            return None
        hours = self.chance.lognormvariate(math.log(MEDIAN_HOURS), SIGMA)
        at = self._awake(now + timedelta(hours=hours))
        if due is None or at < due - _MARGIN:
            return at
        return self.before(now, due)

    def before(self, now: datetime, due: datetime) -> datetime | None:
        """The last moment at which they are awake before something is due; None if they sleep all the time before."""
        last = due - _MARGIN
        local = last.astimezone(self.zone)
        if not WAKES <= local.time() < SLEEPS:
            day = local.date() if local.time() >= SLEEPS else local.date() - timedelta(days=1)
            last = datetime.combine(day, SLEEPS, self.zone).astimezone(UTC) - _MARGIN
        return last if last > now else None

    def _awake(self, moment: datetime) -> datetime:
        """That moment, or if they sleep then, some time in the hour after they get up."""
        local = moment.astimezone(self.zone)
        if WAKES <= local.time() < SLEEPS:
            return moment
        day = local.date() + timedelta(days=local.time() >= SLEEPS)
        up = datetime.combine(day, WAKES, self.zone).astimezone(UTC)
        return up + timedelta(minutes=self.chance.uniform(0, 60))
