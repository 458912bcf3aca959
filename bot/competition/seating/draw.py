"""The draw of a round, or of several that are played at the same time: one search that sees all of them.

``draw`` makes a ``DrawRecord`` of what goes in and a seed; ``drawn_again`` does so from a record alone, which must give
the same record. Candidates are dealt and searched one after the other; the one of the lowest cost is taken, and of
equals the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Literal

import msgspec

from bot.competition.draws import Cost, DrawRecord, Seated, TableDrawn
from bot.competition.outcomes import Handle
from bot.competition.seating.bounds import least_apart
from bot.competition.seating.dealing import dealt, may_change, neighbours, sliced, snaked
from bot.competition.seating.designs import DESIGNS, Round, cut, known
from bot.competition.seating.designs import dealt as dealt_by_design
from bot.competition.seating.history import APART, MEETING, TWICE, History, overlap
from bot.competition.seating.leagues import divisions, league
from bot.competition.seating.places import Missing, dots, fairest, played
from bot.competition.seating.search import Seat, Tables, fewest_small, search
from bot.competition.seating.sizes import SEATS, sizes
from rules.components import FACTIONS, Faction
from rules.components.chance import Chance

Way = Literal["pots", "slices", "snake"]
"""How strength is dealt: one of each pot to each table (heats, knock-out), neighbours of the standings together
(swiss, ladder), or as a snake (semifinal, final)."""
WAYS: dict[str, Way] = {
    "heat": "pots", "league": "pots", "swiss": "slices", "ladder": "slices", "semifinal": "snake", "final": "snake",
    "knockout": "snake",
}  # fmt: skip
MOST_CANDIDATES = 16
LEAST_CANDIDATES = 2
BEFORE_DESIGNS = 2
"""Candidates that are looked at before those that begin with a design, whose numbers come after all others."""
TABLES_IN_ALL = 400
MEETINGS = 100


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the settings say of tables. ``factions``: whether they are drawn with the seats; if not they come later.
    ``box``: those among which is drawn."""

    fours: bool = False
    missing: Missing = "drawn"
    overlap_hours: int = 0
    factions: bool = True
    box: tuple[Faction, ...] = FACTIONS


def draw(asked: DrawRecord, seed: str, wishes: Wishes = Wishes()) -> DrawRecord:
    """Seat the roster of ``asked``, of which only what goes in is looked at. NoTables if so many cannot be seated.

    The order in which the roster was typed changes nothing, as ``ranked`` says who is how strong.
    """
    if asked.kind == "league":
        return _league(asked, seed, wishes)
    best: DrawRecord | None = None
    there = set(asked.ranked)
    past = [table for table in asked.history if any(seat.entrant in there for seat in table.seats)]
    design = _design(asked, past, wishes)
    searched = candidates(len(asked.ranked), len(asked.rounds))
    designed = range(searched, searched + (DESIGNS if design else 0))
    for number in (*range(BEFORE_DESIGNS), *designed, *range(BEFORE_DESIGNS, searched)):
        made, floor = _candidate(asked, past, seed, wishes, number, design if number >= searched else ())
        if best is None or made.cost < best.cost:
            best = made
        if best.cost <= floor:
            break
    assert best is not None, "there is a candidate at least"
    return best


def drawn_again(record: DrawRecord, wishes: Wishes = Wishes()) -> DrawRecord:
    """The same draw, computed from what went in."""
    bare = msgspec.structs.replace(record, candidate=0, cost=Cost(), tables=())
    return draw(bare, record.seed, wishes)


def _league(asked: DrawRecord, seed: str, wishes: Wishes) -> DrawRecord:
    """A perfect design for each division (NoLeague if there are too few): nothing is searched for."""
    history = History(asked.history, asked.apart)
    history.sat_out(asked.byes)
    designs = divisions(len(asked.ranked), fours=wishes.fours)
    chance, number = Chance(seed, {}), asked.rounds[0]
    tables = league(
        asked.ranked, designs, number, chance, wishes.missing, with_factions=wishes.factions, box=wishes.box
    )
    cost = cost_of(tables, history, asked, wishes)
    return msgspec.structs.replace(asked, seed=seed, candidate=0, cost=cost, tables=tuple(tables))


def _design(asked: DrawRecord, past: Sequence[TableDrawn], wishes: Wishes) -> tuple[Round, ...]:
    """The design with which a search for several rounds may begin; none where somebody has played before."""
    if WAYS[asked.kind] != "pots" or past or len(asked.rounds) < 2:
        return ()
    wanted = sizes(len(asked.ranked), fours=wishes.fours)
    return known(wanted.tables, wanted.each()[0], len(asked.rounds))


