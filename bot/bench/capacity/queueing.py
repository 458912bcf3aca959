"""A day of mails that come to some workers: how long they wait. A queue of many hands, event by event.

Mails come by chance with the rate of each minute (a Poisson process that changes over the day); all deadlines of the
day pass in one moment. Whoever is free takes what came first. How long one takes varies log-normally about its mean.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

MOST_DRAWN = 150_000
"""So many mails are drawn at most; of a larger load the busiest part of the day."""


@dataclass(frozen=True, slots=True)
class Waits:
    """How long mails waited from their arrival to the end of the work, in seconds: on average, the median, what 95 and
    99 of 100 do not exceed, and the longest; ``busy`` is the share of the workers' time in the busiest hour that they
    worked."""

    mean: float
    median: float
    p95: float
    p99: float
    longest: float
    busy: float


def waits(
    mails: float, silences: float, each: float, workers: int, profile: Sequence[float], *,
    spread: float = 0.5, deadline: int = 20 * 60, seed: str = "queue",
) -> Waits:  # fmt: skip
    """A day with so many mails, ``each`` of so many seconds on average. ``silences`` come all at the minute of the
    ``deadline``. ``spread`` is the sigma of the logarithm of the time that one takes.

    >>> quiet = waits(100, 0, 0.01, 1, [1 / 1440] * 1440)
    >>> 0 < quiet.median < 0.05
    True
    """
    chance = Random(seed)
    arrivals = _arrivals(mails, silences, profile, deadline, chance)
    location = math.log(each) - spread**2 / 2
    free = [0.0] * workers
    waited, worked = list[float](), [0.0] * (len(profile) // 60 + 1)
    for at in arrivals:
        begins = max(at, heapq.heappop(free))
        takes = chance.lognormvariate(location, spread)
        heapq.heappush(free, begins + takes)
        waited.append(begins + takes - at)
        worked[min(int(at // 3600), len(worked) - 1)] += takes
    waited.sort()
    if not waited:
        return Waits(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def at_most(share: float) -> float:
        return waited[min(int(share * len(waited)), len(waited) - 1)]

    mean = sum(waited) / len(waited)
    return Waits(mean, at_most(0.5), at_most(0.95), at_most(0.99), waited[-1], max(worked) / 3600 / workers)


def _arrivals(mails: float, silences: float, profile: Sequence[float], deadline: int, chance: Random) -> list[float]:
    """The seconds of the day at which something comes, in order."""
    first, last = _window(mails, profile, deadline)
    found = list[float]()
    for minute in range(first, last):
        rate = mails * profile[minute] / 60  # a second
        at = 60.0 * minute
        while rate > 0 and (at := at + chance.expovariate(rate)) < 60 * (minute + 1):
            found.append(at)
    found += [60.0 * deadline] * min(round(silences), MOST_DRAWN)
    found.sort()
    return found


def _window(mails: float, profile: Sequence[float], deadline: int) -> tuple[int, int]:
    """The minutes that are drawn: the whole day, or as much before and after the deadline as is not too many."""
    first, last = 0, len(profile)
    while mails * sum(profile[first:last]) > MOST_DRAWN and last - first > 60:
        if deadline - first > last - deadline:
            first += 10
        else:
            last -= 10
    return first, last
