"""A seat: exactly the knowledge on which a player's decision is based.

A seat is created for every decision, from four things that its player may see: the view of the position, the seat's
private knowledge (``rules.views.known``), the events reported to it, and the public numbers of the rule set. It never
contains a position, a question or another player's cards. So if two positions look the same to a player, they give the
same seat, and the same orders.

The *memory* is computed from the events, one after another, and is not stored anywhere. It does not matter whether all
events are read at once or some of them later. The memory keeps what a careful player would note down: spice that was
paid openly, cards that were shown, leaders that proved loyal, and players who have not moved yet.

Random numbers come from the seat's own seed, never from the game's. Each decision has its own numbers, which depend on
its turn, phase, kind and number, so the choice is the same again after a restart or an undo.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from rules.components import FACTION_FACTS, LEADERS, Card, Faction, Forces, Leader, leader_strength, leaders_of
from rules.components.board import (
    SHIELD_WALL,
    STRONGHOLDS,
    Area,
    TerritoryId,
    sector_of,
    sheltered,
    territory_of,
)
from rules.components.chance import Chance
from rules.orders import Order, QuestionKind
from rules.rulesets.ruleset import RuleSet, treachery_deck

UNFORESEEN = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""The exceptions raised when a policy reads facts of a rule set or faction for which it was not designed."""
MOST_TRIES = 64
"""The maximum number of orders that one decision may check, so that checks cannot be used to extract information."""


class Asked(NamedTuple):
    """A question as its player sees it. ``permits`` returns whether an order would be accepted, like ``mentat order
    check``. ``number`` distinguishes several questions of the same kind in one phase."""

    kind: QuestionKind
    subject: str
    facts: Mapping[str, Any]
    default: Order
    samples: Callable[[], Sequence[Order]]
    permits: Callable[[Order], bool]
    number: int = 1


class Heard(NamedTuple):
    turn: int
    phase: str
    kind: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class House:
    turns: int
    alone: int
    allied: int
    member_adds: bool
    paid_strength: bool
    stars_count: bool
    city_income: bool
    wall_from_worms: int | None
    fremen_fight_free: bool
    all_discards_seen: bool
    deck: tuple[Card, ...]

    @staticmethod
    @lru_cache(maxsize=32)
    def of(rules: RuleSet) -> House:
        option = rules.option
        wall = {"none": None, "longer_game_territory": 0, "wbc": 6}[str(option("shield_wall_rule"))]
        extra = int(str(option("solo_strongholds_extra")))
        alone = 4 if wall == 0 else min(3 + extra, 5)
        return House(
            turns=int(str(option("max_turns"))),
            alone=alone,
            allied=alone if option("alliance_strongholds") == "three" else max(4, alone),
            member_adds=option("alliance_strongholds") == "members_plus_two",
            paid_strength=option("combat_model") == "spice_supported",
            stars_count=option("starred_tokens") == "elite",
            city_income=option("city_income") in (True, "on"),
            wall_from_worms=wall,
            fremen_fight_free=str(option("fremen_support")).startswith("free"),
            all_discards_seen=option("discards_visible") == "all",
            deck=tuple(treachery_deck(rules)),
        )


