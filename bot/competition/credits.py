"""Who is credited with what at a table: its holder with the points of the seat, and what becomes of them where a seat
changed hands.

A leaver has the points of a forfeit, whoever never sent an order those of an absent one. What a substitute has is a
setting: ``protected``, the better of the seat's points and their own mean in the tournament, for which they must have
held it for half of the turns at least; ``pro-rata``, each the part of their turns, but nothing for somebody who
resigned; ``finisher``, all of it to who held it last; ``nobody``, no points from such a seat. A seat that Mentat played
at the end (``caretaker``) may win, and scores nothing. Somebody disqualified scores nothing; what others scored against
them stands.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from bot.competition.outcomes import Handle, Kind, SeatOutcome, TableOutcome, Tenure
from bot.competition.scoring.system import NOTHING, System
from bot.competition.scoring.table import seat_points, winning_sides
from bot.competition.settings import Charge, Substitutes
from rules.components import Faction

Part = Literal["seated", "substitute", "left", "absent", "sat out"]
"""What somebody was at a table: its holder to the end, a substitute who was, somebody who left it before, or never
sent an order; or at none in this round."""


@dataclass(frozen=True, slots=True)
class Credit:
    """What an entrant has from a table (0 for a round that they sat out).

    ``points`` are without the ``price`` of their faction. ``held``: they held the seat at the end, so that ``won``,
    how many ``winners`` share it, and the strongholds are theirs. ``counts``: it is one of the tables of which points
    are added up. ``note`` says how the points came to be, where it is not by the table alone.
    """

    entrant: Handle
    round: int
    table: int
    part: Part
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
        """The points that are added up."""
        return self.points - self.price

    @property
    def forfeited(self) -> bool:
        """Whether they left the table or never came."""
        return self.part in ("left", "absent") and self.kind != "void"


@dataclass(frozen=True, slots=True)
class Crediting:
    """How a tournament credits: its system, and the settings of substitutes and of auctions."""

    system: System
    substitutes: Substitutes = "protected"
    charge: Charge = "always"

    def credits(self, outcomes: Iterable[TableOutcome]) -> tuple[Credit, ...]:
        """All credits of these tables, in their order."""
        given: list[Credit] = []
        for outcome in outcomes:
            worth = seat_points(self.system, outcome)
            for seat in outcome.seats:
                given += self._of_seat(outcome, seat, worth[seat.faction])
        if self.substitutes == "protected":
            means = _own_means(given)
            given = [self._protected(credit, means) for credit in given]
        return tuple(given)

    def sat_out(self, entrant: Handle, round_number: int) -> Credit:
        """What somebody has for sitting out."""
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
                given.append(self._gone(outcome, seat, entrant, "absent", self.system.absent, "absent"))
            elif self.substitutes == "pro-rata":
                share = NOTHING if mentat_plays or tenures[-1].resigned else _share(seat, tenures)
                note = "left, having resigned" if tenures[-1].resigned else f"left, {_turns(seat, tenures)}"
                given.append(self._gone(outcome, seat, entrant, "left", worth * share, note))
            else:
                given.append(self._gone(outcome, seat, entrant, "left", self.system.forfeit, "left"))
        return [self._charged(seat, credit) for credit in given]

    def _holder(self, outcome: TableOutcome, seat: SeatOutcome, tenures: Sequence[Tenure], worth: Fraction) -> Credit:
        """Who held the seat at the end."""
        won = seat.faction in outcome.winners
        credit = Credit(
            tenures[-1].entrant, outcome.round, outcome.table, "seated", outcome.kind, worth, seat.faction,
            held=True, won=won, winners=winning_sides(outcome).get(seat.faction, 0), turn=outcome.turn,
            strongholds=seat.strongholds, strongholds_over_turns=seat.strongholds_over_turns,
            counts=outcome.kind != "void",
        )  # fmt: skip
        if tenures[0].why != "substitute":
            return credit
        credit = replace(credit, part="substitute", note="substitute")
        if self.substitutes == "pro-rata":
            return replace(credit, points=worth * _share(seat, tenures), note=f"substitute, {_turns(seat, tenures)}")
        if self.substitutes == "nobody":
            return replace(credit, points=NOTHING, held=False, won=False, counts=False)
        if self.substitutes == "protected" and 2 * _turns_held(tenures) < _turns_held(seat.tenures):
            return replace(credit, note="substitute for less than half of the turns")
        return credit

    def _gone(
        self, outcome: TableOutcome, seat: SeatOutcome, entrant: Handle, part: Part, worth: Fraction, note: str
    ) -> Credit:
        """Somebody who did not hold the seat at the end."""
        void = outcome.kind == "void"
        return Credit(
            entrant, outcome.round, outcome.table, part, outcome.kind, NOTHING if void else worth, seat.faction,
            turn=outcome.turn, counts=not void, note=note,
        )  # fmt: skip

    def _charged(self, seat: SeatOutcome, credit: Credit) -> Credit:
        """Less the price of the faction, which its first holder pays unless they never played."""
        first = next(tenure.entrant for tenure in seat.tenures)
        free = credit.entrant != first or credit.part == "absent" or credit.kind == "void"
        if free or (self.charge == "wins" and not credit.won):
            return credit
        return replace(credit, price=Fraction(seat.price, 10))

    def _protected(self, credit: Credit, means: Mapping[Handle, Fraction]) -> Credit:
        """A substitute for half of the turns does not lose by it."""
        mean = means.get(credit.entrant, NOTHING)
        if credit.note != "substitute" or credit.kind == "void" or mean <= credit.points:
            return credit
        return replace(credit, points=mean, note="substitute, own mean")


def _own_means(given: Iterable[Credit]) -> dict[Handle, Fraction]:
    """The mean of each entrant over the tables at which they were no substitute."""
    own: dict[Handle, list[Fraction]] = {}
    for credit in given:
        if credit.counts and credit.part != "substitute":
            own.setdefault(credit.entrant, []).append(credit.net)
    return {entrant: sum(points, NOTHING) / len(points) for entrant, points in own.items()}


def struck(credits: Iterable[Credit], disqualified: Collection[Handle]) -> tuple[Credit, ...]:
    """The same credits, but with 0 points for entrants who were disqualified; the record of their games stays."""
    return tuple(
        replace(credit, points=NOTHING, price=NOTHING, won=False, note="disqualified")
        if credit.entrant in disqualified
        else credit
        for credit in credits
    )


def _share(seat: SeatOutcome, tenures: Sequence[Tenure]) -> Fraction:
    """The part of the turns for which they held the seat."""
    return Fraction(_turns_held(tenures), max(1, _turns_held(seat.tenures)))


def _turns(seat: SeatOutcome, tenures: Sequence[Tenure]) -> str:
    return f"{_turns_held(tenures)} of {_turns_held(seat.tenures)} turns"


def _turns_held(tenures: Iterable[Tenure]) -> int:
    """How many turns these tenures lasted together; those in which no order was ever sent count nothing."""
    return sum(tenure.last - tenure.first + 1 for tenure in tenures if tenure.why != "no-show")
