"""The worth of a position to a seat, on a scale on which a certain win is worth 100.

A board is judged as it will probably be at the end of the turn. For each stronghold, the model estimates the chance
that each side will hold it. This depends on the strength of the tokens that are already there, and on what the players
who have not moved yet can bring. From these chances the model computes how likely each side is to hold enough
strongholds to win. Everything else (each stronghold, each spice, each token) adds a small number.

Alliances, gifts and deals are judged in the same way. An opponent can judge and keep a deal that names what breaks it
(``broken if``), and declines a deal that consists of words alone. Orders that would break a deal in force are left out
before any order is tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import exp, prod
from typing import Any

import msgspec

from rules.components import FREMEN_LANDING, Faction, Forces, is_defense, is_weapon
from rules.components.board import TERRITORIES, Area, TerritoryId, distances, territory_of
from rules.orders import Accept, Ally, BreakAlliance, Decline, Hajr, Move, NoAlliance, Order, Ride, Ship
from rules.orders.readings import DealCondition, EachOf, NotSo, OneOf, PublicFact
from rules.players.fight import side_of
from rules.players.seat import Asked, Seat

Groups = Mapping[TerritoryId, Mapping[Faction, Forces]]
Side = tuple[Faction, ...]
Shares = Mapping[TerritoryId, Mapping[Side, float]]
Standing = tuple[tuple[Faction, Forces], ...]


class Worth:
    """Computes the worth of boards to one seat. Values that are the same for all boards of a decision are computed only
    once."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.weights = seat.weights
        self.sides: list[Side] = list(dict.fromkeys(tuple(side) for side in seat.sides.values()))
        self.mine: Side = tuple(seat.sides[seat.me])
        self._arms = {faction: self._armed(faction) for faction in seat.players}
        self._sold = {faction: self._in_pay(faction) for faction in seat.players}
        self._strength: dict[tuple[Faction, Forces, int], float] = {}
        self._chances: dict[tuple[TerritoryId, Standing, int], dict[Side, float]] = {}
        self._coming: dict[tuple[Faction, TerritoryId], float | None] = {}
        self._tokens: dict[tuple[Area, Forces, Standing, int], float] = {}
        self._ally = seat.ally_to_move if self.weights["joins"] else None
        self.late = max(0, 10 - seat.turns_left) / 10
        self._hold = {place: self.hold_worth(place) for place in seat.strongholds}
        self._victory = {side: -self.weights["stop"] * self.responsibility(side) for side in self.sides}
        self._victory[self.mine] = self.win_worth(self.mine)
        if self.weights["chairs"] and "guild" in seat.players and seat.turns_left <= 3:
            self._as_the_end_comes()
        self._needed = {side: seat.needed(side) for side in self.sides}

    def _as_the_end_comes(self) -> None:
        """Adjust the worth of victories near the end of the game. If the Guild is in play, its side wins if nobody else
        does. That side therefore tries to stop all others, and every other side cares more about a victory of its
        own."""
        near = 0.7**self.seat.turns_left
        claims = "guild" in self.mine
        for side in self.sides:
            if side != self.mine:
                self._victory[side] *= 1 - near
                self._victory[side] -= near * self.win_worth(self.mine) if claims else 0.0
        self._victory[self.mine] *= 1 - near if claims else 1.0

    def _armed(self, faction: Faction) -> float:
        leaders = self.seat.leaders(faction)
        best = float(leaders[0][1]) if leaders else 0.0
        if faction == self.seat.me:
            hand = self.seat.hand
            arms = 2.2 * any(map(is_weapon, hand)) + 1.8 * any(map(is_defense, hand))
        else:
            arms = min(3.2, 0.85 * self.seat.cards_held(faction))
        haderach = 2.0 if faction == "atreides" and self.seat.view.get("kwisatz_haderach") == "ready" else 0.0
        return 0.85 * best + arms + haderach if leaders else 0.0

    def _in_pay(self, faction: Faction) -> float:
        """Return the estimated chance that this player's leader in the next battle is in my pay. The best leader is the
        likeliest to fight, then the second, then the third."""
        paid = self.seat.paid if self.weights["chairs"] and not self.seat.friends(faction) else ()
        ready = self.seat.leaders(faction)[:3]
        return sum(often for often, (leader, _) in zip((0.5, 0.25, 0.1), ready, strict=False) if leader in paid)

    def strength(self, faction: Faction, forces: Forces, spice: int) -> float:
        """Return the strength that these tokens usually have in a battle, including leaders and cards."""
        key = (faction, forces, min(spice, forces.total))
        known = self._strength.get(key)
        if known is None:
            opponent = "fremen" if faction == "emperor" and self.seat.me == "fremen" else ""
            side = side_of(self.seat, faction, forces, opponent)
            full = forces.ordinary + side.elite_worth * forces.elite
            if side.paid:
                backed = min(spice, forces.total)
                stars = min(backed, forces.elite)
                full_strength = 0.5 * (full + backed - stars + side.elite_worth * stars)
            else:
                full_strength = float(full)
            share = 0.9 if faction == self.seat.me else 0.78
            known = self._strength[key] = share * full_strength + self._arms[faction]
        return known

    # --- a board -----------------------------------------------------------------------------------------------------

    def chances(self, groups: Groups, spice: int) -> dict[TerritoryId, dict[Side, float]]:
        """Return, for each stronghold, the chance that each side will hold it at the end of the turn. ``spice`` is the
        amount that this seat has for battles."""
        found: dict[TerritoryId, dict[Side, float]] = {}
        for place in self.seat.strongholds:
            here = groups.get(place, {})
            key = (place, tuple(here.items()), self._backing(here, spice))
            known = self._chances.get(key)
            if known is None:
                stands = self.against_each_other(here, spice)
                known = self._chances[key] = self._after_later_moves(place, here, stands, spice)
            found[place] = known
        return found

    def _backing(self, here: Mapping[Faction, Forces], spice: int) -> int:
        mine = here.get(self.seat.me)
        return min(spice, mine.ordinary + mine.elite) if mine else 0

    def against_each_other(self, here: Mapping[Faction, Forces], spice: int) -> dict[Side, float]:
        seat = self.seat
        strongest: dict[Side, float] = {}
        sold = 0.0
        for faction, forces in here.items():
            if not forces:
                continue
            side = tuple(seat.sides[faction])
            sold = max(sold, self._sold[faction])
            brought = self.strength(faction, forces, spice if faction == seat.me else seat.purse(faction))
            strongest[side] = max(brought, strongest.get(side, 0.0))
        if len(strongest) < 2:
            return dict.fromkeys(strongest, 1.0)
        if self.mine in strongest:
            strongest[self.mine] -= self.weights["modesty"]
        chances = {
            side: prod(self.wins(own - other) for rival, other in strongest.items() if rival != side)
            for side, own in strongest.items()
        }
        if sold and seat.me in here:
            for side, chance in chances.items():
                chances[side] = chance + (1 - chance) * sold if side == self.mine else chance * (1 - sold)
        return chances

    def wins(self, difference: float) -> float:
        if difference > 12:
            return 0.99
        return 1 / (1 + exp(-difference / self.weights["doubt"])) if difference > -12 else 0.01

    def _after_later_moves(
        self, place: TerritoryId, standing: Mapping[Faction, Forces], here: dict[Side, float], spice: int
    ) -> dict[Side, float]:
        seat = self.seat
        if not seat.yet_to_move:
            return here
        defended: dict[Side, float] = {}
        for faction, forces in standing.items():
            own = spice if faction == seat.me else seat.purse(faction)
            side = tuple(seat.sides[faction])
            defended[side] = max(defended.get(side, 0.0), self.strength(faction, forces, own))
        result = dict(here)
        for faction in seat.yet_to_move:
            side = tuple(seat.sides[faction])
            if side in defended or len(standing) >= 2:
                continue
            if (faction, place) not in self._coming:
                self._coming[faction, place] = self._can_bring(faction, place)
            coming = self._coming[faction, place]
            if coming is None:
                continue
            best = max(defended.values(), default=0.0)
            wins = self.wins(coming - best + self.weights["modesty"]) if defended else 1.0
            comes = self.weights["comes"] * wins
            for other in result:
                result[other] *= 1 - comes * wins
            result[side] = result.get(side, 0.0) + comes * wins
        return result

    def _can_bring(self, faction: Faction, place: TerritoryId) -> float | None:
        seat = self.seat
        purse = seat.purse(faction)
        price = 0.5 if "guild" in seat.sides[faction] else 1.0
        shipped = faction in seat.memory.shipped and seat.phase == "movement"
        number = 0 if shipped else min(seat.reserves[faction], int(0.7 * purse / price))
        if faction == "fremen":
            number = 0 if shipped or place not in FREMEN_LANDING else seat.reserves[faction]
        walking = 0
        for area, forces in seat.areas.items():
            if faction in forces and territory_of(area) != place and self._reaches(faction, area, place):
                walking = max(walking, forces[faction].total)
        tokens = max(number, walking)
        if tokens < 1:
            return None
        left = max(0, purse - int(number * price)) if tokens == number and faction != "fremen" else purse
        return self.strength(faction, Forces(min(tokens, 12)), left)

    def _reaches(self, faction: Faction, area: Area, place: TerritoryId) -> bool:
        reach = 3 if faction in self.seat.view["ornithopters"] else 2 if faction == "fremen" else 1
        return any(target in distances(area, self.seat.storm, reach) for target in TERRITORIES[place].areas)

    def of(self, groups: Groups, tokens: Mapping[Area, Forces], spice: int, reserves: int) -> float:
        seat, weights = self.seat, self.weights
        chances = self.chances(groups, spice)
        score = 0.0
        held: dict[Side, list[float]] = {}
        for place, shares in chances.items():
            for side, chance in shares.items():
                held.setdefault(side, []).append(chance)
                score += chance * (self._hold[place] if side == self.mine else -weights["their_hold"])
        if self._ally is not None:
            self._count_ally(chances, groups, held)
        for side, holds in held.items():
            score += self._victory[side] * at_least(tuple(holds), self._needed[side])
        score += self.spice_worth(spice) + weights["reserve"] * reserves
        for area, forces in tokens.items():
            here = groups.get(territory_of(area), {})
            key = (area, forces, tuple(here.items()), self._backing(here, spice))
            if key not in self._tokens:
                self._tokens[key] = self._tokens_at(area, forces, here, spice)
            score += self._tokens[key]
        for place, here in groups.items():
            if len(here) > 1 and seat.me in here and place in chances:
                score -= weights["battle"] * (1 - chances[place].get(self.mine, 0.0))
        return score

    def _count_ally(self, chances: Shares, groups: Groups, held: dict[Side, list[float]]) -> None:
        """Assume that an ally who has not moved yet goes to the place where that helps most."""
        best, ally = 0.0, self._ally
        for place, shares in chances.items():
            here = groups.get(place, {})
            if ally is None or len(here) > 1 or any(self.seat.friends(faction) for faction in here):
                continue
            if (ally, place) not in self._coming:
                self._coming[ally, place] = self._can_bring(ally, place)
            coming = self._coming[ally, place]
            if coming is not None:
                rival = max(
                    (self.strength(one, forces, self.seat.purse(one)) for one, forces in here.items()), default=-9
                )
                best = max(best, self.wins(coming - rival) - shares.get(self.mine, 0.0))
        if best:
            held.setdefault(self.mine, []).append(self.weights["joins"] * best)

    def nearness(self, faction: Faction) -> float:
        side = tuple(self.seat.sides[faction])
        chances = self.chances(self.seat.groups, self.seat.spice)
        return at_least(tuple(here.get(side, 0.0) for here in chances.values()), self.seat.needed(side))

    def win_worth(self, side: Side) -> float:
        return self.weights["win"] * (1.0 if len(side) == 1 else self.weights["shared"])

    def responsibility(self, side: Side) -> float:
        """Return the share of the effort to stop this side that falls to this seat. It is 1 if no other player can stop
        that side later this turn."""
        others = [faction for faction in self.seat.yet_to_move if faction not in side]
        return max(self.weights["trust"], 1.0 - 0.2 * len(others)) if others else 1.0

    def hold_worth(self, place: TerritoryId) -> float:
        value = self.weights["hold"] * (1 + 0.5 * self.late)
        if TERRITORIES[place].ornithopters:
            value *= 1.25
        if self.seat.house.city_income:
            value += 0.55 * TERRITORIES[place].income
        return float(value)

    def spice_worth(self, spice: int) -> float:
        if self.seat.turns_left == 0:
            return 0.02 * spice
        return self.weights["spice"] * (min(spice, 14) + 0.45 * max(0, spice - 14))

    def _tokens_at(self, area: Area, forces: Forces, here: Mapping[Faction, Forces], spice: int) -> float:
        place = territory_of(area)
        against = self.against_each_other(here, spice) if len(here) > 1 else {}
        alive = against.get(self.mine, 1.0)
        worth = self.weights["token"] * (forces.ordinary + 2 * forces.elite)
        worth *= alive * (1 - self.seat.storm_risk(area))
        lying = self.seat.spice_on_board.get(area, 0)
        if lying:
            rate = 3 if self.seat.me in self.seat.view["ornithopters"] else 2
            worth += (
                self.weights["spice"]
                * alive
                * min(lying, rate * forces.total)
                * (0.2 if not self.seat.turns_left else 1)
            )
        if place == "polar-sink":
            worth += 0.02 * forces.total
        elif TERRITORIES[place].kind != "stronghold":
            worth -= self.weights["idle"] * forces.total
        return worth