@dataclass(slots=True)
class Memory:
    """The notes of the seat's player so far. ``learn`` adds notes from the next events."""

    seat: Faction
    events: int = 0
    turn: int = 1
    phase: str = "setup"
    spice: dict[Faction, int] = field(default_factory=dict)
    counts: dict[Faction, int] = field(default_factory=dict)
    cards: dict[Faction, list[Card]] = field(default_factory=dict)
    discards: list[Card] = field(default_factory=list)
    order: list[Faction] = field(default_factory=list)
    shipped: set[Faction] = field(default_factory=set)
    moved: set[Faction] = field(default_factory=set)
    loyal: set[tuple[Leader, Faction]] = field(default_factory=set)
    bought: set[tuple[Leader, Faction]] = field(default_factory=set)
    dealt: list[Leader] = field(default_factory=list)
    marker: int | None = None
    on_sale: Card | None = None
    battles: Counter[Faction] = field(default_factory=Counter)
    fought: set[Faction] = field(default_factory=set)
    voice: Mapping[str, Any] | None = None
    shown: Mapping[str, Any] | None = None
    battle: Mapping[str, Any] | None = None
    looked_at: Faction | None = None
    last_shipment: Mapping[str, Any] | None = None
    open: list[Card] = field(default_factory=list)  # the seat's own cards that everybody has seen

    def learn(self, events: Iterable[Heard]) -> None:
        for event in events:
            self.events += 1
            self.turn, self.phase = event.turn, event.phase
            note = _NOTES.get(event.kind)
            if note is not None:
                with suppress(*UNFORESEEN):
                    note(self, event.facts)

    def _pay(self, faction: Faction, amount: int) -> None:
        if faction in self.spice:
            self.spice[faction] = max(0, self.spice[faction] + amount)

    def _loses(self, faction: Faction, card: Card) -> None:
        self.counts[faction] = max(0, self.counts.get(faction, 0) - 1)
        if card in self.cards.get(faction, ()):
            self.cards[faction].remove(card)
        if faction == self.seat and card in self.open:
            self.open.remove(card)
        self.discards.append(card)


def _set_up(memory: Memory, facts: Mapping[str, Any]) -> None:
    memory.spice = dict(facts["spice"])
    memory.counts = dict.fromkeys(facts["seats"], 0)
    memory.cards = {faction: [] for faction in facts["seats"]}


def _sold(memory: Memory, facts: Mapping[str, Any]) -> None:
    memory.on_sale, card = None, memory.on_sale
    buyer = facts["buyer"]
    memory.counts[buyer] = memory.counts.get(buyer, 0) + 1
    if card is not None and buyer != memory.seat:
        memory.cards.setdefault(buyer, []).append(card)
    if not facts.get("karama"):
        memory._pay(buyer, -facts["price"])
        if facts.get("to_emperor") and buyer != "emperor":
            memory._pay("emperor", facts["price"])


def _shipped(memory: Memory, facts: Mapping[str, Any]) -> None:
    memory.shipped.add(facts["faction"])
    memory.last_shipment = facts
    memory._pay(facts["faction"], -facts["price"])
    memory._pay(facts["paid_to"], facts["price"])


def _plans(memory: Memory, facts: Mapping[str, Any]) -> None:
    sides = [plan["faction"] for plan in facts["plans"]]
    for plan in facts["plans"]:
        faction = plan["faction"]
        memory._pay(faction, -plan["spice"])
        memory.battles[faction] += 1
        memory.fought.add(faction)
        known = memory.open if faction == memory.seat else memory.cards.setdefault(faction, [])
        for card in (plan["weapon"], plan["defense"]):
            if card and card not in known:
                known.append(card)
        for other in sides:
            if plan["leader"] and other != faction:
                memory.loyal.add((plan["leader"], other))


def _lose_cards(memory: Memory, facts: Mapping[str, Any]) -> None:
    for card in facts["cards"]:
        memory._loses(facts["faction"], card)


def _begin_phase_of_moves(memory: Memory, facts: Mapping[str, Any]) -> None:
    memory.order = list(facts["order"])
    memory.shipped, memory.moved, memory.fought = set(), set(), set()


def _free_card(memory: Memory, facts: Mapping[str, Any]) -> None:
    memory.counts["harkonnen"] = memory.counts.get("harkonnen", 0) + 1


def _battle_begins(memory: Memory, facts: Mapping[str, Any]) -> None:
    memory.voice = memory.shown = memory.looked_at = None
    memory.battle = facts


def _truth(memory: Memory, facts: Mapping[str, Any]) -> None:
    asked = _TRAITOR.fullmatch(facts["question"])
    if asked and asked[1] in LEADERS and not facts.get("negative") and facts["answer"] in ("yes", "no"):
        about = (Leader(asked[1]), facts["target"])
        (memory.bought if facts["answer"] == "yes" else memory.loyal).add(about)


_TRAITOR = re.compile(r"Is (.+) your traitor\?", re.IGNORECASE)


