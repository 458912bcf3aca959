"""Rounds of heats in which nobody meets anybody twice: designs with which a search may begin where nothing was before.

Everybody has a pot and a number in it, from 0 up to the number of tables. In a round whose shift of the pot is m,
number x sits at table x - m, counted around: so each table has one of each pot. Two of different pots meet in two
rounds only if both rounds shift the pots equally far apart; so the shifts of two rounds must differ by another amount
for each pot. They are found by trying numbers in their order.

Of six tables there are no three such rounds, as there are no two orthogonal Latin squares of order six (Tarry 1900).
What there is: the cells of a square, of which rows sit together, then columns, then the letters of a Latin square. Pots
are the letters of a second square that comes as near to an orthogonal one as can be (Horton 1974): in the third round
two tables have two of one pot and none of another, and all else have one of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from bot.competition.outcomes import Handle
from bot.competition.seating.pots import pots
from bot.competition.seating.search import Seat
from bot.competition.seating.sizes import SEATS, Sizes
from rules.components.chance import Chance

DESIGNS = 4
"""So many candidates begin with a design, where one is known and the others did not come to what counting allows."""
MOST_TABLES = 16
"""For more tables the search finds as much by itself."""
_THIRD = ("563412", "216534", "651243", "435621", "142356", "324165")
_POTS = ("125634", "651243", "436512", "564321", "243156", "312465")

Round = tuple[tuple[int, ...], ...]
"""The table of each number of each pot."""


@cache
def known(tables: int, places: int, rounds: int) -> tuple[Round, ...]:
    """As many of these rounds as a design is known for, from the first on, of two at least; none for so few or
    so many tables."""
    if not places <= tables <= MOST_TABLES:
        return ()
    if (tables, places) == (6, SEATS) and rounds > 2:
        return _of_six_tables()
    shifts = _shifts(tables, places, rounds)
    return tuple(tuple(tuple((x - m) % tables for x in range(tables)) for m in one) for one in shifts)


def cut(ranked: Sequence[Handle], sizes: Sizes, number: int, chance: Chance, label: str) -> list[list[Handle]]:
    """The pots of a round, each shuffled, for all rounds of a design: what it calls a pot comes by lot, but the short
    one is the first. For tables of five alone there are five pots."""
    made = [pot for pot in pots(ranked, sizes, number) if pot]
    short = [pot for pot in made if len(pot) < sizes.tables]
    full = [pot for pot in made if len(pot) == sizes.tables]
    chance.shuffle(f"{label}/pots", full)
    for index, pot in enumerate(short + full):
        chance.shuffle(f"{label}/pot {index}", pot)
    return short + full


def dealt(
    made: Sequence[Sequence[Handle]], design: Round, chance: Chance, label: str
) -> tuple[list[list[Handle]], list[list[Seat]]]:
    """The tables of a round by its design, in an order that is drawn, but the small ones last; and the seats of each
    pot, among which players may change places."""
    seated: list[list[tuple[int, Handle]]] = [[] for _ in design[0]]
    for index, pot in enumerate(made):
        for x, handle in enumerate(pot):
            seated[design[index][x]].append((index, handle))
    chance.shuffle(f"{label}/tables", seated)
    seated.sort(key=len, reverse=True)
    groups: list[list[Seat]] = [[] for _ in made]
    for table, there in enumerate(seated):
        for place, (index, _) in enumerate(there):
            groups[index].append((table, place))
    return [[handle for _, handle in there] for there in seated], groups


def _shifts(tables: int, places: int, rounds: int) -> list[tuple[int, ...]]:
    found = [(0,) * places]
    while len(found) < rounds and (shift := _next(tables, places, found, (0,))):
        found.append(shift)
    return found


def _next(
    tables: int, places: int, before: Sequence[tuple[int, ...]], begun: tuple[int, ...]
) -> tuple[int, ...] | None:  # fmt: skip
    """The first shift, in the order of its numbers, whose differences to each earlier one are all different."""
    if len(begun) == places:
        return begun
    for m in range(tables):
        longer = (*begun, m)
        if all(_all_different(tables, longer, one) for one in before) and (
            found := _next(tables, places, before, longer)
        ):
            return found
    return None


def _all_different(tables: int, one: Sequence[int], other: Sequence[int]) -> bool:
    apart = [(m - n) % tables for m, n in zip(one, other, strict=False)]
    return len(set(apart)) == len(apart)


def _of_six_tables() -> tuple[Round, ...]:
    """Rows, columns and letters. The pot that may be short is one of those of which each table has one."""
    columns = [[row.index(str(pot)) for row in _POTS] for pot in range(1, SEATS + 1)]
    rows = tuple(tuple(range(SEATS)) for _ in columns)
    third = tuple(tuple(int(_THIRD[x][column]) - 1 for x, column in enumerate(pot)) for pot in columns)
    return rows, tuple(map(tuple, columns)), third
