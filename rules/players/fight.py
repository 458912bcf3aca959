"""The battle model: the outcome of two plans, and the best plan against many others.

Both plans of a battle are revealed at the same moment. So a plan is judged against a sample of the plans that the
opponent may make. Their hands are drawn from the cards that nobody has seen; their leaders are mostly the best ones,
and their dials mostly high. The result is measured on the same scale as the worth of a board (``rules.players.worth``):
the gain from winning, minus the tokens, spice, cards and leaders that are lost.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from rules.components import (
    LEADERS,
    WORTHLESS,
    Card,
    Faction,
    Forces,
    Leader,
    called,
    card_kind,
    classes,
    is_defense,
    is_weapon,
    leader_strength,
)
from rules.components.cards import CHEAP_HERO
from rules.orders import Plan, Voice
from rules.players.seat import Seat, parsed

KWISATZ_HADERACH = 2


Pair = tuple[Card | None, Card | None]
Stakes = Callable[[Seat], tuple[float, float]]
"""A function that returns the stakes of a battle for a seat: ``won`` and ``void`` of a ``Battle``."""


class Dial(NamedTuple):
    """A number that can be dialed, in halves, and the cheapest way to reach it: the spice it costs, and the tokens that
    a winner loses."""

    halves: int
    spice: int
    lost: int
    lost_elite: int


@lru_cache(maxsize=2048)
def dials(
    forces: Forces, elite_worth: int, paid: bool, spice: int, rates: tuple[float, float] = (0.55, 0.4)
) -> tuple[Dial, ...]:
    """Return the dials that these tokens can make, the lowest first. ``rates`` gives the worth of one spice and of one
    token.

    >>> [(dial.halves, dial.spice) for dial in dials(Forces(2), 2, True, 1)]
    [(0, 0), (1, 0), (2, 0), (3, 1)]
    """
    best: dict[int, tuple[float, Dial]] = {}
    for elite in range(forces.elite + 1):
        for ordinary in range(forces.ordinary + 1):
            full = 2 * ordinary + 2 * elite_worth * elite
            options = [(full, 0)]
            if paid:
                options = []
                for backed in range(min(spice, ordinary + elite) + 1):
                    stars = min(backed, elite)
                    options.append((ordinary + elite_worth * elite + (backed - stars) + elite_worth * stars, backed))
            for halves, cost in options:
                price = rates[0] * cost + rates[1] * ordinary + 2 * rates[1] * elite
                if halves not in best or price < best[halves][0]:
                    best[halves] = (price, Dial(halves, cost, ordinary, elite))
    return tuple(dial for _, (_, dial) in sorted(best.items()))


@dataclass(frozen=True, slots=True)
class Side:
    faction: Faction
    forces: Forces
    elite_worth: int
    paid: bool
    spice: int
    leaders: tuple[tuple[str, int], ...]
    cards: tuple[Card, ...]
    haderach: bool = False
    rates: tuple[float, float] = (0.55, 0.4)

    @property
    def dials(self) -> tuple[Dial, ...]:
        return dials(self.forces, self.elite_worth, self.paid, min(self.spice, self.forces.total), self.rates)


class Line(NamedTuple):
    dial: float
    strength: float
    leader: str | None
    weapon: Card | None
    defense: Card | None
    cost: float = 0.0
    spice: int = 0
    haderach: bool = False


@lru_cache(maxsize=4096)
def kills(weapon: Card | None, defense: Card | None) -> bool:
    if weapon is None:
        return False
    how = classes(weapon, "weapon")
    stops = classes(defense, "defense") if defense else ()
    return bool(how) and not all(one in stops for one in how)


@lru_cache(maxsize=4096)
def explodes(weapon: Card | None, other: Card | None, shields: tuple[Card | None, ...]) -> bool:
    lasgun = any(card is not None and card_kind(card) == "lasgun" for card in (weapon, other))
    return lasgun and any(card is not None and "projectile" in classes(card, "defense") for card in shields)


@lru_cache(maxsize=8192)
def meet(
    weapon: Card | None, defense: Card | None, their_weapon: Card | None, their_defense: Card | None
) -> tuple[bool, bool, bool]:
    if explodes(weapon, their_weapon, (defense, their_defense)):
        return True, True, True
    return kills(their_weapon, defense), kills(weapon, their_defense), False


# --- the opponent's possible plans -----------------------------------------------------------------------------------


def elite_worth(seat: Seat, faction: Faction, opponent: Faction) -> int:
    if not seat.house.stars_count or (faction == "emperor" and opponent == "fremen"):
        return 1
    return 2


def side_of(seat: Seat, faction: Faction, forces: Forces, opponent: Faction) -> Side:
    free = seat.house.fremen_fight_free and "fremen" in seat.sides.get(faction, ())
    leaders = tuple((str(name), strength) for name, strength in seat.leaders(faction))
    cards = tuple(seat.known_cards(faction))
    return Side(
        faction,
        forces,
        elite_worth(seat, faction, opponent),
        seat.house.paid_strength and not free,
        seat.purse(faction) if faction != seat.me else seat.spice,
        leaders,
        cards,
        haderach=faction == "atreides" and seat.view.get("kwisatz_haderach") == "ready",
    )


def sampled_hand(seat: Seat, faction: Faction) -> tuple[Card, ...]:
    """Draw a hand that this player may hold: the cards that they are known to have, and cards that nobody has seen."""
    known = list(seat.known_cards(faction))
    unknown = max(0, seat.cards_held(faction) - len(known))
    if seat.view["players"][faction]["hand"] is not None or not seat.unseen:
        return tuple(known)
    return (*known, *_drawn(seat, "hand", seat.unseen, min(unknown, len(seat.unseen))))


def _drawn(seat: Seat, label: str, pool: Sequence[Card], number: int) -> list[Card]:
    luck, found = seat.chance.draw(label, len(pool) ** number) if number else 0, []
    for _ in range(number):
        luck, at = divmod(luck, len(pool))
        found.append(pool[at])
    return found


def allowed(cards: Sequence[Card], voice: Voice | None, place: str) -> list[Card]:
    able = [card for card in cards if (is_weapon(card) if place == "weapon" else is_defense(card))]
    if voice is None:
        return able
    meant = [card for card in able if _is_called(card, voice.kind)]
    if voice.play:
        return meant or able
    return [card for card in able if card not in meant]


def _is_called(card: Card, kind: str) -> bool:
    match kind:
        case "projectile weapon":
            return is_weapon(card) and "projectile" in called(card, "weapon")
        case "poison weapon":
            return is_weapon(card) and "poison" in called(card, "weapon")
        case "shield":
            return is_defense(card) and "projectile" in called(card, "defense")
        case "snooper":
            return is_defense(card) and "poison" in called(card, "defense")
        case "lasgun":
            return card_kind(card) == "lasgun"
        case "worthless":
            return card in WORTHLESS
        case _:
            return card == kind


def sampled_line(seat: Seat, side: Side, voice: Voice | None = None) -> Line:
    luck = seat.chance.draw("line", 1 << 60)

    def draw(size: int) -> int:
        nonlocal luck
        luck, number = divmod(luck, size)
        return number

    hand = sampled_hand(seat, side.faction)
    weapons, defenses = allowed(hand, voice, "weapon"), allowed(hand, voice, "defense")
    weapon = weapons[draw(len(weapons))] if weapons and draw(100) < 88 else None
    defense = defenses[draw(len(defenses))] if defenses and draw(100) < 88 else None
    leader, strength = None, 0
    if side.leaders:
        rank = draw(100)
        at = 0 if rank < 50 else 1 if rank < 75 else draw(len(side.leaders))
        leader, strength = side.leaders[min(at, len(side.leaders) - 1)]
    else:
        weapon = defense = None
    height, most = draw(100), side.dials[-1].halves
    if height < 15:
        halves = draw(most // 4 + 1)
    elif height < 55:
        halves = max(0, most - draw(2))
    else:
        halves = most - draw(most // 2 + 1)
    bonus = KWISATZ_HADERACH if side.haderach and leader else 0
    return Line(halves / 2, strength + bonus, leader, weapon, defense, haderach=bool(bonus))


# --- my plan ---------------------------------------------------------------------------------------------------------


class Battle(NamedTuple):
    """A battle as one of its fighters sees it.

    - ``won`` is the gain from winning the place, and ``void`` the gain if neither side is left there. Both are measured
      against losing it.
    - ``shown`` is the element of the opponent's plan that prescience has revealed, and ``told`` is the element that
      this fighter has revealed.
    """

    mine: Side
    theirs: Side
    won: float
    void: float
    aggressor: bool
    voice: Voice | None = None
    their_voice: Voice | None = None
    shown: Mapping[str, Any] | None = None
    told: Mapping[str, Any] | None = None


def foreseen(seat: Seat, battle: Battle, stakes: Stakes) -> list[Line]:
    """Return the plans of a sensible opponent, judged from their side: one plan for each of several hands that they may
    hold."""
    me, found, seen = seat.me, list[Line](), dict[tuple[Card, ...], Line]()
    for number in range(int(seat.weights["chairs"])):
        hand = tuple(sorted(sampled_hand(seat, battle.theirs.faction)))
        if number == 0:
            chair = seat.in_the_chair_of(battle.theirs.faction, hand)
            won, void = stakes(chair)
            against = side_of(chair, me, battle.mine.forces, battle.theirs.faction)
            mine = [sampled_line(chair, against, battle.voice) for _ in range(int(seat.weights["chairs"]))]
            if battle.told:
                mine = [_as_shown(line, battle.told, battle.mine) for line in mine]
        if hand not in seen:
            side = replace(battle.theirs, cards=hand)
            across = Battle(side, against, won, void, not battle.aggressor, battle.their_voice)
            plans = valued(chair, across, own_lines(chair, side, across.voice), mine)
            seen[hand] = max(plans, key=lambda one: (one[0], -one[1].spice, -one[1].dial))[1]
        found.append(seen[hand])
    return found


def expected(seat: Seat, battle: Battle, stakes: Stakes | None) -> list[Line]:
    """Return plans that the opponent may make. Among them are the plans that would be best for the opponent, if
    ``stakes`` are given to judge them; the rest are drawn at random."""
    theirs = foreseen(seat, battle, stakes) if stakes else []
    if battle.shown:
        theirs = [line for line in theirs if keeps_word(line, battle.shown)]
    number = int(seat.weights["samples"]) - len(theirs)
    theirs += [sampled_line(seat, battle.theirs, battle.their_voice) for _ in range(number)]
    return [_as_shown(line, battle.shown, battle.theirs) for line in theirs] if battle.shown else theirs


def ranked_plans(seat: Seat, battle: Battle, stakes: Stakes | None = None) -> list[Line]:
    scored = valued(seat, battle, own_lines(seat, battle.mine, battle.voice), expected(seat, battle, stakes))
    scored.sort(key=lambda one: (-one[0], one[1].spice, one[1].dial, str(one[1])))
    return [line for _, line in scored]


def after_voice(seat: Seat, battle: Battle, stakes: Stakes) -> float:
    """Return the worth of my best plan if the opponent obeys the command in ``battle``."""
    theirs = expected(seat, battle, stakes)
    return max(value for value, _ in valued(seat, battle, own_lines(seat, battle.mine, None), theirs))


def after_answer(seat: Seat, battle: Battle, theirs: Sequence[Line], element: str) -> float:
    """Return the worth of my best plans, added up over the opponent's plans in ``theirs``, if I learn this element of
    the opponent's plan before I make mine."""
    lines, total = own_lines(seat, battle.mine, None), 0.0
    for answer, often in Counter(_element(line, element) for line in theirs).items():
        told = [_as_shown(line, {"element": element, "answer": answer}, battle.theirs) for line in theirs]
        total += often * max(value for value, _ in valued(seat, battle, lines, told))
    return total


