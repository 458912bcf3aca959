"""Alliances, gifts and deals: with whom a seat binds itself, what it accepts, and what it then may not do.

A deal is more than its words only as far as it says what breaks it (``broken if``): that an opponent can weigh and
keep. It declines words alone. What it has promised it does not do while the deal stands: orders that would break it are
left out before any is tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec

from rules.components import Faction
from rules.components.board import territory_of
from rules.orders import Accept, Ally, BreakAlliance, Decline, Hajr, Move, NoAlliance, Order, Ride, Ship
from rules.orders.readings import DealCondition, EachOf, NotSo, OneOf, PublicFact
from rules.players.seat import Asked, Seat
from rules.players.worth import Worth

COMPLEMENT: Mapping[frozenset[Faction], float] = {
    frozenset(pair): worth
    for pair, worth in {
        ("emperor", "harkonnen"): 6,
        ("emperor", "fremen"): 6,
        ("emperor", "atreides"): 4,
        ("atreides", "guild"): 6,
        ("harkonnen", "guild"): 6,
        ("atreides", "fremen"): 4,
        ("bene-gesserit", "harkonnen"): 4,
        ("bene-gesserit", "atreides"): 4,
        ("bene-gesserit", "emperor"): 3,
        ("fremen", "harkonnen"): 2,
    }.items()
}
"""What two factions bring each other: transport or money to who can fight, sight and Voice to who fights often."""


def nexus(seat: Seat, asked: Asked) -> Sequence[Order]:
    """Ally with the partner who fits best, if by public facts the two are also best for each other."""
    partners = _pairs(seat)
    mine = partners.get(seat.me)
    if asked.facts["allies"]:
        return [BreakAlliance()] if _alone_is_better(seat) else [NoAlliance()]
    return [Ally(mine)] if mine is not None and mine in asked.facts["others"] else [NoAlliance()]


def _alone_is_better(seat: Seat) -> bool:
    """Whether an ally would only share what the seat can have alone: it holds what wins as the last turn begins, or it
    is so near that half of a joint victory is worth less than the chance of one of its own."""
    held = sum(1 for place in seat.strongholds if set(seat.groups.get(place, {})) == {seat.me})
    if held >= seat.house.alone and not seat.turns_left:
        return True
    alone = Worth(seat.with_alliances([group for group in seat.view["alliances"] if seat.me not in group]))
    together = Worth(seat)
    gain = alone.nearness(seat.me) - seat.weights["shared"] * together.nearness(seat.me)
    return gain > seat.weights["leaves"]


def _pairs(seat: Seat) -> dict[Faction, Faction]:
    """Pair the free players by what all can see, so that both sides come to the same result."""
    free = sorted(faction for faction in seat.players if len(seat.sides[faction]) == 1)
    held = {f: sum(1 for place in seat.strongholds if f in seat.groups.get(place, {})) for f in free}

    def fit(one: Faction, other: Faction) -> float:
        together = held[one] + held[other]
        if together >= seat.needed((one, other)):
            return -5.0
        return COMPLEMENT.get(frozenset((one, other)), 1.0) + 1.5 * min(together, 3) - abs(held[one] - held[other])

    found: dict[Faction, Faction] = {}
    for one, other in sorted(combinations(free, 2), key=lambda pair: (-fit(*pair), pair)):
        if one not in found and other not in found and fit(one, other) > seat.weights["ally"]:
            found[one], found[other] = other, one
    return found


# --- gifts and deals -------------------------------------------------------------------------------------------------


def offer(seat: Seat, asked: Asked) -> Sequence[Order]:
    """Take gifts, and deals that are worth more than they forbid and cost."""
    if not seat.weights["binds"]:
        return [Decline()]
    return [Accept()] if asked.facts["what"] != "deal" or _worth_of_deal(seat, asked.facts) > 0 else [Decline()]


def _worth_of_deal(seat: Seat, facts: Mapping[str, Any]) -> float:
    spice = facts["they_pay"] - facts["you_pay"]
    if facts.get("condition") is not None:  # what others decide: it may never fall due to me, but does to them
        spice = 0.5 * facts["they_pay"] - facts["you_pay"]
    worth: float = seat.weights["spice"] * spice
    breaks = _condition(facts.get("broken_if"))
    if breaks is None:
        return worth if not facts["text"].strip() else -1.0
    parts = [fact for fact in _parts(breaks) if fact is not None]
    mine = [fact for fact in parts if fact.about[:1] == (seat.me,)]
    if len(parts) < len(list(_parts(breaks))) or any(fact.name not in FORBIDS for fact in mine):
        return -1.0  # it may forbid what nobody can tell from an order
    turns = max(1, min(facts.get("until") or seat.last_turn, seat.last_turn) - seat.turn + 1)
    promised = sum(1 for fact in parts if fact not in mine and fact.name in FORBIDS)
    return worth + min(promised, 2) - (1 + min(turns, 4)) * len(mine)


FORBIDS = ("shipped", "shipped-to", "moved", "moved-to", "stands-in", "allied-with", "broke-alliance")
"""The facts of which a player can tell from an order whether it makes them true."""


def _condition(plain: Any) -> DealCondition | None:
    return None if plain is None else msgspec.convert(plain, DealCondition)


def _parts(condition: DealCondition) -> Iterator[PublicFact | None]:
    """Yield the facts of which any may break a deal; None for what is broken by not doing something."""
    match condition:
        case PublicFact():
            yield condition
        case NotSo():
            yield None
        case EachOf(parts) | OneOf(parts):
            for part in parts:
                yield from _parts(part)


def kept(seat: Seat, orders: Sequence[Order]) -> list[Order]:
    promised = [
        fact
        for deal in seat.view.get("deals", ())
        if seat.me in deal["parties"] and deal.get("stage") in ("due", "waiting") and deal.get("broken_if")
        for fact in _parts(msgspec.convert(deal["broken_if"], DealCondition))
        if fact is not None and fact.about[:1] == (seat.me,)
    ]
    return [order for order in orders if not any(_makes_true(order, fact) for fact in promised)]


def _makes_true(order: Order, fact: PublicFact) -> bool:
    if isinstance(order, Hajr):
        order = order.move
    there = territory_of(order.target) if isinstance(order, Ship | Move | Ride) and order.target else None
    match fact.name, order:
        case ("shipped", Ship()) | ("moved", Move()) | ("broke-alliance", BreakAlliance()):
            return True
        case ("shipped-to", Ship()) | ("moved-to", Move()) | ("stands-in", Ship() | Move() | Ride()):
            return fact.about[1:] == (there,)
        case "allied-with", Ally(other):
            return fact.about[1:] == (other,)
    return False
