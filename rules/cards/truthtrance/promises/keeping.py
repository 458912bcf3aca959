"""Orders with which a promised act could be done at a question, the simplest first; whether they are legal the question
says."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from msgspec.structs import replace

from rules.chapters.movement.move_rules import HAJR
from rules.components import Faction, Forces, Leader
from rules.components.board import TERRITORIES, TerritoryId
from rules.decisions.question import Question
from rules.orders import (
    Ally,
    Bid,
    BreakAlliance,
    Charity,
    Give,
    Hajr,
    Move,
    Order,
    Revive,
    ReviveKwisatzHaderach,
    ReviveLeader,
    Ride,
    Ship,
    Treachery,
)
from rules.orders.readings import (
    KWISATZ_HADERACH,
    Act,
    AllyWith,
    Attack,
    BidFor,
    CallTreachery,
    Enter,
    GiveSpice,
    LeaveAlliance,
    MoveTo,
    PlayCard,
    ReviveOneOf,
    ReviveTokens,
    RideWorm,
    ShipTo,
    TakeCharity,
)
from rules.state.game import Game


def orders_for(game: Game, question: Question, act: Act | None) -> Iterator[Order]:
    """Orders with which the one asked could do the act. None for acts that are done by one of the question's own
    samples."""
    faction = question.faction
    match act:
        case BidFor(amount):
            top = question.facts["top"]
            number = max((top or 0) + 1, ceil(amount.least))
            yield Bid(number)
        case ShipTo(goal, amount) if goal is not None:
            yield from shipments(game, faction, goal, max(1, ceil(amount.least)))
        case MoveTo(goal, amount) if goal is not None:
            yield from moves(game, faction, goal, max(1, ceil(amount.least)))
        case Enter() | Attack():
            journeys = shipments if question.kind == "shipment" else moves
            for territory in goals(game, act):
                yield from journeys(game, faction, territory)
        case PlayCard(cards) if HAJR in cards and question.kind == "movement":
            whole = [order for order in question.samples() if isinstance(order, Move)]
            yield from map(Hajr, whole)
            yield from (Hajr(replace(order, forces=one)) for order in whole for one in some(order.forces, 1))
        case GiveSpice(other, amount):
            yield Give(max(1, ceil(amount.least)), other)
        case RideWorm(goal) if goal is not None:
            for _, source in question.facts["forces"]:
                for forces in some(game.here(source, faction), 1):
                    yield from (Ride(forces, source, target) for target in TERRITORIES[goal].areas)
        case ReviveTokens(amount):
            yield from map(Revive, some(game.player(faction).tanks, max(1, ceil(amount.least))))
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


def goals(game: Game, act: Enter | Attack) -> list[TerritoryId]:
    """Where the act would lead."""
    if isinstance(act, Enter):
        return [act.territory]
    if act.territory is not None:
        return [act.territory]
    return [territory for territory in TERRITORIES if act.faction in game.state.forces_in(territory)]


def shipments(game: Game, faction: Faction, goal: TerritoryId, number: int = 1) -> Iterator[Ship]:
    """So many tokens shipped to the territory, from the reserves or across Dune."""
    for target in TERRITORIES[goal].areas:
        for forces in some(game.player(faction).reserves, number):
            yield Ship(forces, None, target)
        for source, there in game.state.areas_of(faction):
            yield from (Ship(forces, source, target) for forces in some(there, number))


def moves(game: Game, faction: Faction, goal: TerritoryId, number: int = 1) -> Iterator[Move]:
    """So many tokens moved to the territory."""
    for source, there in game.state.areas_of(faction):
        for forces in some(there, number):
            yield from (Move(forces, source, target) for target in TERRITORIES[goal].areas)


def some(there: Forces, number: int) -> Iterator[Forces]:
    """So many of the tokens, with the fewest elite ones and with one more."""
    fewest = max(0, number - there.ordinary)
    for elite in (fewest, fewest + 1):
        forces = Forces(number - elite, elite) if elite <= number else None
        if forces and there.covers(forces):
            yield forces
