"""What has been: who met whom, who sat at a small table, and who had which faction and which dot."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable

from bot.competition.draws import Pair, Seated, TableDrawn
from bot.competition.outcomes import Handle
from bot.competition.seating.bounds import least_again
from bot.competition.seating.sizes import SEATS
from rules.components import Faction

APART = 10**28
TWICE = 10**21
MEETING = 10**14
SMALL = 10**7
HOURS = 1
"""What a pair weighs that is to be kept apart, that meets in another table of the same time, and for each square of its
earlier meetings; what a seat at a small table weighs for each small table before; and what a pair weighs that has too
few waking hours in common. What comes later never outweighs what comes first: no round has ten million such pairs."""


class History:
    """The past as seating looks at it; tables are added to it as they are drawn."""

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
        """Note players who did not play in a round, each as often as they are listed. It counts like a seat at a small
        table."""
        self.small.update(handles)

    def add(self, table: TableDrawn, *, of_the_same_time: bool = False) -> None:
        """A table that comes before the next; ``of_the_same_time``: it is played at the same time as that."""
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
        """A faction comes to somebody."""
        if seat.faction:
            self.factions[seat.entrant][seat.faction] += 1
            self.played[seat.faction] += 1

    def least_again(self, present: Collection[Handle], tables: int) -> tuple[int, int]:
        """How many of those who are present meet again at least: of rounds of the same time, and of any round."""
        least = {False: 0, True: 0}
        for (now, _), each in self.together.items():
            there = [sum(handle in present for handle in handles) for handles in each]
            least[now] = max(least[now], least_again(there, tables))
        return least[True], max(least.values())

    def apart_alone(self, handle: Handle) -> dict[Handle, int]:
        """The cost of each other player at one table with this one, where only pairs to be kept apart count."""
        return dict.fromkeys(self.apart.get(handle, ()), APART)

    def weights(self, handle: Handle) -> dict[Handle, int]:
        """The cost of each other player at one table with this one; those who are not named cost nothing."""
        found = {other: MEETING * times * times for other, times in self.met[handle].items()}
        for other in self.met_now[handle]:
            found[other] += TWICE
        for other in self.apart[handle]:
            found[other] = found.get(other, 0) + APART
        return found


def overlap(one: int, other: int) -> int:
    """How many waking hours two have in common, each a mask of 24 bits; one that says nothing is awake at any."""
    return ((one or _ALWAYS) & (other or _ALWAYS)).bit_count()


_ALWAYS = (1 << 24) - 1
