"""The hour of the day at which a table's answers fall due: when most of its players are awake, and, of such hours, the
one that is furthest from those of the other tables at which they sit; then by lot.

Hours are those of UTC, from 0 to 23; a day has no more, so with a step of a day the duties of somebody at two tables
are never more than twelve hours from each other. On which day a duty comes nobody knows beforehand: a step begins when
the last answer is in. So what `spread_hours` wants beyond twelve hours no clock can give, and it is as good as twelve.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rules.components.chance import Chance

HOURS = range(24)
MOST_APART = 12
Place = tuple[int, int]


def hours_of_tables(
    tables: Mapping[Place, Sequence[int]], awake: Mapping[int, int], spread: int, chance: Mapping[Place, Chance]
) -> dict[Place, int]:
    """The hour of each table, by round and number, one after the other. ``tables`` has the numbers of who sits there,
    ``awake`` their waking hours as a mask of 24 bits, ``spread`` the hours that should lie between two duties of one
    person.

    >>> mask = sum(1 << hour for hour in range(18, 22))
    >>> found = hours_of_tables({(1, 1): [1]}, {1: mask}, 24, {(1, 1): Chance("seed", {})})
    >>> 18 <= found[1, 1] < 22
    True
    """
    found: dict[Place, int] = {}
    duties: dict[int, list[int]] = {}
    for place, there in tables.items():
        taken = [hour for player in there for hour in duties.get(player, ())]
        order = list(HOURS)
        chance[place].shuffle(f"hour of table {place[0]}/{place[1]}", order)
        hour = min(order, key=lambda hour: (-_awake(there, awake, hour), _too_near(hour, taken, spread)))
        found[place] = hour
        for player in there:
            duties.setdefault(player, []).append(hour)
    return found


def _awake(there: Iterable[int], awake: Mapping[int, int], hour: int) -> int:
    """How many are awake when the hour begins."""
    return sum(awake[player] >> hour & 1 for player in there)


def _too_near(hour: int, taken: Iterable[int], spread: int) -> int:
    """The squares of the hours that are missing to the spread, as far as a day allows it: between two that are taken
    the middle is better than an end."""
    wanted = min(spread, MOST_APART)
    return sum(max(0, wanted - apart(hour, other)) ** 2 for other in taken)


def apart(one: int, other: int) -> int:
    """How many hours lie between two hours of the day, the shorter way round.

    >>> apart(23, 1), apart(0, 12)
    (2, 12)
    """
    between = abs(one - other) % 24
    return min(between, 24 - between)