def _given(memory: Memory, facts: Mapping[str, Any]) -> None:
    amount = facts.get("amount", 0)
    memory._pay(facts["payer"], -amount)
    memory._pay(facts["receiver"], amount)


_NOTES: Mapping[str, Callable[[Memory, Mapping[str, Any]], None]] = {
    "game-set-up": _set_up,
    "traitors-drawn": lambda memory, facts: memory.dealt.extend(facts.get("leaders", ())),
    "cards-dealt": lambda memory, facts: memory.counts.update(facts.get("hands", {})),
    "bidding-begins": lambda memory, facts: memory.counts.update(facts.get("hands", {})),
    "card-up": lambda memory, facts: setattr(memory, "on_sale", facts.get("card")),
    "card-sold": _sold,
    "free-card": _free_card,
    "shipment": _shipped,
    "no-shipment": lambda memory, facts: memory.shipped.add(facts["faction"]),
    "move": lambda memory, facts: None if facts["hajr"] else memory.moved.add(facts["faction"]),
    "no-move": lambda memory, facts: memory.moved.add(facts["faction"]),
    "order-of-play": _begin_phase_of_moves,
    "battle-begins": _battle_begins,
    "voice-given": lambda memory, facts: setattr(memory, "voice", facts),
    "prescience-asked": lambda memory, facts: setattr(memory, "looked_at", facts["target"]),
    "prescience-answered": lambda memory, facts: setattr(memory, "shown", facts if "answer" in facts else None),
    "plans-revealed": _plans,
    "cards-discarded": _lose_cards,
    "karama-played": lambda memory, facts: memory._loses(facts["faction"], facts["card"]),
    "treachery-reshuffled": lambda memory, facts: memory.discards.clear(),
    "spice-collected": lambda memory, facts: memory._pay(facts["faction"], facts["amount"]),
    "income": lambda memory, facts: memory._pay(facts["faction"], facts["amount"]),
    "charity": lambda memory, facts: memory._pay(facts["faction"], facts["amount"]),
    "leaders-paid": lambda memory, facts: memory._pay(facts["faction"], facts["spice"]),
    "tokens-revived": lambda memory, facts: memory._pay(facts["faction"], -facts["price"]),
    "leader-revived": lambda memory, facts: memory._pay(facts["faction"], -facts["price"]),
    "captive-killed": lambda memory, facts: memory._pay("harkonnen", facts["spice"]),
    "storm-marker-drawn": lambda memory, facts: setattr(memory, "marker", facts.get("marker")),
    "spice-given": _given,
    "truthtrance-answered": _truth,
}


@lru_cache(maxsize=2048)
def parsed(text: str) -> Forces:
    return Forces.parse(text)


class Knowledge(NamedTuple):
    """The knowledge of a seat: the view, its private knowledge, the numbers of the rule set, and its memory."""

    view: Mapping[str, Any]
    known: Mapping[str, Any]
    house: House
    memory: Memory


