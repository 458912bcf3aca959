"""The plain player: a fixed, simple opponent with which others are compared.

It looks one step ahead and counts strongholds, tries thirty sampled plans in a battle, remembers nothing, and makes no
alliances or deals. Its numbers are in this module and not with those of the other opponents, because they must never
change: a result such as "wins a third of its games among five plain players" means something only as long as plain
players stay the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules.components import (
    FREMEN_LANDING,
    LEADERS,
    WORTHLESS,
    Card,
    Faction,
    Forces,
    Leader,
    classes,
    is_defense,
    is_weapon,
)
from rules.components.board import STRONGHOLDS, TERRITORIES, Area, TerritoryId, distances, sector_of, territory_of
from rules.orders import (
    Bid,
    Charity,
    Keep,
    Move,
    NoMove,
    NoShipment,
    Order,
    Pass,
    Plan,
    Revive,
    Ship,
    Treachery,
)
from rules.players.seat import Asked, Seat, parsed

SAMPLES = 30


def plain_orders(seat: Seat, asked: Asked) -> Sequence[Order]:
    match asked.kind:
        case "shipment":
            return _best(seat, _shipments(seat, asked))
        case "movement":
            return _best(seat, _moves(seat, asked))
        case "battle-plan" | "prescience-answer":
            return _plans(seat, asked)
        case "bid":
            top = asked.facts["top"] or 0
            limit = (2, 4, 3, 2, 1)[min(len(seat.hand), 4)] if seat.me != "harkonnen" else 4
            return [Bid(top + 1)] if top + 1 <= min(limit, seat.spice - 3, asked.facts["means"]) else [Pass()]
        case "revival" if asked.facts.get("what") == "tokens":
            number = min(int(asked.facts["free"]), int(asked.facts["most"]))
            return [Revive(Forces(number))] if number else []
        case "charity":
            return [Charity()] if asked.facts["entitled"] else []
        case "traitor-call":
            return [Treachery()] if asked.facts.get("in_pay") else []
        case "discards":
            return [Keep(tuple(card for card in asked.facts["cards"] if card not in WORTHLESS))]
        case _:
            return []


# --- tokens ----------------------------------------------------------------------------------------------------------

Changed = tuple[float, Order, list[tuple[Area, Forces, int]]]


def _best(seat: Seat, candidates: Iterator[Changed]) -> list[Order]:
    scored = [(_worth(seat, changes) - cost, str(order), order) for cost, order, changes in candidates]
    scored.sort(key=lambda one: (-one[0], one[1]))
    return [order for _, _, order in scored[:6]]


def _worth(seat: Seat, changes: Sequence[tuple[Area, Forces, int]]) -> float:
    mine: dict[TerritoryId, int] = {}
    sand = 0.0
    for area, forces in seat.own_areas:
        mine[territory_of(area)] = mine.get(territory_of(area), 0) + forces.total
    for area, forces, sign in changes:
        place = territory_of(area)
        mine[place] = mine.get(place, 0) + sign * forces.total
        if sign > 0 and area in seat.spice_on_board:
            sand += 0.5 * min(seat.spice_on_board[area], 2 * forces.total) - forces.total * seat.storm_risk(area) * 0.4
    holds = [_hold(seat, place, mine.get(place, 0)) for place in STRONGHOLDS]
    holds.sort(reverse=True)
    needed = seat.house.alone
    win = holds[needed - 1] if len(holds) >= needed else 0.0
    return 8 * sum(holds) + 60 * win + sand


def _hold(seat: Seat, place: TerritoryId, tokens: int) -> float:
    if not tokens:
        return 0.0
    others = [one for faction, one in seat.groups.get(place, {}).items() if not seat.friends(faction)]
    if place in seat.apart and seat.me == seat.stands_apart:
        return 0.0
    if not others:
        return min(0.95, 0.55 + 0.08 * tokens)
    strongest = max(one.ordinary + 2 * one.elite for one in others)
    difference = 0.7 * (tokens - strongest) + (1.5 if any(map(is_weapon, seat.hand)) else -0.5)
    return min(0.92, max(0.03, 0.45 + 0.12 * difference))


def _open_to(seat: Seat, area: Area) -> bool:
    here = [faction for faction in seat.groups.get(territory_of(area), {}) if faction != seat.me]
    return sector_of(area) != seat.storm and len(here) < 2 and not any(faction in seat.allies for faction in here)


def _shipments(seat: Seat, asked: Asked) -> Iterator[Changed]:
    yield 0.0, NoShipment(), []
    reserves, spice = parsed(asked.facts["reserves"]), int(asked.facts["spice"])
    goals = [area for place in STRONGHOLDS for area in TERRITORIES[place].areas]
    goals += [area for area, amount in seat.spice_on_board.items() if amount >= 8]
    for area in goals:
        place = territory_of(area)
        if not _open_to(seat, area) or (seat.me == "fremen" and place not in FREMEN_LANDING):
            continue
        each = 0.0 if seat.me == "fremen" else 1.0 if TERRITORIES[place].kind == "stronghold" else 2.0
        if seat.me == "guild":
            each /= 2
        for number in (2, 4, 6, 9, reserves.total):
            elite = min(reserves.elite, number // 2)
            cost = int(number * each + 0.5)
            if number - elite > reserves.ordinary or not number or cost > spice:
                continue
            forces = Forces(number - elite, elite)
            yield 0.5 * cost + 0.25 * number, Ship(forces, None, area), [(area, forces, 1)]


def _moves(seat: Seat, asked: Asked) -> Iterator[Changed]:
    yield -0.2, asked.default if not isinstance(asked.default, NoMove) else NoMove(), []
    for source, text in sorted(asked.facts["groups"].items()):
        forces = parsed(text)
        for target in sorted(distances(source, seat.storm, int(asked.facts["reach"]))):
            if target == source or not _open_to(seat, target):
                continue
            for part in (forces, Forces(forces.ordinary - 2, forces.elite)):
                if part.ordinary >= 0 and part:
                    yield 0.0, Move(part, source, target), [(source, part, -1), (target, part, 1)]


# --- battles ---------------------------------------------------------------------------------------------------------


def _plans(seat: Seat, asked: Asked) -> list[Order]:
    facts = asked.facts
    most, unpaid = float(facts["most"]), float(facts["most_unpaid"])
    opponent: Faction = facts["opponent"]
    theirs = [_guess(seat, opponent, parsed(facts["opponent_forces"])) for _ in range(SAMPLES)]
    leaders = sorted(facts["leaders"], key=lambda name: (-_strength(name), name))[:3] or [None]
    weapons = [None, *dict.fromkeys(card for card in seat.hand if is_weapon(card))] if facts["leaders"] else [None]
    defenses = [None, *dict.fromkeys(card for card in seat.hand if is_defense(card))] if facts["leaders"] else [None]
    found: list[tuple[float, str, Order]] = []
    for dial in sorted({0.0, unpaid, most, (most + unpaid) / 2 // 1, unpaid // 2}):
        spice = max(0, round(2 * (dial - unpaid))) if dial > unpaid else 0
        for leader in leaders:
            for weapon in weapons:
                for defense in defenses:
                    plan = Plan(dial, leader, weapon, defense, spice)
                    won = sum(_wins(plan, one, facts["aggressor"]) for one in theirs)
                    score = 20 * won / SAMPLES - 0.3 * dial - 0.4 * spice
                    found.append((score, str(plan), plan))
    found.sort(key=lambda one: (-one[0], one[1]))
    return [plan for _, _, plan in found[:20]]


Guess = tuple[float, int, Card | None, Card | None]


def _guess(seat: Seat, faction: Faction, forces: Forces) -> Guess:
    draw, unseen = seat.chance.draw, seat.unseen
    cards = [unseen[draw("card", len(unseen))] for _ in range(min(3, seat.cards_held(faction)))] if unseen else []
    able = seat.leaders(faction)
    strength = able[draw("leader", min(2, len(able)))][1] if able else 0
    most = forces.ordinary + 2 * forces.elite
    dial = most * (40 + draw("dial", 61)) / 100
    weapon = next((card for card in cards if is_weapon(card)), None)
    defense = next((card for card in cards if is_defense(card)), None)
    return dial, strength, weapon, defense


def _wins(plan: Plan, other: Guess, aggressor: bool) -> bool:
    their_dial, their_strength, their_weapon, their_defense = other
    own = plan.dial + (0 if _kills(their_weapon, plan.defense) else _strength(plan.leader))
    against = their_dial + (0 if _kills(plan.weapon, their_defense) else their_strength)
    return own > against or (own == against and aggressor)


def _kills(weapon: Card | None, defense: Card | None) -> bool:
    if weapon is None:
        return False
    stops = classes(defense, "defense") if defense else ()
    return not all(how in stops for how in classes(weapon, "weapon"))


def _strength(leader: str | None) -> int:
    return LEADERS[Leader(leader)].strength if leader is not None and leader in LEADERS else 0
