"""A ladder: those who are ready are seated as they come, with whom they have not met lately, nearest ratings first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from bot.competition.outcomes import Handle
from bot.competition.seating.sizes import SEATS


def ready_tables(
    ready: Sequence[Handle], ratings: Mapping[Handle, Fraction], lately: Collection[frozenset[Handle]]
) -> list[list[Handle]]:
    """Tables of six of those who are ready, in the order in which they said so: whoever has waited longest gets the
    five nearest ratings with nobody among the six who met another ``lately``. Who finds none goes on waiting."""
    waiting, tables = list(ready), list[list[Handle]]()
    for first in ready:
        if first not in waiting:
            continue
        there = [first]
        nearest = sorted(waiting, key=lambda handle: (abs(ratings[handle] - ratings[first]), waiting.index(handle)))
        for handle in nearest:
            if handle not in there and all(frozenset((handle, other)) not in lately for other in there):
                there.append(handle)
            if len(there) == SEATS:
                break
        if len(there) == SEATS:
            tables.append(there)
            waiting = [handle for handle in waiting if handle not in there]
    return tables
