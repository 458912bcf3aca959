"""Who begins where, before the search: from pots, by slices of the standings, or as a snake; and who may change places.

Whoever sat at a small table, or did not play, is last in line for the next small one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.competition.outcomes import Handle
from bot.competition.seating.history import History
from bot.competition.seating.pots import pots
from bot.competition.seating.search import Seat, Tables
from bot.competition.seating.sizes import SEATS, Sizes
from rules.components.chance import Chance

RANKS_APART = 6
"""Exchanges between tables of the standings go no further than so many ranks."""


def dealt(
    ranked: Sequence[Handle], sizes: Sizes, number: int, history: History, chance: Chance, label: str
) -> tuple[list[list[Handle]], list[list[Seat]]]:
    """One of each pot to each table, by lot; the small tables, which come last, to those who had fewest. With them the
    seats of each pot, among which players may change places."""
    tables: list[list[Handle]] = [[] for _ in range(sizes.tables)]
    groups: list[list[Seat]] = []
    for index, pot in enumerate(pots(ranked, sizes, number)):
        chance.shuffle(f"{label}/pot {index}", pot)
        small = len(pot) - sizes.sixes
        first = sorted(pot, key=lambda handle: history.small[handle])[:small]
        chosen = set(first)
        order = [handle for handle in pot if handle not in chosen] + first
        groups.append([(table, len(tables[table])) for table in range(len(order))])
        for table, handle in enumerate(order):
            tables[table].append(handle)
    return tables, groups


def sliced(ranked: Sequence[Handle], sizes: Sizes, history: History) -> list[list[Handle]]:
    """Neighbours of the standings together; the slices whose players had the fewest small tables are the small ones."""
    whole = [ranked[begun : begun + SEATS] for begun in range(0, len(ranked), SEATS)][: sizes.tables]
    had = [sum(history.small[handle] for handle in there) for there in whole]
    order = sorted(range(sizes.tables), key=lambda table: (had[table], -table))
    size = dict.fromkeys(range(sizes.tables), SEATS)
    size |= dict.fromkeys(order[: sizes.fours], SEATS - 2)
    size |= dict.fromkeys(order[sizes.fours : sizes.fours + sizes.fives], SEATS - 1)
    tables, begun = [], 0
    for table in range(sizes.tables):
        tables.append(list(ranked[begun : begun + size[table]]))
        begun += size[table]
    return tables


def snaked(ranked: Sequence[Handle], sizes: Sizes) -> tuple[list[list[Handle]], list[list[Seat]]]:
    """The first to the first table and so on to the last, and back again. With them the seats of each such row, among
    which players may change places where two are to be kept apart."""
    each = sizes.each()
    tables: list[list[Handle]] = [[] for _ in each]
    left, row = list(ranked), 0
    while left:
        order = range(len(each)) if row % 2 == 0 else range(len(each) - 1, -1, -1)
        for table in order:
            if len(tables[table]) < each[table]:
                tables[table].append(left.pop(0))
        row += 1
    return tables, [[(t, place) for t in range(len(each)) if place < each[t]] for place in range(max(each))]


def neighbours(tables: Sequence[Sequence[Handle]]) -> list[list[Seat]]:
    """All seats are one group; who may change places is said by their ranks."""
    return [[(t, p) for t, there in enumerate(tables) for p in range(len(there))]]


def may_change(ranked: Sequence[Handle] = ()) -> Callable[[Tables, Seat, Seat], bool]:
    """Whether two players may change places: everybody may, or with ``ranked`` only neighbours."""
    rank = {handle: number for number, handle in enumerate(ranked)}

    def may(tables: Tables, one: Seat, other: Seat) -> bool:
        if not rank:
            return True
        return abs(rank[tables.seats[one[0]][one[1]]] - rank[tables.seats[other[0]][other[1]]]) <= RANKS_APART

    return may