def own_lines(seat: Seat, side: Side, voice: Voice | None) -> list[Line]:
    """Return the plans that are worth considering: they use the best leaders, every pair of cards, and dials from the
    whole range."""
    weapons = [None, *dict.fromkeys(allowed(side.cards, voice, "weapon"))]
    defenses = [None, *dict.fromkeys(allowed(side.cards, voice, "defense"))]
    if voice is not None and voice.play:
        weapons, defenses = _must(weapons, voice), _must(defenses, voice)
    steps = _thinned(side.dials, int(seat.weights["dials"]))
    found = []
    for leader, strength in _leaders_to_consider(side):
        bonus = KWISATZ_HADERACH if side.haderach and leader else 0
        pairs = [_filled(side.cards, w, d, seat) for w in weapons for d in defenses] if leader else [(None, None)]
        for weapon, defense in pairs:
            for dial in steps:
                cost = seat.weights["spice"] * dial.spice
                line = Line(dial.halves / 2, strength + bonus, leader, weapon, defense, cost, dial.spice, bool(bonus))
                found.append(line)
    return found


def _must(cards: list[Card | None], voice: Voice) -> list[Card | None]:
    meant = [card for card in cards if card is not None and _is_called(card, voice.kind)]
    return list(meant) if meant else cards


def _filled(hand: Sequence[Card], weapon: Card | None, defense: Card | None, seat: Seat) -> Pair:
    if seat.me == "bene-gesserit":
        return weapon, defense
    spare = [card for card in hand if card in WORTHLESS]
    if weapon is None and spare:
        weapon = spare.pop()
    if defense is None and spare:
        defense = spare.pop()
    return weapon, defense


