"""One sum of the points of several tables: of all, of the best n, of all but the worst n, or weighted from the best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from bot.competition.points import points

MOST_TABLES = 100
_COUNTED = re.compile(r"(best|minus worst) ([0-9]{1,3})", re.ASCII)


class NoAggregate(ValueError):
    """What stands there is no way to add up tables; the message says which there are."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``best`` 0: all count. ``worst``: so many of the lowest are left out, but never one's only one. ``weights`` from
    the best on, nothing for those after the last; "()": each counts once."""

    best: int = 0
    worst: int = 0
    weights: tuple[Fraction, ...] = ()

    def weigh(self, tables: Sequence[Fraction]) -> tuple[Fraction, ...]:
        """How often each of these points counts, 0 for one that is left out. Of equal ones the earlier counts as the
        better.

        >>> Aggregate(best=2).weigh([Fraction(6), Fraction(0), Fraction(12)])
        (Fraction(1, 1), Fraction(0, 1), Fraction(1, 1))
        """
        order = sorted(range(len(tables)), key=lambda one: (-tables[one], one))
        counted = len(tables)
        if self.best:
            counted = min(counted, self.best)
        if self.worst and counted:
            counted = max(1, counted - self.worst)
        weights = [Fraction(0)] * len(tables)
        for place, one in enumerate(order[:counted]):
            if not self.weights:
                weights[one] = Fraction(1)
            elif place < len(self.weights):
                weights[one] = self.weights[place]
        return tuple(weights)

    def total(self, tables: Sequence[Fraction]) -> Fraction:
        """The sum."""
        return sum((weight * one for weight, one in zip(self.weigh(tables), tables, strict=True)), Fraction(0))

    def __str__(self) -> str:
        if self.weights:
            return "weighted from the best"
        return f"best {self.best}" if self.best else f"minus worst {self.worst}" if self.worst else "all"


ALL = Aggregate()


def aggregate(said: str | Sequence[str | int]) -> Aggregate:
    """A way to add up as it was typed. NoAggregate for another, NotANumber for a weight that is none.

    >>> aggregate("best 3"), aggregate("minus worst 1")
    (Aggregate(best=3, worst=0, weights=()), Aggregate(best=0, worst=1, weights=()))
    """
    if not isinstance(said, str):
        weights = tuple(points(weight) for weight in said)
        if not any(weights) or len(weights) > MOST_TABLES:
            raise NoAggregate(
                f"there are {len(weights)} weights; write one for each table that counts, the best first."
            )
        if list(weights) != sorted(weights, reverse=True):
            raise NoAggregate("a worse table weighs more than a better one; write the weights from the best table on.")
        return Aggregate(weights=weights)
    if said == "all":
        return ALL
    found = _COUNTED.fullmatch(said)
    if found is None or not 1 <= int(found[2]) <= MOST_TABLES:
        raise NoAggregate(f'{said[:40]!r} is none; write "all", "best 3", "minus worst 1" or a list of weights.')
    number = int(found[2])
    return Aggregate(best=number) if found[1] == "best" else Aggregate(worst=number)
