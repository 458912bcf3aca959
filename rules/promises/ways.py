"""Orders with which a promised act could be done at a question, the simplest first; whether they are legal the question
says."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from rules.acts import (
    KWISATZ_HADERACH,
    Act,
    AllyWith,
    BidFor,
    CallTreachery,
    LeaveAlliance,
    MoveTo,
    ReviveOneOf,
    ReviveTokens,
    RideWorm,
    ShipTo,
    TakeCharity,
)
from rules.board import TERRITORIES
from rules.components import Forces, Leader
from rules.game import Game
from rules.orders import (
    Ally,
    Bid,
    BreakAlliance,
    Charity,
    Move,
    Order,
    Revive,
    ReviveKwisatzHaderach,
    ReviveLeader,
    Ride,
    Ship,
    Treachery,
)
from rules.questions import Question


def ways(game: Game, question: Question, act: Act | None) -> Iterator[Order]:
    """What the one asked could order. Acts to which the question's own choices are the way are left to those."""
    faction = question.faction
    match act:
        case BidFor(amount):
            top = question.about["top"]
            number = max((top or 0) + 1, ceil(amount.least))
            yield Bid(number)
        case ShipTo(goal, amount) if goal is not None:
            number = max(1, ceil(amount.least))
            for target in TERRITORIES[goal].areas:
                for forces in _some(game.player(faction).reserves, number):
                    yield Ship(forces, None, target)
                for source, there in game.state.areas_of(faction):
                    yield from (Ship(forces, source, target) for forces in _some(there, number))
        case MoveTo(goal, amount) if goal is not None:
            number = max(1, ceil(amount.least))
            for source, there in game.state.areas_of(faction):
                for forces in _some(there, number):
                    yield from (Move(forces, source, target) for target in TERRITORIES[goal].areas)
        case RideWorm(goal) if goal is not None:
            for _, source in question.about["forces"]:
                for forces in _some(game.here(source, faction), 1):
                    yield from (Ride(forces, source, target) for target in TERRITORIES[goal].areas)
        case ReviveTokens(amount):
            yield from map(Revive, _some(game.player(faction).tanks, max(1, ceil(amount.least))))
        case ReviveOneOf(leaders):
            for leader in leaders:
                yield ReviveKwisatzHaderach() if leader == KWISATZ_HADERACH else ReviveLeader(Leader(leader))
        case AllyWith(other):
            yield Ally(other)
        case LeaveAlliance():
            yield BreakAlliance()
        case CallTreachery():
            yield Treachery()
        case TakeCharity():
            yield Charity()


def _some(there: Forces, number: int) -> Iterator[Forces]:
    """So many of the tokens, with the fewest elite ones and with one more."""
    fewest = max(0, number - there.ordinary)
    for elite in (fewest, fewest + 1):
        forces = Forces(number - elite, elite) if elite <= number else None
        if forces and there.covers(forces):
            yield forces
