"""A search for the tables of one round: deal, then exchange players as long as somebody meets whom they should not.

It is a tabu search: the best exchange for a player who repeats something, even if it makes things worse, but not back
within some steps; the best seating on the way is kept. All ties are broken by lot, so it is the same for the same seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.competition.outcomes import Handle
from bot.competition.seating.history import HOURS, SMALL
from bot.competition.seating.sizes import SEATS
from rules.components.chance import Chance

STEPS_EACH = 60
LOOKED_AT = 60
TABU = 7

Weights = Mapping[Handle, Mapping[Handle, int]]
Seat = tuple[int, int]
"""A table and a place at it."""


@dataclass(slots=True)
class Tables:
    """Tables while they are searched for. ``groups`` are the seats among which players may change places, and ``may``
    says whether two of them may now. ``small`` is how many small tables each player had; ``asleep``, whether two have
    too few waking hours in common; ``least`` is what any seating weighs for meetings and pairs kept apart.

    What each player weighs with each table is kept up with every exchange (``_with``), so that a search need not add up
    a table for each exchange that it looks at. Two players weigh the same whichever of them is asked."""

    seats: list[list[Handle]]
    groups: Sequence[Sequence[Seat]]
    weights: Weights
    small: Mapping[Handle, int]
    may: Callable[[Tables, Seat, Seat], bool]
    asleep: Callable[[Handle, Handle], bool] | None = None
    least: int = 0
    _with: dict[Handle, dict[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.seat(self.seats)

    def seat(self, seats: list[list[Handle]]) -> None:
        """Let everybody sit so."""
        self.seats = seats
        self._with = {handle: {} for handle in self.weights}
        for table, there in enumerate(seats):
            for handle in there:
                self._weigh(handle, table, 1)

    def own(self, seat: Seat) -> int:
        """What the player at a seat weighs there."""
        there = self.seats[seat[0]]
        handle = there[seat[1]]
        found = self._with[handle].get(seat[0], 0)
        if len(there) < SEATS:
            found += SMALL * self.small[handle]
        if self.asleep:
            found += self._asleep(seat, handle)
        return found

    def _asleep(self, seat: Seat, handle: Handle) -> int:
        """The cost of a player's seat at a table by waking hours: for each other player there with too few hours in
        common."""
        others = [other for place, other in enumerate(self.seats[seat[0]]) if place != seat[1]]
        return HOURS * sum(1 for other in others if self.asleep and self.asleep(handle, other))

    def cost(self, table: int) -> int:
        """What a table weighs."""
        there = self.seats[table]
        found = SMALL * sum([self.small[handle] for handle in there]) if len(there) < SEATS else 0
        for number, handle in enumerate(there):
            if weights := self.weights[handle]:
                found += sum([weights.get(other, 0) for other in there[number + 1 :]])
            if self.asleep:
                found += sum(HOURS for other in there[number + 1 :] if self.asleep(handle, other))
        return found

    def each(self, table: int) -> list[int]:
        """What each player of a table weighs there."""
        return [self.own((table, place)) for place in range(len(self.seats[table]))]

    def after(self, one: Seat, other: Seat) -> int:
        """What two players weigh once they have changed places."""
        here, there = self.seats[one[0]], self.seats[other[0]]
        a, b = here[one[1]], there[other[1]]
        found = self._with[a].get(other[0], 0) - self.weights[a].get(b, 0)
        found += self._with[b].get(one[0], 0) - self.weights[b].get(a, 0)
        if len(there) < SEATS:
            found += SMALL * self.small[a]
        if len(here) < SEATS:
            found += SMALL * self.small[b]
        if self.asleep:
            found += self._asleep(other, a) + self._asleep(one, b)
        return found

    def change(self, one: Seat, other: Seat) -> int:
        """How much an exchange adds to the cost."""
        return self.after(one, other) - self.own(one) - self.own(other)

    def exchange(self, one: Seat, other: Seat) -> None:
        """Let two players change places."""
        here, there = self.seats[one[0]], self.seats[other[0]]
        a, b = here[one[1]], there[other[1]]
        here[one[1]], there[other[1]] = b, a
        for handle, before, now in ((a, one[0], other[0]), (b, other[0], one[0])):
            self._weigh(handle, before, -1)
            self._weigh(handle, now, 1)

    def _weigh(self, handle: Handle, table: int, times: int) -> None:
        """Somebody sits down at a table, or leaves it (-1): what all others weigh with it."""
        for other, weight in self.weights[handle].items():
            if (there := self._with.get(other)) is not None:
                there[table] = there.get(table, 0) + times * weight


def search(tables: Tables, chance: Chance, label: str) -> int:
    """Make the tables as good as it can; what they then cost."""
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
    """The seats of a table whose players meet whom they should not."""
    return [(table, place) for place, weight in enumerate(own) if weight]


def fewest_small(tables: Tables) -> int:
    """How many earlier small tables those have at least who sit at the small ones now."""
    seats = sum(len(there) for there in tables.seats if len(there) < SEATS)
    return sum(sorted(tables.small[handle] for there in tables.seats for handle in there)[:seats]) if seats else 0


def _best(
    tables: Tables, owns: Sequence[Sequence[int]], one: Seat, group: Sequence[Seat], step: int,
    not_before: Mapping[Handle, int], wanted: int, chance: Chance, label: str,
) -> tuple[Seat, int] | None:  # fmt: skip
    """The best exchange for a player: with whom, and what it adds. One that is tabu counts if it makes the best yet."""
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