def _leaders_to_consider(side: Side) -> list[tuple[str | None, float]]:
    able = [(name, float(strength)) for name, strength in side.leaders]
    chosen: list[tuple[str | None, float]] = [*able[:3], *able[-1:]] if len(able) > 3 else list(able)
    if any(card_kind(card) == "cheap-hero" for card in side.cards):
        chosen.append((CHEAP_HERO, 0.0))
    return chosen or [(None, 0.0)]


def _thinned(steps: Sequence[Dial], limit: int) -> list[Dial]:
    if len(steps) <= limit:
        return list(steps)
    chosen = {round(number * (len(steps) - 1) / (limit - 1)) for number in range(limit)}
    chosen.update(range(len(steps) - 4, len(steps)))
    return [steps[number] for number in sorted(chosen)]


class _Field:
    """The plans that an opponent may make, sorted so that it is quick to count how many of them a dial beats. They are
    prepared for one weapon and one defense of mine."""

    def __init__(self, seat: Seat, battle: Battle, pair: Pair, theirs: Sequence[Line]) -> None:
        weights = seat.weights
        self.aggressor, self.all_dead, self.sold, self.sold_for = battle.aggressor, 0, 0, 0.0
        paid = seat.paid if weights["chairs"] else frozenset()
        groups: tuple[list[tuple[float, float, float]], ...] = ([], [])
        for other in theirs:
            if other.leader in paid and not other.haderach:
                self.sold += 1
                self.sold_for += weights["leader_killed"] * other.strength + 0.6 * weights["enemy_card"]
                continue
            mine_dead, theirs_dead, all_dead = meet(*pair, other.weapon, other.defense)
            if all_dead:
                self.all_dead += 1
                continue
            killed = weights["leader_killed"] * _strength(other.leader) if theirs_dead else 0.0
            cards = weights["enemy_card"] * ((other.weapon is not None) + (other.defense is not None))
            against = other.dial + (0 if theirs_dead else other.strength)
            groups[mine_dead].append((against, killed + cards, 0.4 * killed))
        self.leaders_lost = self.all_dead + len(groups[True])
        self._groups = []
        for group in groups:
            group.sort()
            won = [0.0, *accumulate(one[1] for one in group)]
            lost = [0.0, *accumulate(one[2] for one in group)]
            self._groups.append(([one[0] for one in group], won, lost))

    def against(self, line: Line) -> tuple[int, int, float]:
        """Return the number of the opponent's plans that this plan beats, the number that beat it, and the total gain
        in leaders and cards from all these battles."""
        beaten, lost, gained = 0, 0, 0.0
        for (totals, won, missed), own in zip(self._groups, (line.dial + line.strength, line.dial), strict=True):
            number = bisect_right(totals, own) if self.aggressor else bisect_left(totals, own)
            beaten += number
            lost += len(totals) - number
            gained += won[number] + missed[-1] - missed[number]
        return beaten, lost, gained


