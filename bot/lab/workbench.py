"""The measurements and the stopwatch of all benchmarks.

A rate alone says more about the machine than about the program. So each measurement is compared with a limit measured
on the same machine in the same minute: the engine with a bare generator step, processing a mail with the least work
that a mail needs, a thousand games with ten. The benchmarks report the ratio.
"""

from __future__ import annotations

import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Measurement:
    """One line of the benchmarks. ``ratio`` is ``value`` divided by a limit that was measured in the same run, and
    ``against`` names that limit. ``aim`` is the highest ratio that is acceptable. ``ratio`` is None if there is
    nothing to compare with, and ``aim`` is None if there is no target."""

    name: str
    value: float
    unit: str
    ratio: float | None = None
    against: str = ""
    aim: float | None = None

    @classmethod
    def of_seconds(
        cls, name: str, seconds: float, limit: float = 0.0, against: str = "", aim: float | None = None
    ) -> Measurement:
        return cls(name, seconds * 1e3, "ms", seconds / limit if limit else None, against, aim)

    @property
    def reached(self) -> bool:
        return self.aim is None or self.ratio is None or self.ratio <= self.aim


class Stopwatch:
    """A stopwatch that records the seconds of each block that it times.

    The median is roughly the time that a block takes on an otherwise idle machine, because a few slow blocks do not
    change it.

    >>> watch = Stopwatch()
    >>> with watch.running():
    ...     sum(range(10))
    45
    >>> watch.median > 0
    True

    If ``clock`` is `time.process_time`, only the work of this process counts, however busy the machine is.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.taken: list[float] = []

    @property
    def median(self) -> float:
        return statistics.median(self.taken)

    @property
    def worst(self) -> float:
        return max(self.taken)

    @property
    def total(self) -> float:
        return sum(self.taken)

    @contextmanager
    def running(self) -> Iterator[None]:
        began = self._clock()
        yield
        self.taken.append(self._clock() - began)


def seconds_each(work: Callable[[], object], times: int, clock: Callable[[], float] = time.perf_counter) -> float:
    watch = Stopwatch(clock)
    for _ in range(times):
        with watch.running():
            work()
    return watch.median


def resident_bytes(process: int | str = "self") -> int:
    """Return the resident memory of a process (on Linux); on other systems, return the highest memory use of this
    process so far."""
    try:
        fields = Path(f"/proc/{process}/statm").read_text("ascii").split()
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def children_of(process: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()]


def cpu_seconds(process: int) -> float:
    """Return the processor time of a process and of its children, including children that have ended (on Linux)."""
    ticks = 0
    for each in (process, *children_of(process)):
        with suppress(FileNotFoundError):  # it has ended meanwhile
            fields = Path(f"/proc/{each}/stat").read_text("utf-8").rpartition(")")[2].split()
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")
