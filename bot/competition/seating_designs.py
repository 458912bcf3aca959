"""Designs (seatings known to be fair) for heats and leagues, and the factions and dots at a table.

**Heats in which nobody meets anybody twice.** If nothing has been played before, the search may start with such rounds.
Each player has a pot, and a number within the pot; the numbers begin at 0, and there are as many as there are tables.
In a round in which a pot is shifted by m, its player with the number x sits at table x - m, counting in a circle, so
each table gets one player from each pot. Two players from different pots can meet in two rounds only if the difference
between the shifts of their pots is the same in both rounds. So, from one round to another, the shift must change by a
different amount for each pot. Such shifts are found by trying numbers in order.

With six tables, three such rounds do not exist, because there are no two orthogonal Latin squares of order six (Tarry
1900). Instead, each player is a cell of a square. In the first round, players in the same row sit together, in the
second those in the same column, and in the third those whose cells have the same letter of a Latin square. The pots are
the letters of a second square, which is as nearly orthogonal as possible (Horton 1974). In the third round, two tables
have two players from one pot and none from another; all other tables have one player from each.

**Leagues in which every pair meets equally often** are block designs; nothing can be fairer. A design for v players has
v tables. Place s at table t goes to player ``(t + d[s]) mod v``, where d is a difference set: every difference between
two of its numbers occurs equally often, so every pair meets equally often. Each player has each place at exactly one
table, and so plays every faction once. For sixteen players, XOR is used in place of the sum. The difference sets are
from D. R. Stinson, Combinatorial Designs, chapter 3; the tests verify each of them by counting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Literal, TypeVar

from bot.competition.outcomes import Handle
from bot.competition.published import Seated, TableDrawn
from bot.competition.seating_search import SEATS, Seat, Sizes, make_pots
from rules.components import FACTIONS, Faction
from rules.components.board import DOTS
from rules.components.chance import Chance

DESIGNS_TRIED = 4
"""The number of candidates that begin with a design, if one is known and no candidate has reached the lower bound."""
MOST_TABLES = 16
"""With more tables than this, the search alone finds seatings that are as good."""
_THIRD = ("563412", "216534", "651243", "435621", "142356", "324165")
_POTS = ("125634", "651243", "436512", "564321", "243156", "312465")

Shifts = tuple[tuple[int, ...], ...]


@cache
def known_rounds(tables: int, places: int, rounds: int) -> tuple[Shifts, ...]:
    """Return the designs of the first rounds: at least two rounds, or none if there are too few or too many tables."""
    if not places <= tables <= MOST_TABLES:
        return ()
    if (tables, places) == (6, SEATS) and rounds > 2:
        return _of_six_tables()
    shifts = _shifts(tables, places, rounds)
    return tuple(tuple(tuple((x - m) % tables for x in range(tables)) for m in one) for one in shifts)


def cut_pots(ranked: Sequence[Handle], sizes: Sizes, number: int, chance: Chance, label: str) -> list[list[Handle]]:
    """Return the pots for all rounds of a design, each of them shuffled. Lots decide the pots' places in the design,
    except that a short pot comes first. If all tables have five seats, there are only five pots."""
    made = [pot for pot in make_pots(ranked, sizes, number) if pot]
    short = [pot for pot in made if len(pot) < sizes.tables]
    full = [pot for pot in made if len(pot) == sizes.tables]
    chance.shuffle(f"{label}/pots", full)
    for index, pot in enumerate(short + full):
        chance.shuffle(f"{label}/pot {index}", pot)
    return short + full


def deal_by_design(
    made: Sequence[Sequence[Handle]], design: Shifts, chance: Chance, label: str
) -> tuple[list[list[Handle]], list[list[Seat]]]:
    """Deal the tables of a round by its design, in drawn order, with the small tables last. Also return the seats that
    belong to each pot, among which players may be exchanged."""
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
) -> tuple[int, ...] | None:
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


def _of_six_tables() -> tuple[Shifts, ...]:
    columns = [[row.index(str(pot)) for row in _POTS] for pot in range(1, SEATS + 1)]
    rows = tuple(tuple(range(SEATS)) for _ in columns)
    third = tuple(tuple(int(_THIRD[x][column]) - 1 for x, column in enumerate(pot)) for pot in columns)
    return rows, tuple(map(tuple, columns)), third


@dataclass(frozen=True, slots=True)
class LeagueDesign:
    """A block design: the number of players (and of tables), the difference set (``places``), and how often each pair
    meets."""

    players: int
    places: tuple[int, ...]
    meetings: int
    xor: bool = False

    @property
    def size(self) -> int:
        """Return the size of a table, which is also the number of each player's games."""
        return len(self.places)

    def tables(self) -> list[list[int]]:
        return [
            [table ^ place if self.xor else (table + place) % self.players for place in self.places]
            for table in range(self.players)
        ]