def valued(seat: Seat, battle: Battle, lines: Sequence[Line], theirs: Sequence[Line]) -> list[tuple[float, Line]]:
    """Return each of my plans with its average worth against the opponent's plans in ``theirs``."""
    weights, side, opponent = seat.weights, battle.mine, battle.theirs
    lost_if_beaten = weights["token"] * (side.forces.ordinary + 2 * side.forces.elite)
    tokens_killed = weights["enemy_token"] * (opponent.forces.ordinary + 2 * opponent.forces.elite)
    fields: dict[Pair, _Field] = {}
    dials = {dial.halves: weights["token"] * (dial.lost + 2 * dial.lost_elite) for dial in side.dials}
    found = []
    for line in lines:
        pair = (line.weapon, line.defense)
        if pair not in fields:
            fields[pair] = _Field(seat, battle, pair, theirs)
        field = fields[pair]
        beaten, lost, total = field.against(line)
        leader_lost = weights["leader"] * _strength(line.leader)
        cards_lost = weights["card"] * sum(1 for card in pair if card and card not in WORTHLESS)
        total += beaten * (battle.won + tokens_killed - dials[round(line.dial * 2)])
        total -= lost * (lost_if_beaten + cards_lost) + field.leaders_lost * leader_lost
        total += field.sold * (battle.won + tokens_killed + line.cost) + field.sold_for
        total += field.all_dead * (battle.void - lost_if_beaten + tokens_killed - cards_lost)
        average = total / len(theirs)
        risk = seat.traitor_risk(line.leader, opponent.faction) if line.leader and not line.haderach else 0.0
        if risk:
            average = (1 - risk) * average - risk * (lost_if_beaten + cards_lost + leader_lost)
        found.append((round(average - line.cost, 6), line))
    return found


