"""What a tournament has come to, as the criteria of the standings look at it.

Points, wins and all else that is counted are those of heats, rounds by standings, leagues, ladders and knock-outs.
Semifinals and finals do not add to them: they order those who sat there, before all others (``stage``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from bot.competition.credits import Credit, Crediting, struck
from bot.competition.draws import RoundKind
from bot.competition.outcomes import Handle, TableOutcome
from bot.competition.published import Result, Round
from bot.competition.scoring.system import NOTHING
from rules.components import Faction

Place = tuple[int, int]
"""A round and a table."""

APART: tuple[RoundKind, ...] = ("semifinal", "final")
"""Rounds that order their own players and do not count otherwise."""
STAGES: tuple[RoundKind, ...] = (*APART, "knockout")
"""Rounds that put those who reached them before those who did not."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The last round that somebody reached of those that not all do: 0 and "" for none, and their points there."""

    round: int = 0
    name: str = ""
    points: Fraction = NOTHING


@dataclass(frozen=True, slots=True)
class Record:
    """``credits`` has those that count, by entrant, ``apart`` those of semifinals and finals. ``strength`` is what
    others made at a table, also somebody disqualified later; ``met`` at which tables two have met. ``win_rate`` of a
    faction is its wins by its games in this tournament."""

    credits: Mapping[Handle, tuple[Credit, ...]]
    apart: Mapping[Handle, tuple[Credit, ...]]
    points: Mapping[Handle, Fraction]
    stages: Mapping[Handle, Stage]
    strength: Mapping[Handle, Mapping[Place, Fraction]]
    met: Mapping[Handle, Mapping[Handle, frozenset[Place]]]
    win_rate: Mapping[Faction, Fraction]
    disqualified: frozenset[Handle]
    lot_seed: str

    def wins(self, entrant: Handle) -> list[Credit]:
        """The tables that they won."""
        return [credit for credit in self.credits[entrant] if credit.won]


def counting(results: Iterable[Result], after: int | None = None, confirmed_only: bool = False) -> list[TableOutcome]:
    """The result that counts of each table, by round and table: its newest version; with ``confirmed_only`` only if
    nobody can protest against it any more. ``after``: only those of rounds up to this."""
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


def record(
    entrants: Sequence[Handle],
    rounds: Sequence[Round],
    outcomes: Sequence[TableOutcome],
    crediting: Crediting,
    *,
    disqualified: Collection[Handle] = (),
    lot_seed: str = "",
) -> Record:
    """The record of these entrants after these rounds and results."""
    kinds = {one.number: one.kind for one in rounds}
    played = crediting.credits(outcomes)
    scored = struck(played, disqualified)
    sitting = [
        crediting.sat_out(entrant, number) for entrant, number in _sat_out(rounds) if entrant not in disqualified
    ]
    counted = [credit for credit in (*scored, *sitting) if kinds.get(credit.round, "heat") not in APART]
    by_entrant = _by_entrant(entrants, counted)
    return Record(
        credits=by_entrant,
        apart=_by_entrant(entrants, [credit for credit in scored if kinds.get(credit.round, "heat") in APART]),
        points={entrant: _total(crediting, by_entrant[entrant]) for entrant in entrants},
        stages=_stages(entrants, rounds, scored),
        strength=_strength(played, kinds),
        met=_met(outcome for outcome in outcomes if kinds.get(outcome.round, "heat") not in APART),
        win_rate=_win_rate(outcomes),
        disqualified=frozenset(disqualified),
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
    """Who sat out which round: those whom its draw left out, unless they play in another round of the same draw."""
    found = []
    for one in rounds:
        if one.draw is not None:
            playing = {seat.entrant for table in one.draw.tables if table.round == one.number for seat in table.seats}
            found += [(entrant, one.number) for entrant in one.draw.sat_out if entrant not in playing]
    return found


def _stages(entrants: Sequence[Handle], rounds: Iterable[Round], credits: Iterable[Credit]) -> dict[Handle, Stage]:
    """The last round of those for some that each was drawn into, or finished for another."""
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
    """Who has met whom where. Allies have met; who never sent an order has met nobody, and nobody has at a void
    table."""
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
