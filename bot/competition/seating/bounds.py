"""What a seating costs at least, from counting alone: where it costs no more, nothing better needs to be looked for.

Six who sat together and now sit at four tables are at best two, two, one and one there: two pairs meet again, whatever
is drawn. The same holds for those of whom everybody is to be kept apart from everybody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bot.competition.draws import Pair
from bot.competition.outcomes import Handle


def least_pairs(people: int, tables: int) -> int:
    """How many pairs of so many people share a table at least.

    >>> least_pairs(6, 4), least_pairs(6, 2), least_pairs(5, 7)
    (2, 6, 0)
    """
    each, rest = divmod(people, tables)
    return (tables - rest) * (each * (each - 1) // 2) + rest * (each * (each + 1) // 2)


def least_again(together: Iterable[int], tables: int) -> int:
    """How many pairs meet again at least, of whom so many each sat at one table of one round."""
    return sum(least_pairs(people, tables) for people in together)


def least_apart(pairs: Collection[Pair], tables: int) -> int:
    """How many pairs that are to be kept apart share a table at least, by the groups of ``too_many``.

    >>> least_apart([("E1", "E2"), ("E1", "E3"), ("E2", "E3")], 2)
    1
    """
    return least_again(map(len, too_many(pairs, tables)), tables)


def too_many(pairs: Collection[Pair], tables: int) -> list[tuple[Handle, ...]]:
    """Groups with nobody in common in which all are to be kept apart from all, each larger than there are tables. They
    are looked for one after the other, from those on who are kept apart from most; there may be others."""
    others: dict[Handle, set[Handle]] = {}
    for one, other in pairs:
        others.setdefault(one, set()).add(other)
        others.setdefault(other, set()).add(one)
    found = list[tuple[Handle, ...]]()
    left = set(others)
    for first in sorted(others, key=lambda handle: (-len(others[handle]), handle)):
        if first not in left:
            continue
        group, may = [first], others[first] & left
        while may:
            group.append(min(may, key=lambda handle: (-len(others[handle] & may), handle)))
            may = may & others[group[-1]]
        if len(group) > tables:
            found.append(tuple(sorted(group)))
            left.difference_update(group)
    return found