LEAGUE_DESIGNS = (
    LeagueDesign(31, (1, 5, 11, 24, 25, 27), 1),
    LeagueDesign(21, (3, 6, 7, 12, 14), 1),
    LeagueDesign(16, (0, 1, 2, 4, 8, 15), 2, xor=True),
    LeagueDesign(13, (0, 1, 3, 9), 1),
    LeagueDesign(11, (1, 3, 4, 5, 9), 2),
    LeagueDesign(7, (1, 2, 3, 4, 5, 6), 5),
)
"""The known designs, largest first. Seven players also have a design with tables of four, but a real game of Dune needs
a table of six."""


class NoLeague(ValueError):
    pass


def divisions(entrants: int, *, fours: bool = False) -> list[LeagueDesign]:
    """Choose the largest design that fits the number of entrants, then the largest one for the rest, and so on. A few
    entrants may be left over.

    Raise NoLeague if there are too few entrants for any design.

    >>> [design.players for design in divisions(47)], [design.players for design in divisions(40)]
    ([31, 16], [31, 7])
    """
    allowed = [design for design in LEAGUE_DESIGNS if design.size > 4 or fours]
    found, left = list[LeagueDesign](), entrants
    while fits := [design for design in allowed if design.players <= left]:
        found.append(fits[0])
        left -= fits[0].players
    if not found:
        least = min(design.players for design in allowed)
        raise NoLeague(f"A league needs at least {least} entrants; there are {entrants}.")
    return found


def league_tables(
    ranked: Sequence[Handle],
    designs: Sequence[LeagueDesign],
    number: int,
    chance: Chance,
    missing: Missing = "drawn",
    *,
    with_factions: bool = True,
    box: Sequence[Faction] = FACTIONS,
) -> list[TableDrawn]:
    """Make the tables of a league. The entrants who are best in the standings are in its first division.

    Lots assign the entrants to the places in the design, and a faction and dot to each place. If ``with_factions`` is
    false, factions are assigned later. Entrants who are left over after the last division do not play.
    """
    tables, begun = list[TableDrawn](), 0
    times = Counter[Faction]()
    for index, design in enumerate(designs):
        there = list(ranked[begun : begun + design.players])
        begun += design.players
        label = f"round {number}/division {index + 1}"
        chance.shuffle(f"{label}/players", there)
        drawn = draw_factions(design.size, missing, chance, label, box, times)
        times.update(dict.fromkeys(drawn, design.players))
        factions = drawn if with_factions else [None] * design.size
        places = draw_dots(design.size, chance, label)
        for players in design.tables():
            seats = [
                Seated(entrant=there[player], faction=factions[place], dot=places[place])
                for place, player in enumerate(players)
            ]
            seats.sort(key=lambda seat: seat.dot)
            tables.append(TableDrawn(round=number, table=len(tables) + 1, seats=tuple(seats)))
    return tables


