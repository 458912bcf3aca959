"""Credits: each entrant's score from a table, and the record of all credits from which the standings are made.

The entrant who holds a seat at the end gets its points. A player who left gets the points for a forfeit, and a player
who never sent an order gets the points for absence. A setting decides the points of substitutes:

- ``protected``: the points of the seat or, if it is higher, the substitute's own mean in the same stage (the heats, a
  semifinal, the final). The mean counts only if the substitute held the seat for at least half of the turns.
- ``pro-rata``: each holder gets a share of the points in proportion to the turns for which they held the seat. A holder
  who resigned gets nothing.
- ``finisher``: the last holder gets all the points.
- ``nobody``: substitutes score no points.

A seat that Mentat played at the end (``caretaker``) may win, but scores nothing. A disqualified entrant scores nothing,
but the scores of others against them still count.

The record counts heats, rounds by standings, leagues, ladders and knock-outs. Semifinals and finals do not add to it.
They only rank the players who took part in them, ahead of all others (``stage``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Literal, cast

from bot.competition.outcomes import Handle, Kind, SeatOutcome, TableOutcome, Tenure
from bot.competition.published import Result, Round, RoundKind
from bot.competition.scoring import NOTHING, System, seat_points, winning_sides
from bot.competition.settings import Charge, Substitutes
from rules.components import Faction

Role = Literal["seated", "substitute", "left", "absent", "sat out"]
"""The role of an entrant at a table, or at none.

