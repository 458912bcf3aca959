"""A measured value and what it is compared with; and the two ways of measuring."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the benchmarks.

    ``ratio`` is how many times ``against`` the value is, a bare limit measured in the same run; ``aim`` is what the
    ratio should not exceed. None where there is nothing to compare or to aim at.
    """

    name: str
    value: float
    unit: str
    ratio: float | None = None
    against: str = ""
    aim: float | None = None

    @property
    def reached(self) -> bool:
        """Whether the aim is reached; true where there is none."""
        return self.aim is None or self.ratio is None or self.ratio <= self.aim


class Stopwatch:
    """Takes the seconds of each block that it times.

    The median is what a block takes on a machine that has nothing else to do, more or less: a few slow ones do not
    move it.

    >>> watch = Stopwatch()
    >>> with watch.running():
    ...     sum(range(10))
    45
    >>> watch.median > 0
    True

    ``clock``: `time.process_time` where only this process's own work counts, however busy the machine is.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.taken: list[float] = []

    @property
    def median(self) -> float:
        """Seconds of a block."""
        return statistics.median(self.taken)

    @property
    def worst(self) -> float:
        """Seconds of the slowest block."""
        return max(self.taken)

    @property
    def total(self) -> float:
        """Seconds of all blocks together."""
        return sum(self.taken)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Time a block."""
        began = self._clock()
        yield
        self.taken.append(self._clock() - began)


def seconds_each(work: Callable[[], object], times: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """The median seconds of ``work``, done so many times."""
    watch = Stopwatch(clock)
    for _ in range(times):
        with watch.running():
            work()
    return watch.median
