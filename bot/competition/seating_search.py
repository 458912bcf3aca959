"""The search for the tables of one round: deal, then exchange players as long as somebody meets a player whom they
should not meet.

This is a tabu search. It picks a player for whom something is repeated and makes the best exchange for that player,
even if the seating as a whole gets worse. It does not undo an exchange for a number of steps. It keeps the best seating
that it has found. Lots break all ties, so the same seed gives the same seating.

``History`` holds who met whom, who sat at a small table, and who had which faction and dot. A lower bound for the cost
can be found by counting, and the search stops when it reaches that bound. For example, if six players who sat together
before are now divided among four tables, they are at best divided as two, two, one and one, so at least two pairs meet
again in any draw. A group whose members should all be kept apart from each other has a bound for the same reason.

Tables have six seats, except that as many as necessary have five. A pot holds players of about equal strength. Each
table gets one player from each pot, and only players of the same pot are exchanged, so all tables are about equally
strong.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.competition.outcomes import Handle
from bot.competition.published import Pair, Seated, TableDrawn
from rules.components import Faction
from rules.components.chance import Chance

STEPS_EACH = 60
LOOKED_AT = 60
TABU = 7

Weights = Mapping[Handle, Mapping[Handle, int]]
Seat = tuple[int, int]


@dataclass(slots=True)
class Tables:
    """The tables during a search.

    - ``groups`` are sets of seats; players may be exchanged within each of them. ``may`` says whether two particular
      players may be exchanged now.
    - ``small`` counts how often each player has had a small table so far.
    - ``least`` is a lower bound: in any seating, meetings and pairs to be kept apart weigh at least this much.

    Every exchange updates the weight of each player at each table (``_with``), so the search need not add up a table
    again for each exchange that it tries. Weights are symmetric.
    """

    seats: list[list[Handle]]
    groups: Sequence[Sequence[Seat]]
    weights: Weights
    small: Mapping[Handle, int]
    may: Callable[[Tables, Seat, Seat], bool]
    least: int = 0
    _with: dict[Handle, dict[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.seat(self.seats)

    def seat(self, seats: list[list[Handle]]) -> None:
        self.seats = seats
        self._with = {handle: {} for handle in self.weights}
        for table, there in enumerate(seats):
            for handle in there:
                self._weigh(handle, table, 1)

    def own(self, seat: Seat) -> int:
        there = self.seats[seat[0]]
        handle = there[seat[1]]
        found = self._with[handle].get(seat[0], 0)
        if len(there) < SEATS:
            found += SMALL * self.small[handle]
        return found

    def cost(self, table: int) -> int:
        there = self.seats[table]
        found = SMALL * sum([self.small[handle] for handle in there]) if len(there) < SEATS else 0
        for number, handle in enumerate(there):
            if weights := self.weights[handle]:
                found += sum([weights.get(other, 0) for other in there[number + 1 :]])
        return found

    def each(self, table: int) -> list[int]:
        return [self.own((table, place)) for place in range(len(self.seats[table]))]

    def after(self, one: Seat, other: Seat) -> int:
        here, there = self.seats[one[0]], self.seats[other[0]]
        a, b = here[one[1]], there[other[1]]
        found = self._with[a].get(other[0], 0) - self.weights[a].get(b, 0)
        found += self._with[b].get(one[0], 0) - self.weights[b].get(a, 0)
        if len(there) < SEATS:
            found += SMALL * self.small[a]
        if len(here) < SEATS:
            found += SMALL * self.small[b]
        return found

    def change(self, one: Seat, other: Seat) -> int:
        return self.after(one, other) - self.own(one) - self.own(other)

    def exchange(self, one: Seat, other: Seat) -> None:
        here, there = self.seats[one[0]], self.seats[other[0]]
        a, b = here[one[1]], there[other[1]]
        here[one[1]], there[other[1]] = b, a
        for handle, before, now in ((a, one[0], other[0]), (b, other[0], one[0])):
            self._weigh(handle, before, -1)
            self._weigh(handle, now, 1)

    def _weigh(self, handle: Handle, table: int, times: int) -> None:
        for other, weight in self.weights[handle].items():
            if (there := self._with.get(other)) is not None:
                there[table] = there.get(table, 0) + times * weight


def improve_tables(tables: Tables, chance: Chance, label: str) -> int:
    floor = tables.least + SMALL * fewest_small(tables)
    owns = [tables.each(number) for number in range(len(tables.seats))]
    total = sum(tables.cost(number) for number in range(len(tables.seats)))
    best, kept = total, [list(there) for there in tables.seats]
    bad = {number: _bad(number, own) for number, own in enumerate(owns) if any(own)}
    group_of = {seat: group for group in tables.groups for seat in group}
    not_before: dict[Handle, int] = {}
    steps = STEPS_EACH * sum(map(len, tables.seats))
    for step in range(steps):
        if best <= floor:
            break
        one = chance.pick(f"{label}/who", [seat for table in sorted(bad) for seat in bad[table]])
        move = _best(tables, owns, one, group_of[one], step, not_before, best - total, chance, label)
        if move is None:
            continue
        other, change = move
        moved = tables.seats[one[0]][one[1]], tables.seats[other[0]][other[1]]
        tables.exchange(one, other)
        not_before.update(dict.fromkeys(moved, step + TABU))
        for table in (one[0], other[0]):
            owns[table] = tables.each(table)
            bad[table] = _bad(table, owns[table])
            if not bad[table]:
                del bad[table]
        total += change
        if total < best:
            best, kept = total, [list(there) for there in tables.seats]
    tables.seat(kept)
    return best


def _bad(table: int, own: Sequence[int]) -> list[Seat]:
    return [(table, place) for place, weight in enumerate(own) if weight]


def fewest_small(tables: Tables) -> int:
    seats = sum(len(there) for there in tables.seats if len(there) < SEATS)
    return sum(sorted(tables.small[handle] for there in tables.seats for handle in there)[:seats]) if seats else 0


def _best(
    tables: Tables,
    owns: Sequence[Sequence[int]],
    one: Seat,
    group: Sequence[Seat],
    step: int,
    not_before: Mapping[Handle, int],
    wanted: int,
    chance: Chance,
    label: str,
) -> tuple[Seat, int] | None:
    """Return the best exchange for a player, and by how much it changes the cost. An exchange that is tabu counts only
    if its result is better than the best seating so far."""
    others = [seat for seat in group if seat[0] != one[0] and tables.may(tables, one, seat)]
    if len(others) > LOOKED_AT:
        others = [chance.pick(f"{label}/among", others) for _ in range(LOOKED_AT)]
    least, found = 0, list[Seat]()
    mine, own = not_before.get(tables.seats[one[0]][one[1]], 0), owns[one[0]][one[1]]
    for other in others:
        change = tables.after(one, other) - own - owns[other[0]][other[1]]
        tabu = step < max(mine, not_before.get(tables.seats[other[0]][other[1]], 0))
        if tabu and change >= wanted:
            continue
        if not found or change < least:
            least, found = change, [other]
        elif change == least and other not in found:
            found.append(other)
    return (chance.pick(f"{label}/tie", found), least) if found else None


APART = 10**28
TWICE = 10**21
MEETING = 10**14
SMALL = 10**7
HOURS = 1
"""These weights never add up to the next higher one: no round has ten million such pairs.