def next_divisions(standings: Sequence[Sequence[Handle]], up: int, down: int) -> list[Handle]:
    """Return the entrants by strength for the next season: the last ``down`` of each division change places with the
    first ``up`` of the division below it."""
    order = [list(division) for division in standings]
    for above, below in pairwise(order):
        falling, rising = above[len(above) - down :] if down else [], below[:up]
        kept = above[: len(above) - down] if down else above[:]
        above[:], below[:] = kept + rising, falling + below[up:]
    return [handle for division in order for handle in division]


def last_season(
    drawn: Sequence[Handle], standing: Sequence[Handle], up: int, down: int, *, fours: bool = False
) -> list[Handle]:
    """Return the entrants by strength for the next season.

    The divisions of the last season were formed from ``drawn``, with the strongest first. ``standing`` is how that
    season ended.

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


Missing = Literal["drawn", "bene-gesserit"]
AGAIN = 100
NONE_YET: Mapping[Faction, int] = {}
T = TypeVar("T")


def assign_fairly(players: Sequence[Handle], things: Sequence[T], times: Mapping[Handle, Mapping[T, int]]) -> list[T]:
    """Give each player one thing so that the sum of ``100 * (2 * times + 1)`` is as low as possible. ``times`` is how
    often a player has had the thing before. If several assignments are equally good, the one that comes first in the
    order of players and things is chosen."""
    costs = [[AGAIN * (2 * times[player].get(thing, 0) + 1) for thing in things] for player in players]
    if all(cost == AGAIN for row in costs for cost in row):
        return list(things[: len(players)])
    least = [0] * (1 << len(things))
    for taken, seated, left in _ways(len(things), len(players)):
        row = costs[seated]
        least[taken] = min([row[thing] + least[then] for thing, then in left])
    given, taken = [], 0
    for row in costs:
        free = [(thing, taken | 1 << thing) for thing in range(len(things)) if not taken >> thing & 1]
        chosen, taken = next((thing, then) for thing, then in free if row[thing] + least[then] == least[taken])
        given.append(things[chosen])
    return given


@cache
def _ways(things: int, players: int) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """Return every set of things that may be taken before the last player chooses, largest sets first. Each set (a
    mask) comes with the number of players who have chosen, and with the possible next choices, each with the resulting
    set."""
    return [
        (taken, taken.bit_count(), [(one, taken | 1 << one) for one in range(things) if not taken >> one & 1])
        for taken in reversed(range(1 << things))
        if taken.bit_count() < players
    ]


def allowed_factions(size: int, missing: Missing, box: Sequence[Faction] = FACTIONS) -> list[Faction]:
    """Return the factions of the box that may be played at a table of this size, in the order of the box. At five
    seats, these are all except the Bene Gesserit (GF9.SETUP.3); at four, all except the Bene Gesserit and the Guild."""
    gone: tuple[Faction, ...] = ("bene-gesserit", "guild")[: SEATS - size] if missing == "bene-gesserit" else ()
    return [faction for faction in box if faction not in gone]


def has_spare_factions(box: Sequence[Faction]) -> bool:
    """Return True if the box has more factions than a full table needs, as with an expansion (IT.GEN.2)."""
    return len(box) > SEATS


def draw_factions(
    size: int,
    missing: Missing,
    chance: Chance,
    label: str,
    box: Sequence[Faction] = FACTIONS,
    times: Mapping[Faction, int] = NONE_YET,
) -> list[Faction]:
    """Draw the factions of a table, in drawn order.

    The missing factions are drawn (WBC.HR.1) from all that may be played. If the box has more factions than the table
    needs, the factions played at the fewest tables so far (``times``) are taken first, so that all factions are played
    equally often.
    """
    found = allowed_factions(size, missing, box)
    chance.shuffle(f"{label}/factions", found)
    if has_spare_factions(box):
        found.sort(key=lambda faction: times.get(faction, 0))
    return found[:size]


def draw_dots(size: int, chance: Chance, label: str) -> list[int]:
    found = list(DOTS)
    chance.shuffle(f"{label}/dots", found)
    return found[:size]
