"""Who sits out a round, and who has before: whoever did is the last to do so again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from bot.competition.draws import DrawRecord
from bot.competition.outcomes import Handle


def byes(drawn: Iterable[DrawRecord], roster: Collection[Handle]) -> tuple[Handle, ...]:
    """Those on the roster who sat out earlier rounds, each as often as they did, by handle. What is drawn together
    counts once for each of its rounds."""
    times = Counter[Handle]()
    for draw in drawn:
        times.update(dict.fromkeys(draw.sat_out, len(draw.rounds)))
    return tuple(handle for handle in sorted(times) if handle in roster for _ in range(times[handle]))


def too_soon(out: Collection[Handle], playing: Collection[Handle], before: Collection[Handle]) -> list[Handle]:
    """Those who would sit out although somebody who plays has sat out less often; by handle."""
    times = Counter(before)
    least = min((times[handle] for handle in playing), default=0)
    return sorted(handle for handle in out if times[handle] > least)