@lru_cache(maxsize=4096)
def at_least(chances: tuple[float, ...], needed: int) -> float:
    """Return the chance that at least ``needed`` of several independent events happen.

    >>> round(at_least((0.5, 0.5, 1.0), 2), 2)
    0.75
    """
    if len(chances) < needed:
        return 0.0
    counts = [1.0] + [0.0] * needed
    for chance in chances:
        if chance <= 0.0:
            continue
        counts[needed] += counts[needed - 1] * chance
        for number in range(needed - 1, 0, -1):
            counts[number] = counts[number] * (1 - chance) + counts[number - 1] * chance
        counts[0] *= 1 - chance
    return counts[needed]


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
"""The worth of an alliance: transport or money for a strong fighter, prescience or the Voice for a frequent one."""


# --- alliances, gifts and deals --------------------------------------------------------------------------------------


def nexus(seat: Seat, asked: Asked) -> Sequence[Order]:
    """Ally with the partner who fits this seat best, if public facts show that this seat also fits that partner best. A
    seat that already has an ally decides whether to break the alliance."""
    partners = _pairs(seat)
    mine = partners.get(seat.me)
    if asked.facts["allies"]:
        return [BreakAlliance()] if _alone_is_better(seat) else [NoAlliance()]
    return [Ally(mine)] if mine is not None and mine in asked.facts["others"] else [NoAlliance()]