class Seat:
    """Everything that a policy may use. ``weights`` are the numbers of the seat's temperament, and ``seed`` is the seed
    for this one decision."""

    def __init__(self, me: Faction, knowledge: Knowledge, seed: str, weights: Mapping[str, float]) -> None:
        self.me = me
        self.view, self.known, self.house, self.memory = knowledge
        view = self.view
        self.weights = self._given = weights
        self.turn: int = view["turn"]
        self.phase: str = view["phase"]
        self.storm: int = view["storm"]
        self.players: tuple[Faction, ...] = tuple(view["players"])
        own = view["players"][me]
        self.spice: int = own["spice"] or 0
        self.hand: tuple[Card, ...] = tuple(own["hand"] or ())
        self.allies: tuple[Faction, ...] = tuple(a for a in own["ally"].split(", ") if a)
        self.last_turn: int = view.get("last_turn") or self.house.turns
        self.turns_left = self.last_turn - self.turn
        self.seed = seed
        self.chance = Chance(seed, {})
        if weights["chairs"]:
            self.weights = self._by_means()

    def _by_means(self) -> Mapping[str, float]:
        """Return the weights, adjusted to the seat's needs. If it has more spice than it needs to ship its reserves,
        spice counts less and tokens count more. If it has reserves but not the spice to ship them, it bids less for
        cards."""
        rich = self.spice - self.reserves[self.me] - 6
        more = self.weights["means"] * max(0, min(20, rich))
        bid = self.weights["bid"] * (self.weights["poor"] if rich < -12 else 1.0)
        changed = {"spice": self.weights["spice"] - more, "token": self.weights["token"] + more, "bid": bid}
        return {**self.weights, **changed, "reserve": self.weights["reserve"] + more}

    # --- players -----------------------------------------------------------------------------------------------------

    def friends(self, faction: Faction) -> bool:
        return faction == self.me or faction in self.allies

    @cached_property
    def sides(self) -> Mapping[Faction, tuple[Faction, ...]]:
        whole = {faction: (faction,) for faction in self.players}
        for group in self.view["alliances"]:
            whole.update(dict.fromkeys(group, tuple(group)))
        return whole

    def with_alliances(self, alliances: Sequence[Sequence[Faction]]) -> Seat:
        allies = next((group for group in alliances if self.me in group), ())
        own = {**self.view["players"][self.me], "ally": ", ".join(one for one in allies if one != self.me)}
        view = {**self.view, "alliances": alliances, "players": {**self.view["players"], self.me: own}}
        return Seat(self.me, Knowledge(view, self.known, self.house, self.memory), "", self._given)

    def again(self) -> Seat:
        """Return the same seat before it has drawn any random number, so that several alternatives can be tried with
        the same luck."""
        return Seat(self.me, Knowledge(self.view, self.known, self.house, self.memory), self.seed, self._given)

    def in_the_chair_of(self, other: Faction, hand: Sequence[Card]) -> Seat:
        """Return another player's seat as far as this seat can infer it, assuming that ``hand`` is that player's
        hand."""
        players = self.view["players"]
        mine = {**players[self.me], "spice": None, "hand": None, "reserves": None}
        theirs = {**players[other], "spice": self.purse(other), "hand": hand}
        theirs["reserves"] = str(Forces(self.reserves[other]))
        view = {**self.view, "players": {**players, self.me: mine, other: theirs}}
        memory = replace(self.memory, seat=other, dealt=[], cards={**self.memory.cards, self.me: self.memory.open})
        weights = {**self._given, "chairs": 0.0, "joins": 0.0}
        return Seat(other, Knowledge(view, {}, self.house, memory), f"{self.seed} {hand}", weights)

    def needed(self, side: Sequence[Faction]) -> int:
        if len(side) == 1:
            return self.house.alone
        return len(side) + 2 if self.house.member_adds else self.house.allied

    # --- the board ---------------------------------------------------------------------------------------------------

    @cached_property
    def strongholds(self) -> tuple[TerritoryId, ...]:
        wall = self.house.wall_from_worms
        if wall is not None and self.view["worms_seen"] >= wall:
            return (*STRONGHOLDS, SHIELD_WALL)
        return STRONGHOLDS

    @cached_property
    def apart(self) -> frozenset[TerritoryId]:
        """The territories in which tokens stand apart from others, so that they neither fight nor hold anything."""
        return frozenset(self.view["coexisting"])

    @cached_property
    def stands_apart(self) -> Faction:
        return "bene-gesserit"

    @cached_property
    def areas(self) -> Mapping[Area, Mapping[Faction, Forces]]:
        return {
            area: {faction: parsed(text) for faction, text in here.items()}
            for area, here in self.view["forces"].items()
        }

    @cached_property
    def groups(self) -> Mapping[TerritoryId, Mapping[Faction, Forces]]:
        found: dict[TerritoryId, dict[Faction, Forces]] = {}
        for area, here in self.areas.items():
            place = territory_of(area)
            for faction, forces in here.items():
                if place in self.apart and faction == self.stands_apart:
                    continue
                there = found.setdefault(place, {})
                there[faction] = there[faction] + forces if faction in there else forces
        return found

    @cached_property
    def own_areas(self) -> Sequence[tuple[Area, Forces]]:
        return [(area, here[self.me]) for area, here in self.areas.items() if self.me in here]

    @cached_property
    def spice_on_board(self) -> Mapping[Area, int]:
        return dict(self.view["spice"])

    def storm_risk(self, area: Area) -> float:
        """The chance that the next storm kills tokens that stay in this area."""
        sector = sector_of(area)
        if sector is None or sheltered(territory_of(area), self.view["shield_wall"]):
            return 0.0
        distance = (sector - self.storm) % 18
        reach = self.known.get("next_storm") or self.memory.marker
        if reach:
            return 1.0 if 0 < distance <= reach else 0.0
        return max(0.0, (7 - distance) / 6) if distance else 0.0

    # --- estimates about others --------------------------------------------------------------------------------------

    def purse(self, faction: Faction) -> int:
        if faction == self.me:
            return self.spice
        seen = self.view["players"][faction]["spice"]
        return seen if seen is not None else self.memory.spice.get(faction, 5)

    @cached_property
    def reserves(self) -> Mapping[Faction, int]:
        """The number of tokens that each faction has in reserve. For other factions these are all tokens that are
        neither on the board nor in the tanks."""
        placed: Counter[Faction] = Counter()
        for here in self.areas.values():
            for faction, forces in here.items():
                placed[faction] += forces.total
        found = {}
        for faction in self.players:
            own = self.view["players"][faction]["reserves"]
            tanks = parsed(self.view["players"][faction]["tanks"]).total
            total = FACTION_FACTS[faction].forces.total
            found[faction] = parsed(own).total if own is not None else max(0, total - placed[faction] - tanks)
        return found

    def cards_held(self, faction: Faction) -> int:
        seen = self.view["players"][faction]["hand_count"]
        return seen if seen is not None else self.memory.counts.get(faction, 2)

    @cached_property
    def unseen(self) -> Sequence[Card]:
        left = Counter(self.house.deck)
        left.subtract(self.hand)
        left.subtract(self.view["set_aside"])
        left.subtract(self.view["discard"] if self.house.all_discards_seen else self.memory.discards)
        for faction, cards in self.memory.cards.items():
            if faction != self.me:
                left.subtract(cards)
        return [card for card, number in sorted(left.items()) for _ in range(max(0, number))]

    def known_cards(self, faction: Faction) -> Sequence[Card]:
        if faction == self.me:
            return self.hand
        seen = self.view["players"][faction]["hand"]
        return tuple(seen) if seen is not None else tuple(self.memory.cards.get(faction, ()))

    def leaders(self, faction: Faction) -> Sequence[tuple[Leader, int]]:
        standing = self.view["players"][faction]["leaders"]
        able = [leader for leader in leaders_of(faction) if standing.get(leader) == "ready"]
        if faction == self.me:
            able += list(self.known.get("captured") or ())
        return sorted(((leader, leader_strength(leader)) for leader in able), key=lambda one: (-one[1], one[0]))

    def traitor_risk(self, leader: str, opponent: Faction) -> float:
        if leader not in LEADERS or leader in self.memory.dealt:
            return 0.0
        if (leader, opponent) in self.memory.loyal:
            return 0.01
        if (leader, opponent) in self.memory.bought:
            return 0.95
        strength = LEADERS[Leader(leader)].strength
        if opponent == "harkonnen":
            return 0.15
        return 0.07 if strength >= 4 else 0.02

    @cached_property
    def yet_to_move(self) -> Sequence[Faction]:
        if self.phase in ("battle", "collection", "mentat"):
            return ()
        order = self.memory.order or list(self.players)
        started = self.phase == "movement"
        waiting = [f for f in order if not self.friends(f) and not (started and f in self.memory.moved)]
        return waiting

    @cached_property
    def ally_to_move(self) -> Faction | None:
        if self.phase in ("battle", "collection", "mentat"):
            return None
        return next((ally for ally in self.allies if self.phase != "movement" or ally not in self.memory.moved), None)

    @cached_property
    def paid(self) -> frozenset[str]:
        """The leaders of other factions who are traitors in this seat's pay."""
        return frozenset(self.known.get("traitors") or ())