def candidates(entrants: int, rounds: int) -> int:
    """How many are tried at most: fewer of large rounds, in which the search finds what there is at once."""
    tables = max(1, entrants // SEATS) * rounds
    return max(LEAST_CANDIDATES, min(MOST_CANDIDATES, TABLES_IN_ALL // tables))


def _candidate(
    asked: DrawRecord, past: Sequence[TableDrawn], seed: str, wishes: Wishes, number: int, design: Sequence[Round]
) -> tuple[DrawRecord, Cost]:  # fmt: skip
    """One way to seat them, by the rounds of a design as far as there are any, and what any way would cost at least."""
    chance, history = Chance(seed, {}), History(past, asked.apart)
    history.sat_out(asked.byes)
    found, cost, floor = list[TableDrawn](), Cost(), Cost()
    wanted = sizes(len(asked.ranked), fours=wishes.fours)
    pots = cut(asked.ranked, wanted, asked.rounds[0], chance, f"round {asked.rounds[0]}/{number}") if design else []
    for index, round_number in enumerate(asked.rounds):
        label = f"round {round_number}/{number}"
        begun = dealt_by_design(pots, design[index], chance, label) if index < len(design) else None
        seats = _seats(asked, wishes, history, round_number, chance, label, begun)
        floor = _sum(floor, _floor(seats, asked, history))
        tables = _places(seats, wishes, history, round_number, chance, label)
        if wishes.factions and WAYS[asked.kind] != "snake":
            tables = _parted(tables, seats, wishes, history)
        cost = _sum(cost, cost_of(tables, history, asked, wishes))
        for table in tables:
            history.add(table, of_the_same_time=True)
        found += tables
    made = msgspec.structs.replace(asked, seed=seed, candidate=number, cost=cost, tables=tuple(found))
    return made, floor


def _floor(seats: Tables, asked: DrawRecord, history: History) -> Cost:
    """What a round costs at least, from counting."""
    twice, again = history.least_again(set(asked.ranked), len(seats.seats))
    apart = least_apart(asked.apart, len(seats.seats)) if set(chain(*asked.apart)) <= set(asked.ranked) else 0
    return Cost(apart=apart, twice=twice, meetings=MEETINGS * again, small=fewest_small(seats))


def _seats(
    asked: DrawRecord, wishes: Wishes, history: History, number: int, chance: Chance, label: str,
    begun: tuple[list[list[Handle]], list[list[Seat]]] | None = None,
) -> Tables:  # fmt: skip
    """Who sits at which table of a round. What is ``begun`` by a design stays, unless there is something to mend."""
    wanted, way = sizes(len(asked.ranked), fours=wishes.fours), WAYS[asked.kind]
    weights = {handle: history.weights(handle) for handle in asked.ranked}
    if way == "snake":
        dealing, groups = snaked(asked.ranked, wanted)
        weights = {handle: history.apart_alone(handle) for handle in asked.ranked}
        tables = Tables(dealing, groups, weights, Counter(), may_change())
        search(tables, chance, label)
        return tables
    hours = dict(zip(asked.roster, asked.hours, strict=False)) if wishes.overlap_hours else {}

    def asleep(one: Handle, other: Handle) -> bool:
        return overlap(hours.get(one, 0), hours.get(other, 0)) < wishes.overlap_hours

    if begun:
        (dealing, groups), may = begun, may_change()
    elif way == "pots":
        dealing, groups = dealt(asked.ranked, wanted, number, history, chance, label)
        may = may_change()
    else:
        dealing = sliced(asked.ranked, wanted, history)
        groups, may = neighbours(dealing), may_change(asked.ranked)
    tables = Tables(dealing, groups, weights, history.small, may, asleep if hours else None)
    floor = _floor(tables, asked, history)
    tables.least = APART * floor.apart + TWICE * floor.twice + MEETING * (floor.meetings // MEETINGS)
    if not begun or sum(tables.cost(table) for table in range(wanted.tables)) >= TWICE:
        search(tables, chance, label)
    return tables


def _places(
    seats: Tables, wishes: Wishes, history: History, number: int, chance: Chance, label: str
) -> list[TableDrawn]:
    """The faction and dot of everybody."""
    found, times = [], Counter(history.played)
    for table, there in enumerate(seats.seats, 1):
        at = f"{label}/table {table}"
        order = list(there)
        chance.shuffle(f"{at}/players", order)
        factions = played(len(order), wishes.missing, chance, at, wishes.box, times)
        times.update(factions)
        theirs = fairest(order, factions, history.factions) if wishes.factions else [None] * len(order)
        places = fairest(order, dots(len(order), chance, at), history.dots)
        seated = sorted(zip(order, theirs, places, strict=True), key=lambda seat: seat[2])
        made = tuple(Seated(entrant=handle, faction=faction, dot=dot) for handle, faction, dot in seated)
        found.append(TableDrawn(round=number, table=table, seats=made))
    return found


def _parted(tables: list[TableDrawn], seats: Tables, wishes: Wishes, history: History) -> list[TableDrawn]:
    """Where somebody would play a faction again, one exchange that avoids it and makes nobody meet again."""
    tables = list(tables)
    group_of = {seat: group for group in seats.groups for seat in group}
    for number, table in enumerate(tables):
        if not _again(table, history):
            continue
        for one in [(number, place) for place in range(len(seats.seats[number]))]:
            if swapped := _exchange(tables, seats, history, one, group_of.get(one, ())):
                tables[number], tables[swapped[0]] = swapped[1], swapped[2]
                break
    return tables


def _exchange(
    tables: Sequence[TableDrawn], seats: Tables, history: History, one: tuple[int, int],
    group: Sequence[tuple[int, int]],
) -> tuple[int, TableDrawn, TableDrawn] | None:  # fmt: skip
    before = _again(tables[one[0]], history)
    for other in group:
        if other[0] == one[0] or not seats.may(seats, one, other) or seats.change(one, other) > 0:
            continue
        allowed = before + _again(tables[other[0]], history) - 1
        seats.exchange(one, other)
        if sum(_must_repeat(tables[at], seats.seats[at], history) for at in (one[0], other[0])) > allowed:
            seats.exchange(one, other)
            continue
        mine = _again_placed(tables[one[0]], seats.seats[one[0]], history)
        if (left := allowed - _again(mine, history)) >= 0:
            theirs = _again_placed(tables[other[0]], seats.seats[other[0]], history)
            if _again(theirs, history) <= left:
                return other[0], mine, theirs
        seats.exchange(one, other)
    return None


def _must_repeat(table: TableDrawn, there: Sequence[Handle], history: History) -> int:
    """How many would play a faction again at least: as many as there are factions that all of them have had."""
    had = [history.factions[handle] for handle in there]
    return sum(all(seat.faction in one for one in had) for seat in table.seats)


def _again_placed(table: TableDrawn, there: Sequence[Handle], history: History) -> TableDrawn:
    """The same factions and dots for other players."""
    order = sorted(there)
    factions = fairest(order, [seat.faction for seat in table.seats if seat.faction], history.factions)
    places = fairest(order, [seat.dot for seat in table.seats], history.dots)
    seated = sorted(zip(order, factions, places, strict=True), key=lambda seat: seat[2])
    made = tuple(Seated(entrant=handle, faction=faction, dot=dot) for handle, faction, dot in seated)
    return msgspec.structs.replace(table, seats=made)


def _again(table: TableDrawn, history: History) -> int:
    return sum(1 for seat in table.seats if seat.faction and history.factions[seat.entrant][seat.faction])


# --- what a seating costs --------------------------------------------------------------------------------------------


def cost_of(tables: Sequence[TableDrawn], history: History, asked: DrawRecord, wishes: Wishes) -> Cost:
    """What the tables of one round cost, looked at in the light of what was before them."""
    apart = twice = meetings = small = factions = same_dots = hours = 0
    awake = dict(zip(asked.roster, asked.hours, strict=False)) if wishes.overlap_hours else {}
    for table in tables:
        handles = [seat.entrant for seat in table.seats]
        for one, other in combinations(handles, 2):
            apart += other in history.apart.get(one, ())
            if times := history.met[one].get(other, 0):
                twice += other in history.met_now.get(one, ())
                meetings += MEETINGS * times * times
        if len(handles) < SEATS:
            small += sum(history.small[handle] for handle in handles)
        factions += _again(table, history)
        same_dots += sum(1 for seat in table.seats if history.dots[seat.entrant][seat.dot])
        if awake:
            together = (1 << 24) - 1
            for handle in handles:
                together &= awake.get(handle, 0) or together
            hours += together.bit_count() < wishes.overlap_hours
    return Cost(apart, twice, meetings, small, factions, same_dots, hours)


def _sum(one: Cost, other: Cost) -> Cost:
    return Cost(
        one.apart + other.apart, one.twice + other.twice, one.meetings + other.meetings, one.small + other.small,
        one.factions + other.factions, one.dots + other.dots, one.hours + other.hours,
    )  # fmt: skip