def _alone_is_better(seat: Seat) -> bool:
    """Return whether the seat gains by breaking its alliance. It does if it holds enough strongholds to win alone when
    the last turn begins, or if its chance to win alone is worth more than its part in a joint victory."""
    held = sum(1 for place in seat.strongholds if set(seat.groups.get(place, {})) == {seat.me})
    if held >= seat.house.alone and not seat.turns_left:
        return True
    alone = Worth(seat.with_alliances([group for group in seat.view["alliances"] if seat.me not in group]))
    together = Worth(seat)
    gain = alone.nearness(seat.me) - seat.weights["shared"] * together.nearness(seat.me)
    return gain > seat.weights["leaves"]


def _pairs(seat: Seat) -> dict[Faction, Faction]:
    """Pair the players who have no allies. Only public facts are used, so that both players of a pair reach the same
    result."""
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
    if not seat.weights["binds"]:
        return [Decline()]
    return [Accept()] if asked.facts["what"] != "deal" or _worth_of_deal(seat, asked.facts) > 0 else [Decline()]


def _worth_of_deal(seat: Seat, facts: Mapping[str, Any]) -> float:
    spice = facts["they_pay"] - facts["you_pay"]
    if facts.get("condition") is not None:  # others decide the condition: I may never be paid, but may have to pay
        spice = 0.5 * facts["they_pay"] - facts["you_pay"]
    worth: float = seat.weights["spice"] * spice
    breaks = _condition(facts.get("broken_if"))
    if breaks is None:
        return worth if not facts["text"].strip() else -1.0
    parts = [fact for fact in _parts(breaks) if fact is not None]
    mine = [fact for fact in parts if fact.about[:1] == (seat.me,)]
    if len(parts) < len(list(_parts(breaks))) or any(fact.name not in FORBIDS for fact in mine):
        return -1.0  # it may forbid something that an order does not reveal
    turns = max(1, min(facts.get("until") or seat.last_turn, seat.last_turn) - seat.turn + 1)
    promised = sum(1 for fact in parts if fact not in mine and fact.name in FORBIDS)
    return worth + min(promised, 2) - (1 + min(turns, 4)) * len(mine)


FORBIDS = ("shipped", "shipped-to", "moved", "moved-to", "stands-in", "allied-with", "broke-alliance")
"""The facts that can be checked from an order alone: the order shows whether it would make them true."""


def _condition(plain: Any) -> DealCondition | None:
    return None if plain is None else msgspec.convert(plain, DealCondition)


def _parts(condition: DealCondition) -> Iterator[PublicFact | None]:
    match condition:
        case PublicFact():
            yield condition
        case NotSo():
            yield None
        case EachOf(parts) | OneOf(parts):
            for part in parts:
                yield from _parts(part)


def without_broken_deals(seat: Seat, orders: Sequence[Order]) -> list[Order]:
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
