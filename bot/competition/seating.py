"""The seating of a round. The draw follows from a tournament's history and a seed, so anybody can recompute it.

``draw_seating`` draws a round, or several rounds that are played at the same time, in one search that covers all of
them. It makes a ``DrawRecord`` from its inputs and a seed. ``draw_again`` does the same from a record alone, and must
arrive at the same record. Candidates are dealt (from pots, by slices of the standings, or as a snake) and then improved
by a search. The cheapest candidate is chosen, or the first of several equally cheap ones. The wishes for a seating are
ranked (``Cost``): no wish is given up for a less important one.

Entrants who have sat at a small table, or have sat out, are the last to be chosen for this again. On a ladder, entrants
who are ready are seated as they come, with players whom they have not met lately and whose ratings are nearest to
theirs. If nothing else decides, the lower lot comes first.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from typing import Literal

import msgspec

from bot.competition import seating_search as search
from bot.competition.outcomes import Handle
from bot.competition.published import Cost, DrawRecord, Seated, TableDrawn
from bot.competition.seating_designs import (
    DESIGNS_TRIED,
    Missing,
    Shifts,
    assign_fairly,
    cut_pots,
    divisions,
    draw_dots,
    draw_factions,
    known_rounds,
    league_tables,
)
from bot.competition.seating_designs import deal_by_design as dealt_by_design
from rules.components import FACTIONS, Faction
from rules.components.chance import Chance

Way = Literal["pots", "slices", "snake"]
"""How players of different strength are dealt to the tables: one from each pot to each table (heats, knock-out),
neighbours in the standings together (swiss, ladder), or as a snake (semifinal, final)."""
WAYS: dict[str, Way] = {
    "heat": "pots",
    "league": "pots",
    "swiss": "slices",
    "ladder": "slices",
    "semifinal": "snake",
    "final": "snake",
    "knockout": "snake",
}
MOST_CANDIDATES = 16
LEAST_CANDIDATES = 2
BEFORE_DESIGNS = 2
"""The number of candidates tried before the candidates that begin with a design."""
TABLES_IN_ALL = 400
MEETINGS = 100


@dataclass(frozen=True, slots=True)
class SeatingWishes:
    """The settings for a draw of seats. If ``factions`` is true, factions are drawn from the ``box`` together with the
    seats, not later."""

    fours: bool = False
    missing: Missing = "drawn"
    overlap_hours: int = 0
    factions: bool = True
    box: tuple[Faction, ...] = FACTIONS


def draw_seating(asked: DrawRecord, seed: str, wishes: SeatingWishes = SeatingWishes()) -> DrawRecord:
    """Seat the entrants on the roster of ``asked``, using only the inputs in it. The order of the roster does not
    matter; ``ranked`` gives the strength of the entrants. Raise NoTables if the number of entrants cannot be divided
    into tables."""
    if asked.kind == "league":
        return _league(asked, seed, wishes)
    best: DrawRecord | None = None
    there = set(asked.ranked)
    past = [table for table in asked.history if any(seat.entrant in there for seat in table.seats)]
    design = _design(asked, past, wishes)
    searched = count_candidates(len(asked.ranked), len(asked.rounds))
    designed = range(searched, searched + (DESIGNS_TRIED if design else 0))
    for number in (*range(BEFORE_DESIGNS), *designed, *range(BEFORE_DESIGNS, searched)):
        made, floor = _candidate(asked, past, seed, wishes, number, design if number >= searched else ())
        if best is None or made.cost < best.cost:
            best = made
        if best.cost <= floor:
            break
    assert best is not None, "there is at least one candidate"
    return best


def draw_again(record: DrawRecord, wishes: SeatingWishes = SeatingWishes()) -> DrawRecord:
    bare = msgspec.structs.replace(record, candidate=0, cost=Cost(), tables=())
    return draw_seating(bare, record.seed, wishes)


def _league(asked: DrawRecord, seed: str, wishes: SeatingWishes) -> DrawRecord:
    history = search.History(asked.history, asked.apart)
    history.sat_out(asked.byes)
    designs = divisions(len(asked.ranked), fours=wishes.fours)
    chance, number = Chance(seed, {}), asked.rounds[0]
    tables = league_tables(
        asked.ranked, designs, number, chance, wishes.missing, with_factions=wishes.factions, box=wishes.box
    )
    cost = cost_of(tables, history, asked, wishes)
    return msgspec.structs.replace(asked, seed=seed, candidate=0, cost=cost, tables=tuple(tables))


def _design(asked: DrawRecord, past: Sequence[TableDrawn], wishes: SeatingWishes) -> tuple[Shifts, ...]:
    if WAYS[asked.kind] != "pots" or past or len(asked.rounds) < 2:
        return ()
    wanted = search.table_sizes(len(asked.ranked), fours=wishes.fours)
    return known_rounds(wanted.tables, wanted.each()[0], len(asked.rounds))


def count_candidates(entrants: int, rounds: int) -> int:
    tables = max(1, entrants // search.SEATS) * rounds
    return max(LEAST_CANDIDATES, min(MOST_CANDIDATES, TABLES_IN_ALL // tables))


@dataclass(frozen=True, slots=True)
class _Lots:
    number: int  # of the round
    chance: Chance
    label: str


def _candidate(
    asked: DrawRecord,
    past: Sequence[TableDrawn],
    seed: str,
    wishes: SeatingWishes,
    number: int,
    design: Sequence[Shifts],
) -> tuple[DrawRecord, Cost]:
    chance, history = Chance(seed, {}), search.History(past, asked.apart)
    history.sat_out(asked.byes)
    found, cost, floor = list[TableDrawn](), Cost(), Cost()
    wanted = search.table_sizes(len(asked.ranked), fours=wishes.fours)
    pots = (
        cut_pots(asked.ranked, wanted, asked.rounds[0], chance, f"round {asked.rounds[0]}/{number}") if design else []
    )
    for index, round_number in enumerate(asked.rounds):
        label = f"round {round_number}/{number}"
        begun = dealt_by_design(pots, design[index], chance, label) if index < len(design) else None
        lots = _Lots(round_number, chance, label)
        seats = _seats(asked, wishes, history, lots, begun)
        floor = _sum_costs(floor, _floor(seats, asked, history))
        tables = _places(seats, wishes, history, lots)
        if wishes.factions and WAYS[asked.kind] != "snake":
            tables = _parted(tables, seats, wishes, history)
        cost = _sum_costs(cost, cost_of(tables, history, asked, wishes))
        for table in tables:
            history.add(table, of_the_same_time=True)
        found += tables
    made = msgspec.structs.replace(asked, seed=seed, candidate=number, cost=cost, tables=tuple(found))
    return made, floor


def _floor(seats: search.Tables, asked: DrawRecord, history: search.History) -> Cost:
    twice, again = history.least_again(set(asked.ranked), len(seats.seats))
    apart = search.least_apart(asked.apart, len(seats.seats)) if set(chain(*asked.apart)) <= set(asked.ranked) else 0
    return Cost(apart=apart, twice=twice, meetings=MEETINGS * again, small=search.fewest_small(seats))


def _seats(
    asked: DrawRecord,
    wishes: SeatingWishes,
    history: search.History,
    lots: _Lots,
    begun: tuple[list[list[Handle]], list[list[search.Seat]]] | None = None,
) -> search.Tables:
    wanted, way = search.table_sizes(len(asked.ranked), fours=wishes.fours), WAYS[asked.kind]
    weights = {handle: history.weights(handle) for handle in asked.ranked}
    if way == "snake":
        dealing, groups = deal_snake(asked.ranked, wanted)
        weights = {handle: history.apart_alone(handle) for handle in asked.ranked}
        tables = search.Tables(dealing, groups, weights, Counter(), may_change())
        search.improve_tables(tables, lots.chance, lots.label)
        return tables
    hours = dict(zip(asked.roster, asked.hours, strict=False)) if wishes.overlap_hours else {}
    for one, other in combinations(asked.ranked, 2) if hours else ():
        if search.waking_overlap(hours.get(one, 0), hours.get(other, 0)) < wishes.overlap_hours:
            weights[one][other] = weights[one].get(other, 0) + search.HOURS
            weights[other][one] = weights[one][other]
    if begun:
        (dealing, groups), may = begun, may_change()
    elif way == "pots":
        dealing, groups = deal_pots(asked.ranked, wanted, history, lots)
        may = may_change()
    else:
        dealing = deal_slices(asked.ranked, wanted, history)
        groups, may = neighbours(dealing), may_change(asked.ranked)
    tables = search.Tables(dealing, groups, weights, history.small, may)
    floor = _floor(tables, asked, history)
    tables.least = (
        search.APART * floor.apart + search.TWICE * floor.twice + search.MEETING * (floor.meetings // MEETINGS)
    )
    if not begun or sum(tables.cost(table) for table in range(wanted.tables)) >= search.TWICE:
        search.improve_tables(tables, lots.chance, lots.label)
    return tables


def _places(seats: search.Tables, wishes: SeatingWishes, history: search.History, lots: _Lots) -> list[TableDrawn]:
    found, times, chance = [], Counter(history.played), lots.chance
    for table, there in enumerate(seats.seats, 1):
        at = f"{lots.label}/table {table}"
        order = list(there)
        chance.shuffle(f"{at}/players", order)
        factions = draw_factions(len(order), wishes.missing, chance, at, wishes.box, times)
        times.update(factions)
        theirs = assign_fairly(order, factions, history.factions) if wishes.factions else [None] * len(order)
        places = assign_fairly(order, draw_dots(len(order), chance, at), history.dots)
        seated = sorted(zip(order, theirs, places, strict=True), key=lambda seat: seat[2])
        made = tuple(Seated(entrant=handle, faction=faction, dot=dot) for handle, faction, dot in seated)
        found.append(TableDrawn(round=lots.number, table=table, seats=made))
    return found


def _parted(
    tables: list[TableDrawn], seats: search.Tables, wishes: SeatingWishes, history: search.History
) -> list[TableDrawn]:
    tables = list(tables)
    group_of = {seat: group for group in seats.groups for seat in group}
    for number, table in enumerate(tables):
        if not _repeated_factions(table, history):
            continue
        for one in [(number, place) for place in range(len(seats.seats[number]))]:
            if swapped := _exchange(tables, seats, history, one, group_of.get(one, ())):
                tables[number], tables[swapped[0]] = swapped[1], swapped[2]
                break
    return tables


def _exchange(
    tables: Sequence[TableDrawn],
    seats: search.Tables,
    history: search.History,
    one: tuple[int, int],
    group: Sequence[tuple[int, int]],
) -> tuple[int, TableDrawn, TableDrawn] | None:
    before = _repeated_factions(tables[one[0]], history)
    for other in group:
        if other[0] == one[0] or not seats.may(seats, one, other) or seats.change(one, other) > 0:
            continue
        allowed = before + _repeated_factions(tables[other[0]], history) - 1
        seats.exchange(one, other)
        if sum(_must_repeat(tables[at], seats.seats[at], history) for at in (one[0], other[0])) > allowed:
            seats.exchange(one, other)
            continue
        mine = _again_placed(tables[one[0]], seats.seats[one[0]], history)
        if (left := allowed - _repeated_factions(mine, history)) >= 0:
            theirs = _again_placed(tables[other[0]], seats.seats[other[0]], history)
            if _repeated_factions(theirs, history) <= left:
                return other[0], mine, theirs
        seats.exchange(one, other)
    return None


def _must_repeat(table: TableDrawn, there: Sequence[Handle], history: search.History) -> int:
    had = [history.factions[handle] for handle in there]
    return sum(all(seat.faction in one for one in had) for seat in table.seats)


def _again_placed(table: TableDrawn, there: Sequence[Handle], history: search.History) -> TableDrawn:
    order = sorted(there)
    factions = assign_fairly(order, [seat.faction for seat in table.seats if seat.faction], history.factions)
    places = assign_fairly(order, [seat.dot for seat in table.seats], history.dots)
    seated = sorted(zip(order, factions, places, strict=True), key=lambda seat: seat[2])
    made = tuple(Seated(entrant=handle, faction=faction, dot=dot) for handle, faction, dot in seated)
    return msgspec.structs.replace(table, seats=made)


def _repeated_factions(table: TableDrawn, history: search.History) -> int:
    return sum(1 for seat in table.seats if seat.faction and history.factions[seat.entrant][seat.faction])


# --- the cost of a seating -------------------------------------------------------------------------------------------


def cost_of(tables: Sequence[TableDrawn], history: search.History, asked: DrawRecord, wishes: SeatingWishes) -> Cost:
    apart = twice = meetings = small = factions = same_dots = hours = 0
    awake = dict(zip(asked.roster, asked.hours, strict=False)) if wishes.overlap_hours else {}
    for table in tables:
        handles = [seat.entrant for seat in table.seats]
        for one, other in combinations(handles, 2):
            apart += other in history.apart.get(one, ())
            if times := history.met[one].get(other, 0):
                twice += other in history.met_now.get(one, ())
                meetings += MEETINGS * times * times
        if len(handles) < search.SEATS:
            small += sum(history.small[handle] for handle in handles)
        factions += _repeated_factions(table, history)
        same_dots += sum(1 for seat in table.seats if history.dots[seat.entrant][seat.dot])
        if awake:
            together = (1 << 24) - 1
            for handle in handles:
                together &= awake.get(handle, 0) or together
            hours += together.bit_count() < wishes.overlap_hours
    return Cost(apart, twice, meetings, small, factions, same_dots, hours)


def _sum_costs(one: Cost, other: Cost) -> Cost:
    return Cost(
        one.apart + other.apart,
        one.twice + other.twice,
        one.meetings + other.meetings,
        one.small + other.small,
        one.factions + other.factions,
        one.dots + other.dots,
        one.hours + other.hours,
    )


RANKS_APART = 6
"""The maximum difference in rank between two players who are exchanged between tables that follow the standings."""


def deal_pots(
    ranked: Sequence[Handle], sizes: search.Sizes, history: search.History, lots: _Lots
) -> tuple[list[list[Handle]], list[list[search.Seat]]]:
    """Deal one player from each pot to each table, by lot. The small tables come last, and go to the players who have
    had the fewest of them. Also return the seats that belong to each pot, among which players may be exchanged."""
    tables: list[list[Handle]] = [[] for _ in range(sizes.tables)]
    groups: list[list[search.Seat]] = []
    for index, pot in enumerate(search.make_pots(ranked, sizes, lots.number)):
        lots.chance.shuffle(f"{lots.label}/pot {index}", pot)
        small = len(pot) - sizes.sixes
        first = sorted(pot, key=lambda handle: history.small[handle])[:small]
        chosen = set(first)
        order = [handle for handle in pot if handle not in chosen] + first
        groups.append([(table, len(tables[table])) for table in range(len(order))])
        for table, handle in enumerate(order):
            tables[table].append(handle)
    return tables, groups


def deal_slices(ranked: Sequence[Handle], sizes: search.Sizes, history: search.History) -> list[list[Handle]]:
    """Seat players with their neighbours in the standings. The slices whose players have had the fewest small tables
    become the small tables."""
    whole = [ranked[begun : begun + search.SEATS] for begun in range(0, len(ranked), search.SEATS)][: sizes.tables]
    had = [sum(history.small[handle] for handle in there) for there in whole]
    order = sorted(range(sizes.tables), key=lambda table: (had[table], -table))
    size = dict.fromkeys(range(sizes.tables), search.SEATS)
    size |= dict.fromkeys(order[: sizes.fours], search.SEATS - 2)
    size |= dict.fromkeys(order[sizes.fours : sizes.fours + sizes.fives], search.SEATS - 1)
    tables, begun = [], 0
    for table in range(sizes.tables):
        tables.append(list(ranked[begun : begun + size[table]]))
        begun += size[table]
    return tables


def deal_snake(ranked: Sequence[Handle], sizes: search.Sizes) -> tuple[list[list[Handle]], list[list[search.Seat]]]:
    """Deal one player to each table from the first to the last, then back again, and so on. Also return the seats of
    each such row, among which players may be exchanged to keep two of them apart."""
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


def neighbours(tables: Sequence[Sequence[Handle]]) -> list[list[search.Seat]]:
    return [[(t, p) for t, there in enumerate(tables) for p in range(len(there))]]


def may_change(ranked: Sequence[Handle] = ()) -> Callable[[search.Tables, search.Seat, search.Seat], bool]:
    """Return a function that returns True if two players may be exchanged. If ``ranked`` is given, they must be at most
    ``RANKS_APART`` ranks apart in it."""
    rank = {handle: number for number, handle in enumerate(ranked)}

    def may(tables: search.Tables, one: search.Seat, other: search.Seat) -> bool:
        if not rank:
            return True
        return abs(rank[tables.seats[one[0]][one[1]]] - rank[tables.seats[other[0]][other[1]]]) <= RANKS_APART

    return may


def count_byes(drawn: Iterable[DrawRecord], roster: Collection[Handle]) -> tuple[Handle, ...]:
    """Return the entrants on the roster who sat out earlier rounds, ordered by handle. Each is listed once for every
    round that they sat out, including every round of a draw for several rounds."""
    times = Counter[Handle]()
    for draw in drawn:
        times.update(dict.fromkeys(draw.sat_out, len(draw.rounds)))
    return tuple(handle for handle in sorted(times) if handle in roster for _ in range(times[handle]))


def out_too_soon(out: Collection[Handle], playing: Collection[Handle], before: Collection[Handle]) -> list[Handle]:
    times = Counter(before)
    least = min((times[handle] for handle in playing), default=0)
    return sorted(handle for handle in out if times[handle] > least)


def ladder_tables(
    ready: Sequence[Handle], ratings: Mapping[Handle, Fraction], lately: Collection[frozenset[Handle]]
) -> list[list[Handle]]:
    """Make tables of six from the entrants who are ready, in the order in which they became ready.

    The entrant who has waited longest is seated with the five others whose ratings are nearest to theirs, chosen so
    that no two of the six have met ``lately``. If no such five exist, that entrant keeps waiting.
    """
    waiting, tables = list(ready), list[list[Handle]]()
    for first in ready:
        if first not in waiting:
            continue
        there = [first]
        nearest = sorted(waiting, key=lambda handle: (abs(ratings[handle] - ratings[first]), waiting.index(handle)))
        for handle in nearest:
            if handle not in there and all(frozenset((handle, other)) not in lately for other in there):
                there.append(handle)
            if len(there) == search.SEATS:
                break
        if len(there) == search.SEATS:
            tables.append(there)
            waiting = [handle for handle in waiting if handle not in there]
    return tables


LOT_DIGITS = 8


def lot(seed: str, handle: Handle) -> str:
    """Return the lot of an entrant: the first eight hexadecimal digits of the HMAC-SHA256 of ``lot/HANDLE#0``, with the
    seed as its key.

    >>> lot("a0d78a640bedcbebea329dba151aa190c491675d00bd8f5a4e9a28132276773b", "E01")
    '2a12d4c0'
    """
    return hmac.digest(seed.encode(), f"lot/{handle}#0".encode(), hashlib.sha256).hex()[:LOT_DIGITS]