def _strength(leader: str | None) -> float:
    if leader is None or leader not in LEADERS:
        return 0.0
    return float(leader_strength(Leader(leader)))


def as_plan(line: Line) -> Plan:
    return Plan(line.dial, line.leader, line.weapon, line.defense, line.spice, line.haderach)


def _as_shown(line: Line, shown: Mapping[str, Any], opponent: Side) -> Line:
    element, answer = shown["element"], shown["answer"]
    match element:
        case "number":
            return line._replace(dial=float(answer))
        case "leader":
            strength = dict(opponent.leaders).get(answer, 0)
            return line._replace(leader=answer if answer in LEADERS else None, strength=float(strength))
        case "weapon":
            return line._replace(weapon=None if answer == "none" else Card(answer))
        case _:
            return line._replace(defense=None if answer == "none" else Card(answer))


def keeps_word(line: Line, shown: Mapping[str, Any]) -> bool:
    return _element(line, shown["element"]) == str(shown["answer"])


def _element(line: Line, element: str) -> str:
    match element:
        case "number":
            return f"{line.dial:g}"
        case "leader":
            return line.leader or "none"
        case "weapon":
            return line.weapon or "none"
        case _:
            return line.defense or "none"


def facing(seat: Seat, facts: Mapping[str, Any]) -> tuple[Side, Side]:
    opponent = facts["opponent"]
    mine = side_of(seat, seat.me, parsed(facts["forces"]), opponent)
    leaders = tuple((str(name), leader_strength(Leader(name))) for name in facts["leaders"] if name in LEADERS)
    full = mine.forces.ordinary + mine.elite_worth * mine.forces.elite
    mine = replace(
        mine,
        paid=float(facts["most_unpaid"]) < full,
        spice=int(facts["spice"]),
        leaders=tuple(sorted(leaders, key=lambda one: (-one[1], one[0]))),
        cards=seat.hand,
        rates=(seat.weights["spice"], seat.weights["token"]) if seat.weights["chairs"] else mine.rates,
    )
    return mine, side_of(seat, opponent, parsed(facts["opponent_forces"]), seat.me)