- ``APART``: a pair to be kept apart
- ``TWICE``: a pair that meets at another table in the same period
- ``MEETING``: each square of a pair's earlier meetings
- ``SMALL``: a seat at a small table, for each earlier small table of its player
- ``HOURS``: a pair with too few waking hours in common
"""


class History:
    def __init__(self, tables: Iterable[TableDrawn] = (), apart: Collection[Pair] = ()) -> None:
        self.met: dict[Handle, Counter[Handle]] = defaultdict(Counter)
        self.met_now: dict[Handle, set[Handle]] = defaultdict(set)
        self.small: Counter[Handle] = Counter()
        self.factions: dict[Handle, Counter[Faction]] = defaultdict(Counter)
        self.played: Counter[Faction] = Counter()
        self.dots: dict[Handle, Counter[int]] = defaultdict(Counter)
        self.apart: dict[Handle, set[Handle]] = defaultdict(set)
        self.together: dict[tuple[bool, int], list[list[Handle]]] = defaultdict(list)
        for one, other in apart:
            self.apart[one].add(other)
            self.apart[other].add(one)
        for table in tables:
            self.add(table)

    def sat_out(self, handles: Iterable[Handle]) -> None:
        """Record the players who sat out, once for each time that they are listed. Sitting out counts like a seat at a
        small table."""
        self.small.update(handles)

    def add(self, table: TableDrawn, *, of_the_same_time: bool = False) -> None:
        handles = [seat.entrant for seat in table.seats]
        self.together[of_the_same_time, table.round].append(handles)
        for handle in handles:
            others = [other for other in handles if other != handle]
            self.met[handle].update(others)
            if of_the_same_time:
                self.met_now[handle].update(others)
        if len(handles) < SEATS:
            self.small.update(handles)
        for seat in table.seats:
            self.dots[seat.entrant][seat.dot] += 1
            self.had(seat)

    def had(self, seat: Seated) -> None:
        if seat.faction:
            self.factions[seat.entrant][seat.faction] += 1
            self.played[seat.faction] += 1

    def least_again(self, present: Collection[Handle], tables: int) -> tuple[int, int]:
        """Return the least possible number of repeated meetings among the players present: first in rounds played at
        the same time, then in any round."""
        least = {False: 0, True: 0}
        for (now, _), each in self.together.items():
            there = [sum(handle in present for handle in handles) for handles in each]
            least[now] = max(least[now], least_again(there, tables))
        return least[True], max(least.values())

    def apart_alone(self, handle: Handle) -> dict[Handle, int]:
        """For each other player, return what it costs to seat them at this player's table. Only pairs to be kept apart
        count."""
        return dict.fromkeys(self.apart.get(handle, ()), APART)

    def weights(self, handle: Handle) -> dict[Handle, int]:
        """Return the cost of each other player at the same table. Players missing from the result cost nothing."""
        found = {other: MEETING * times * times for other, times in self.met[handle].items()}
        for other in self.met_now[handle]:
            found[other] += TWICE
        for other in self.apart[handle]:
            found[other] = found.get(other, 0) + APART
        return found


def waking_overlap(one: int, other: int) -> int:
    """Count the waking hours that two masks of 24 bits have in common. An empty mask means that every hour is a waking
    hour."""
    return ((one or _ALWAYS) & (other or _ALWAYS)).bit_count()


_ALWAYS = (1 << 24) - 1


def least_pairs(people: int, tables: int) -> int:
    """Return the least possible number of pairs who share a table when this many people sit at this many tables.

    >>> least_pairs(6, 4), least_pairs(6, 2), least_pairs(5, 7)
    (2, 6, 0)
    """
    each, rest = divmod(people, tables)
    return (tables - rest) * (each * (each - 1) // 2) + rest * (each * (each + 1) // 2)


def least_again(together: Iterable[int], tables: int) -> int:
    """Return the least possible number of pairs who meet again. ``together`` are the sizes of the groups who sat
    together, each in one round."""
    return sum(least_pairs(people, tables) for people in together)


def least_apart(pairs: Collection[Pair], tables: int) -> int:
    """Return the least possible number of pairs who must share a table although they should be kept apart. It is
    computed from the groups that ``too_many`` finds.

    >>> least_apart([("E1", "E2"), ("E1", "E3"), ("E2", "E3")], 2)
    1
    """
    return least_again(map(len, too_many(pairs, tables)), tables)


def too_many(pairs: Collection[Pair], tables: int) -> list[tuple[Handle, ...]]:
    """Find disjoint groups in which everybody should be kept apart from everybody else, although the group has more
    members than there are tables. The search is greedy and starts with the players who should be kept apart from the
    most others, so it may miss groups."""
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


SEATS = 6


@dataclass(frozen=True, slots=True)
class Sizes:
    sixes: int
    fives: int
    fours: int = 0

    @property
    def tables(self) -> int:
        return self.sixes + self.fives + self.fours

    @property
    def entrants(self) -> int:
        return 6 * self.sixes + 5 * self.fives + 4 * self.fours

    def each(self) -> tuple[int, ...]:
        return (6,) * self.sixes + (5,) * self.fives + (4,) * self.fours


class NoTables(ValueError):
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


def table_sizes(entrants: int, *, fours: bool = False) -> Sizes:
    """Return the number of tables of each size: as many tables of six as possible, and tables of five for the rest.
    With ``fours``, there are also as few tables of four as are needed.

    Raise NoTables if the number of entrants cannot be divided like this.

    >>> table_sizes(38), table_sizes(200)
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


def make_pots(ranked: Sequence[Handle], sizes: Sizes, number: int) -> list[list[Handle]]:
    """Divide the ranked entrants into six pots, strongest first, each with one player for every table. The pots that
    give no player to small tables are shorter; the round's ``number`` determines which pots these are."""
    cut, begun = [], 0
    for length in pot_lengths(sizes, number):
        cut.append(list(ranked[begun : begun + length]))
        begun += length
    return cut


def pot_lengths(sizes: Sizes, number: int) -> list[int]:
    """Return the size of each pot. One pot gives no players to tables of five and four, and another one gives none to
    tables of four."""
    found = [sizes.tables] * SEATS
    found[-number % SEATS] -= sizes.fives + sizes.fours
    found[(-number - 1) % SEATS] -= sizes.fours
    return found
