"""A share of games, with how sure it is."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import msgspec

from bot.competition.outcomes import TableOutcome

ENOUGH = 30
"""With fewer games nothing is concluded: too few to tell."""


class Share(msgspec.Struct, frozen=True):
    """``won`` of ``played`` games, and between which shares the true one lies in 19 of 20 cases."""

    won: int
    played: int
    low: float
    high: float

    @property
    def too_few(self) -> bool:
        """Whether that is too few games to tell anything."""
        return self.played < ENOUGH


def share(won: int, played: int) -> Share:
    """So many of so many, with the interval rounded to four decimals."""
    low, high = wilson(won, played)
    return Share(won, played, round(low, 4), round(high, 4))


def wilson(won: int, played: int, z: float = 1.959964) -> tuple[float, float]:
    """The interval of Wilson for a share, 95 % by default; from 0 to 1 where nothing was played.

    >>> [round(bound, 4) for bound in wilson(8, 14)]
    [0.3259, 0.7862]
    """
    if not played:
        return 0.0, 1.0
    part, square = won / played, z * z
    middle = part + square / (2 * played)
    spread = z * math.sqrt(part * (1 - part) / played + square / (4 * played * played))
    scale = 1 + square / played
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def decided(outcomes: Iterable[TableOutcome]) -> list[TableOutcome]:
    """The tables that tell who wins: not those that were agreed on or are void."""
    return [one for one in outcomes if one.kind not in ("agreed", "void") and one.winners]


def fair_share(outcome: TableOutcome) -> Fraction:
    """How many of its wins a seat would have at this table if all seats were alike: winners by seats."""
    return Fraction(len(outcome.winners), len(outcome.seats))
