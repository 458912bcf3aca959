"""Strength is built in: each table gets one of each pot of equals, and only equals are exchanged."""

from __future__ import annotations

from collections.abc import Sequence

from bot.competition.outcomes import Handle
from bot.competition.seating.sizes import SEATS, Sizes


def pots(ranked: Sequence[Handle], sizes: Sizes, number: int) -> list[list[Handle]]:
    """Six pots of as many as there are tables, the strongest first. Those of which players miss at small tables are
    shorter; they rotate with the ``number`` of the round."""
    cut, begun = [], 0
    for length in lengths(sizes, number):
        cut.append(list(ranked[begun : begun + length]))
        begun += length
    return cut


def lengths(sizes: Sizes, number: int) -> list[int]:
    """How many are in each pot. One pot misses at every table of five and of four, another at those of four."""
    found = [sizes.tables] * SEATS
    found[-number % SEATS] -= sizes.fives + sizes.fours
    found[(-number - 1) % SEATS] -= sizes.fours
    return found
