"""Leagues in which every pair meets equally often: block designs, in which nothing fairer exists.

A design for v players has v tables. At table t sits at place s the player ``(t + d[s]) mod v``, where d is a difference
set: every difference of two places comes up equally often, so every pair meets equally often; and as each place is at
one table each, everybody has every place, and so every faction, once. For sixteen the sum is XOR.

Difference sets: D. R. Stinson, Combinatorial Designs, chapter 3; each is counted in the tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.competition.draws import Seated, TableDrawn
from bot.competition.outcomes import Handle
from bot.competition.seating.places import Missing, dots, played
from rules.components import FACTIONS, Faction
from rules.components.chance import Chance


@dataclass(frozen=True, slots=True)
class Design:
    """How many players (and tables), the difference set, and how often every pair meets."""

    players: int
    places: tuple[int, ...]
    meetings: int
    xor: bool = False

    @property
    def size(self) -> int:
        """How many sit at a table, which is also how many games each plays."""
        return len(self.places)

    def tables(self) -> list[list[int]]:
        """The players of each table by place, as numbers from 0."""
        return [
            [table ^ place if self.xor else (table + place) % self.players for place in self.places]
            for table in range(self.players)
        ]


DESIGNS = (
    Design(31, (1, 5, 11, 24, 25, 27), 1),
    Design(21, (3, 6, 7, 12, 14), 1),
    Design(16, (0, 1, 2, 4, 8, 15), 2, xor=True),
    Design(13, (0, 1, 3, 9), 1),
    Design(11, (1, 3, 4, 5, 9), 2),
    Design(7, (1, 2, 3, 4, 5, 6), 5),
)
"""The largest first. For seven players there is one with tables of four too; the one with six is a game of Dune."""


class NoLeague(ValueError):
    """Too few for any design; the message says how many are needed."""


def divisions(entrants: int, *, fours: bool = False) -> list[Design]:
    """The largest design that fits so many entrants, then the largest for those who are left, and so on; a few may be
    left over at the end. NoLeague if there are too few for any.

    >>> [design.players for design in divisions(47)], [design.players for design in divisions(40)]
    ([31, 16], [31, 7])
    """
    allowed = [design for design in DESIGNS if design.size > 4 or fours]
    found, left = list[Design](), entrants
    while fits := [design for design in allowed if design.players <= left]:
        found.append(fits[0])
        left -= fits[0].players
    if not found:
        least = min(design.players for design in allowed)
        raise NoLeague(f"A league needs at least {least} entrants; there are {entrants}.")
    return found


def league(
    ranked: Sequence[Handle], designs: Sequence[Design], number: int, chance: Chance, missing: Missing = "drawn",
    *, with_factions: bool = True, box: Sequence[Faction] = FACTIONS,
) -> list[TableDrawn]:  # fmt: skip
    """The tables of a league; in its first division are the best by standing. Who has which place of
    the design is drawn, and so is what faction and dot each place means; without ``with_factions`` they come later.
    Those beyond the last division do not play."""
    tables, begun = list[TableDrawn](), 0
    times = Counter[Faction]()
    for index, design in enumerate(designs):
        there = list(ranked[begun : begun + design.players])
        begun += design.players
        label = f"round {number}/division {index + 1}"
        chance.shuffle(f"{label}/players", there)
        drawn = played(design.size, missing, chance, label, box, times)
        times.update(dict.fromkeys(drawn, design.players))
        factions = drawn if with_factions else [None] * design.size
        places = dots(design.size, chance, label)
        for players in design.tables():
            seats = [
                Seated(entrant=there[player], faction=factions[place], dot=places[place])
                for place, player in enumerate(players)
            ]
            seats.sort(key=lambda seat: seat.dot)
            tables.append(TableDrawn(round=number, table=len(tables) + 1, seats=tuple(seats)))
    return tables


def next_divisions(standings: Sequence[Sequence[Handle]], up: int, down: int) -> list[Handle]:
    """Everybody by strength for the next season: of each division the last ``down`` change places with the first
    ``up`` of the one below it."""
    order = [list(division) for division in standings]
    for above, below in pairwise(order):
        falling, rising = above[len(above) - down :] if down else [], below[:up]
        kept = above[: len(above) - down] if down else above[:]
        above[:], below[:] = kept + rising, falling + below[up:]
    return [handle for division in order for handle in division]


def last_season(
    drawn: Sequence[Handle], standing: Sequence[Handle], up: int, down: int, *, fours: bool = False
) -> list[Handle]:
    """Everybody by strength for the season after one whose divisions were formed of ``drawn``, the strongest first, and
    which ended with this ``standing``.

    >>> players = [f"E{number:03d}" for number in range(1, 48)]  # divisions of 31 and 16
    >>> last_season(players, players, 1, 1)[29:33]
    ['E030', 'E032', 'E031', 'E033']
    """
    seasons, begun = list[list[Handle]](), 0
    for design in divisions(len(drawn), fours=fours):
        there = set(drawn[begun : begun + design.players])
        begun += design.players
        seasons.append([handle for handle in standing if handle in there])
    return next_divisions(seasons, up, down)