- ``seated``: they held the seat to the end
- ``substitute``: they held it for some time as a substitute
- ``left``: they gave it up
- ``absent``: they never sent an order
- ``sat out``: they had no table in this round
"""


@dataclass(frozen=True, slots=True)
class Credit:
    """An entrant's score from a table. If the table is 0, the entrant sat out the round.

    - ``points`` are the points before the ``price`` of their faction is subtracted.
    - ``held`` is true if they held the seat at the end. Only then do they get credit for the seat's victory (``won``,
      with the number of ``winners``) and strongholds.
    - ``counts`` is true if the points of this table are added to the entrant's total.
    - ``note`` explains points that do not follow from the table alone.
    """

    entrant: Handle
    round: int
    table: int
    part: Role
    kind: Kind
    points: Fraction
    faction: Faction = ""
    price: Fraction = NOTHING
    held: bool = False
    won: bool = False
    winners: int = 0
    turn: int = 0
    strongholds: int = 0
    strongholds_over_turns: int = 0
    counts: bool = True
    note: str = ""

    @property
    def net(self) -> Fraction:
        return self.points - self.price

    @property
    def forfeited(self) -> bool:
        return self.part in ("left", "absent") and self.kind != "void"


@dataclass(frozen=True, slots=True)
class Crediting:
    system: System
    substitutes: Substitutes = "protected"
    charge: Charge = "always"

    def credits(self, outcomes: Iterable[TableOutcome], stages: Mapping[int, int] = {}) -> tuple[Credit, ...]:
        """Return everybody's credits. ``stages`` gives the stage of each round; all rounds missing from it form one
        stage."""
        given: list[Credit] = []
        for outcome in outcomes:
            worth = seat_points(self.system, outcome)
            for seat in outcome.seats:
                given += self._of_seat(outcome, seat, worth[seat.faction])
        if self.substitutes == "protected":
            means = _own_means(given, stages)
            given = [self._protected(credit, means[stages.get(credit.round, 0)]) for credit in given]
        return tuple(given)

    def sat_out(self, entrant: Handle, round_number: int) -> Credit:
        return Credit(entrant, round_number, 0, "sat out", "agreed", self.system.sit_out)

    def _of_seat(self, outcome: TableOutcome, seat: SeatOutcome, worth: Fraction) -> list[Credit]:
        if not seat.tenures:
            return []
        last = seat.tenures[-1]
        mentat_plays = last.why == "caretaker" or not last.entrant
        given = []
        for entrant in dict.fromkeys(tenure.entrant for tenure in seat.tenures if tenure.entrant):
            tenures = [tenure for tenure in seat.tenures if tenure.entrant == entrant]
            if entrant == last.entrant and last.why != "no-show":
                given.append(self._holder(outcome, seat, tenures, worth))
            elif all(tenure.why == "no-show" for tenure in tenures):
                given.append(self._gone(outcome, seat, entrant, self.system.absent, "absent"))
            elif self.substitutes == "pro-rata":
                share = NOTHING if mentat_plays or tenures[-1].resigned else _share(seat, tenures)
                note = "left, having resigned" if tenures[-1].resigned else f"left, {_turns(seat, tenures)}"
                given.append(self._gone(outcome, seat, entrant, worth * share, note))
            else:
                given.append(self._gone(outcome, seat, entrant, self.system.forfeit, "left"))
        return [self._charged(seat, credit) for credit in given]

    def _holder(self, outcome: TableOutcome, seat: SeatOutcome, tenures: Sequence[Tenure], worth: Fraction) -> Credit:
        won = seat.faction in outcome.winners
        credit = Credit(
            tenures[-1].entrant, outcome.round, outcome.table, "seated", outcome.kind, worth, seat.faction,
            held=True, won=won, winners=winning_sides(outcome).get(seat.faction, 0), turn=outcome.turn,
            strongholds=seat.strongholds, strongholds_over_turns=seat.strongholds_over_turns,
            counts=outcome.kind != "void",
        )  # fmt: skip
        if tenures[0].why != "substitute":
            away = self.substitutes == "pro-rata" and _share(seat, tenures) < 1
            note = f"away for a while, {_turns(seat, tenures)}" if away else ""
            return replace(credit, points=worth * _share(seat, tenures), note=note) if away else credit
        credit = replace(credit, part="substitute", note="substitute")
        if self.substitutes == "pro-rata":
            return replace(credit, points=worth * _share(seat, tenures), note=f"substitute, {_turns(seat, tenures)}")
        if self.substitutes == "nobody":
            return replace(credit, points=NOTHING, held=False, won=False, counts=False)
        if self.substitutes == "protected" and 2 * _turns_held(tenures) < _turns_held(seat.tenures):
            return replace(credit, note="substitute for less than half of the turns")
        return credit

    def _gone(self, outcome: TableOutcome, seat: SeatOutcome, entrant: Handle, worth: Fraction, note: str) -> Credit:
        void, part = outcome.kind == "void", cast(Role, note.partition(",")[0])
        return Credit(
            entrant, outcome.round, outcome.table, part, outcome.kind, NOTHING if void else worth, seat.faction,
            turn=outcome.turn, counts=not void, note=note,
        )  # fmt: skip

    def _charged(self, seat: SeatOutcome, credit: Credit) -> Credit:
        """Subtract the price of the faction from the credit of the seat's first holder, who pays it unless they never
        played."""
        first = next(tenure.entrant for tenure in seat.tenures)
        free = credit.entrant != first or credit.part == "absent" or credit.kind == "void"
        if free or (self.charge == "wins" and not credit.won):
            return credit
        return replace(credit, price=Fraction(seat.price, 10))

    def _protected(self, credit: Credit, means: Mapping[Handle, Fraction]) -> Credit:
        mean = means.get(credit.entrant, NOTHING)
        if credit.note != "substitute" or credit.kind == "void" or mean <= credit.points:
            return credit
        return replace(credit, points=mean, note="substitute, own mean")


def _own_means(given: Iterable[Credit], stages: Mapping[int, int]) -> dict[int, dict[Handle, Fraction]]:
    own: dict[int, dict[Handle, list[Fraction]]] = {}
    for credit in given:
        there = own.setdefault(stages.get(credit.round, 0), {})
        if credit.counts and credit.part != "substitute":
            there.setdefault(credit.entrant, []).append(credit.net)
    return {
        stage: {entrant: sum(points, NOTHING) / len(points) for entrant, points in there.items()}
        for stage, there in own.items()
    }


def without_disqualified(credits: Iterable[Credit], disqualified: Collection[Handle]) -> tuple[Credit, ...]:
    return tuple(
        replace(credit, points=NOTHING, price=NOTHING, won=False, note="disqualified")
        if credit.entrant in disqualified
        else credit
        for credit in credits
    )


def _share(seat: SeatOutcome, tenures: Sequence[Tenure]) -> Fraction:
    return Fraction(_turns_held(tenures), max(1, _turns_held(seat.tenures)))


def _turns(seat: SeatOutcome, tenures: Sequence[Tenure]) -> str:
    return f"{_turns_held(tenures)} of {_turns_held(seat.tenures)} turns"


def _turns_held(tenures: Iterable[Tenure]) -> int:
    return sum(tenure.last - tenure.first + 1 for tenure in tenures if tenure.why != "no-show")


Place = tuple[int, int]

APART: tuple[RoundKind, ...] = ("semifinal", "final")
"""Rounds that only rank their own players and count for nothing else."""
STAGES: tuple[RoundKind, ...] = (*APART, "knockout")
"""Entrants who reach one of these rounds rank ahead of those who do not."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The last selective round that an entrant reached, and their points in it. If they reached none, ``round`` is 0
    and ``name`` is ""."""

    round: int = 0
    name: str = ""
    points: Fraction = NOTHING


@dataclass(frozen=True, slots=True)
class Record:
    """All credits of a tournament, from which the standings are made.

    - ``credits`` are the credits that count, by entrant. ``apart`` are the credits of semifinals and finals, which do
      not count in any of the other fields.
    - ``strength`` gives, for each table of an entrant, the points of the other players there, including those who were
      disqualified later.
    - ``met`` gives, for each pair of entrants, the tables at which they met.
    - ``win_rate`` gives, for each faction, its wins divided by its games.
    - ``idle`` are the entrants who never had a seat or never sent an order.
    """

    credits: Mapping[Handle, tuple[Credit, ...]]
    apart: Mapping[Handle, tuple[Credit, ...]]
    points: Mapping[Handle, Fraction]
    stages: Mapping[Handle, Stage]
    strength: Mapping[Handle, Mapping[Place, Fraction]]
    met: Mapping[Handle, Mapping[Handle, frozenset[Place]]]
    win_rate: Mapping[Faction, Fraction]
    disqualified: frozenset[Handle]
    idle: frozenset[Handle]
    lot_seed: str

    def wins(self, entrant: Handle) -> list[Credit]:
        return [credit for credit in self.credits[entrant] if credit.won]


def counting_results(
    results: Iterable[Result], after: int | None = None, confirmed_only: bool = False
) -> list[TableOutcome]:
    """Return the newest version of each table's result, ordered by round and table. With ``confirmed_only``, leave out
    results that can still be protested. ``after`` leaves out the results of later rounds."""
    newest: dict[Place, Result] = {}
    for result in results:
        place = (result.outcome.round, result.outcome.table)
        if place not in newest or newest[place].outcome.version < result.outcome.version:
            newest[place] = result
    return [
        newest[place].outcome
        for place in sorted(newest)
        if (after is None or place[0] <= after)
        and newest[place].state != "withdrawn"
        and not (confirmed_only and newest[place].state == "provisional")
    ]


def make_record(
    entrants: Sequence[Handle],
    rounds: Sequence[Round],
    outcomes: Sequence[TableOutcome],
    crediting: Crediting,
    *,
    disqualified: Collection[Handle] = (),
    lot_seed: str = "",
) -> Record:
    kinds = {one.number: one.kind for one in rounds}
    played = crediting.credits(outcomes, {number: number for number, kind in kinds.items() if kind in STAGES})
    counting = [outcome for outcome in outcomes if kinds.get(outcome.round, "heat") not in APART]
    scored = without_disqualified(played, disqualified)
    sitting = [
        crediting.sat_out(entrant, number) for entrant, number in _sat_out(rounds) if entrant not in disqualified
    ]
    counted = [credit for credit in (*scored, *sitting) if kinds.get(credit.round, "heat") not in APART]
    by_entrant = _by_entrant(entrants, counted)
    draws = [one.draw for one in rounds if one.draw]
    drawn = {seat.entrant for draw in draws for table in draw.tables for seat in table.seats}
    drawn.update(*(draw.sat_out for draw in draws))
    parts = defaultdict[Handle, set[Role]](set)
    for credit in scored:
        parts[credit.entrant].add(credit.part)
    return Record(
        credits=by_entrant,
        apart=_by_entrant(entrants, [credit for credit in scored if kinds.get(credit.round, "heat") in APART]),
        points={entrant: _total(crediting, by_entrant[entrant]) for entrant in entrants},
        stages=_stages(entrants, rounds, scored),
        strength=_strength(played, kinds),
        met=_met(counting),
        win_rate=_win_rate(counting),
        disqualified=frozenset(disqualified),
        idle=frozenset(one for one in entrants if parts[one] <= {"absent"} and (parts[one] or one not in drawn)),
        lot_seed=lot_seed,
    )


def _by_entrant(entrants: Sequence[Handle], credits: Iterable[Credit]) -> dict[Handle, tuple[Credit, ...]]:
    found: dict[Handle, list[Credit]] = {entrant: [] for entrant in entrants}
    for credit in sorted(credits, key=lambda one: (one.round, one.table)):
        if credit.entrant in found:
            found[credit.entrant].append(credit)
    return {entrant: tuple(theirs) for entrant, theirs in found.items()}


def _total(crediting: Crediting, credits: Iterable[Credit]) -> Fraction:
    return crediting.system.aggregate.total([credit.net for credit in credits if credit.counts])


def _sat_out(rounds: Iterable[Round]) -> list[tuple[Handle, int]]:
    """Return a pair of entrant and round for each round that an entrant sat out. An entrant sat out a round if the draw
    left them out of it and they play in no other round of the same draw."""
    found = []
    for one in rounds:
        if one.draw is not None:
            playing = {seat.entrant for table in one.draw.tables if table.round == one.number for seat in table.seats}
            found += [(entrant, one.number) for entrant in one.draw.sat_out if entrant not in playing]
    return found


def _stages(entrants: Sequence[Handle], rounds: Iterable[Round], credits: Iterable[Credit]) -> dict[Handle, Stage]:
    staged = {one.number: one for one in rounds if one.kind in STAGES}
    reached = dict.fromkeys(entrants, 0)
    points: dict[tuple[Handle, int], Fraction] = {}
    for number in sorted(staged):
        draw = staged[number].draw
        for table in draw.tables if draw is not None else ():
            for seat in table.seats:
                if table.round == number and seat.entrant in reached:
                    reached[seat.entrant] = number
    for credit in credits:
        if credit.round in staged and credit.entrant in reached:
            if credit.held or staged[credit.round].draw is None:
                reached[credit.entrant] = max(reached[credit.entrant], credit.round)
            key = (credit.entrant, credit.round)
            points[key] = points.get(key, NOTHING) + credit.net
    return {
        entrant: Stage(number, _name(staged[number]), points.get((entrant, number), NOTHING)) if number else Stage()
        for entrant, number in reached.items()
    }


def _name(one: Round) -> str:
    return one.kind if one.kind in APART else f"round {one.number}"


def _strength(credits: Iterable[Credit], kinds: Mapping[int, RoundKind]) -> dict[Handle, dict[Place, Fraction]]:
    found: dict[Handle, dict[Place, Fraction]] = {}
    for credit in credits:
        if credit.counts and kinds.get(credit.round, "heat") not in APART:
            found.setdefault(credit.entrant, {})[credit.round, credit.table] = credit.net
    return found


def _met(outcomes: Iterable[TableOutcome]) -> dict[Handle, dict[Handle, frozenset[Place]]]:
    """Return the tables at which each pair of entrants met. Allies count as having met. A player who never sent an
    order has not met anybody, and nobody meets at a void table."""
    found: dict[Handle, dict[Handle, frozenset[Place]]] = {}
    for outcome in outcomes:
        if outcome.kind == "void":
            continue
        place = frozenset({(outcome.round, outcome.table)})
        there = [
            {tenure.entrant for tenure in seat.tenures if tenure.entrant and tenure.why != "no-show"}
            for seat in outcome.seats
        ]
        for here, beside in combinations(there, 2):
            for one in here:
                for other in beside - {one}:
                    found.setdefault(one, {})[other] = found.get(one, {}).get(other, frozenset()) | place
                    found.setdefault(other, {})[one] = found.get(other, {}).get(one, frozenset()) | place
    return found


def _win_rate(outcomes: Iterable[TableOutcome]) -> dict[Faction, Fraction]:
    games: dict[Faction, int] = {}
    wins: dict[Faction, int] = {}
    for outcome in outcomes:
        if outcome.kind != "void":
            for seat in outcome.seats:
                games[seat.faction] = games.get(seat.faction, 0) + 1
                wins[seat.faction] = wins.get(seat.faction, 0) + (seat.faction in outcome.winners)
    return {faction: Fraction(wins[faction], games[faction]) for faction in games}
