"""What is counted because no row of the database says it: faults, and how long deadlines waited for their silence.

A process counts in memory, where it costs nothing and nobody waits for anybody, and adds what it has counted to the
database now and then (``write``). So a count survives its process, several processes count together, and one that is
killed loses the last half minute of its counts and nothing else.
"""

from __future__ import annotations

import threading
from collections import Counter
from datetime import timedelta

from bot.monitoring.bounds import LAG_BOUNDS
from bot.store import measurements
from bot.store.database import Engine, writing_no_game
from bot.store.measurements import Name


class Counters:
    """What one process has counted and not written yet."""

    def __init__(self) -> None:
        self._counted: Counter[tuple[Name, str]] = Counter()
        self._lock = threading.Lock()

    def add(self, name: Name, label: str, by: float = 1) -> None:
        """Count something."""
        with self._lock:
            self._counted[name, label] += by  # type: ignore[assignment]  # seconds may have parts

    def write(self, engine: Engine) -> None:
        """Add what was counted to the database. Where that fails nothing is forgotten."""
        with self._lock:
            counted, self._counted = self._counted, Counter()
        if not counted:
            return
        try:
            with writing_no_game(engine) as conn:
                measurements.add(conn, counted)
        except BaseException:
            with self._lock:
                self._counted.update(counted)
            raise


_COUNTERS = Counters()


def count_fault(kind: str) -> None:
    """Something went wrong in a part of the program, and was logged as an error."""
    _COUNTERS.add("faults", kind)


def count_lag(lag: timedelta) -> None:
    """Silence answered, this long after it was to."""
    seconds = max(lag.total_seconds(), 0.0)
    bound = next((str(bound) for bound in LAG_BOUNDS if seconds <= bound), "+Inf")
    _COUNTERS.add("deadline_lag", bound)
    _COUNTERS.add("deadline_lag_sum", "", seconds)


def write(engine: Engine) -> None:
    """Add what this process has counted to the database."""
    _COUNTERS.write(engine)
