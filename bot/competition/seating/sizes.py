"""How many sit at each table: six, and at as many tables of five as are needed."""

from __future__ import annotations

from dataclasses import dataclass

SEATS = 6


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many tables of each size there are."""

    sixes: int
    fives: int
    fours: int = 0

    @property
    def tables(self) -> int:
        """How many there are in all."""
        return self.sixes + self.fives + self.fours

    @property
    def entrants(self) -> int:
        """For how many they are."""
        return 6 * self.sixes + 5 * self.fives + 4 * self.fours

    def each(self) -> tuple[int, ...]:
        """The size of each table, the largest first."""
        return (6,) * self.sixes + (5,) * self.fives + (4,) * self.fours


class NoTables(ValueError):
    """So many entrants cannot sit at tables of six and five; the message names the ways out."""

    def __init__(self, entrants: int, fours: bool) -> None:
        more = next(n for n in range(entrants + 1, entrants + 9) if _of_six_and_five(n))
        fewer = next((n for n in range(entrants - 1, 4, -1) if _of_six_and_five(n)), 0)
        ways = [f"let {more - entrants} on standby play ({more})"]
        if fewer:
            ways.append(f"let {entrants - fewer} volunteers sit out for sit_out points ({fewer})")
        if not fours and _with_fours(entrants):
            ways.append("allow tables of four (fours = true under [tables])")
        super().__init__(f"{entrants} cannot sit at tables of six and five: {', or '.join(ways)}.")
        self.ways = tuple(ways)


def sizes(entrants: int, *, fours: bool = False) -> Sizes:
    """As many sixes as there can be, the rest fives; with ``fours`` also tables of four, as few as are needed.
    NoTables where it cannot be.

    >>> sizes(38), sizes(200)
    (Sizes(sixes=3, fives=4, fours=0), Sizes(sixes=30, fives=4, fours=0))
    """
    found = _of_six_and_five(entrants) or (_with_fours(entrants) if fours else None)
    if found is None:
        raise NoTables(entrants, fours)
    return found


def _of_six_and_five(entrants: int) -> Sizes | None:
    fives = -entrants % SEATS
    sixes = (entrants - 5 * fives) // SEATS
    return Sizes(sixes, fives) if entrants > 0 and sixes >= 0 else None


def _with_fours(entrants: int) -> Sizes | None:
    for fours in range(1, entrants // 4 + 1):
        rest = entrants - 4 * fours
        if rest == 0:
            return Sizes(0, 0, fours)
        if found := _of_six_and_five(rest):
            return Sizes(found.sixes, found.fives, fours)
    return None
