"""Seating: how long the draw of a large tournament takes, beside the limit that it may reach."""

from __future__ import annotations

import time

from bot.bench.measure import Measured, Stopwatch
from bot.competition.draws import DrawRecord, roster_digest
from bot.competition.seating.draw import draw

MOST_SECONDS = 10.0
"""What three rounds of ten thousand entrants, played at the same time, may take on one core."""
ROUNDS = (1, 2, 3)


def seating(entrants: int) -> list[Measured]:
    """Three heats at the same time, of so many entrants and of a tenth."""
    return [_heats(entrants // 10), _heats(entrants)]


def _heats(entrants: int) -> Measured:
    handles = tuple(f"E{number:05d}" for number in range(1, entrants + 1))
    asked = DrawRecord(
        rounds=ROUNDS, kind="heat", roster=handles, ranked=handles, roster_digest=roster_digest(handles)
    )  # fmt: skip
    watch = Stopwatch(time.process_time)
    with watch.running():
        drawn = draw(asked, "seating")
    if drawn.cost.meetings:
        raise RuntimeError(f"of {entrants} entrants some met twice in three rounds")
    allowed = MOST_SECONDS * entrants / 10_000
    return Measured(f"{entrants:,} entrants, 3 heats", watch.total, "s", watch.total / allowed, "what it may take", 1)
