"""The knowledge that one seat may have at one stop: all facts that a condition can ask for, no others (AH.XIII.A).

Everything comes from the seat's view, its own secrets, and those events of this turn that it may see, such as the
auction (AH.VIII) and the battle (AH.X). A sheet is evaluated at every stop at which it may act, so each piece of
knowledge is computed only when a condition asks for it. None stands for something that does not exist now or that the
seat cannot know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rules.chapters.public_facts import ALL_DISCARDS_SEEN
from rules.components import LEADERS, Card, Faction, Forces, Leader
from rules.components.board import STRONGHOLDS, Area, TerritoryId, territory_of
from rules.decisions.question import Question
from rules.orders import Element, PhaseName, QuestionKind
from rules.state.events import Event
from rules.views import Seen, known, view


class Knowledge:
    def __init__(self, play: Seen, faction: Faction, happened: Sequence[Event], question: Question | None) -> None:
        self.faction = faction
        self._play, self._events, self._question = play, happened, question

    @property
    def turn(self) -> int:
        return self._play.state.turn

    @property
    def phase(self) -> PhaseName:
        return self._play.state.phase

    @cached_property
    def view(self) -> Mapping[str, Any]:
        return view(self._play, self.faction)

    @cached_property
    def secrets(self) -> Mapping[str, Any]:
        return known(self._play, self.faction)

    @cached_property
    def happened(self) -> Sequence[SeenEvent]:
        return events_seen_by(self.faction, self._events, self.turn)

    @cached_property
    def _by_kind(self) -> Mapping[str, list[Mapping[str, Any]]]:
        kinds: dict[str, list[Mapping[str, Any]]] = {}
        for told in self.happened:
            kinds.setdefault(told.kind, []).append(told.facts)
        return kinds

    def told(self, *kinds: str) -> list[Mapping[str, Any]]:
        return [facts for kind in kinds for facts in self._by_kind.get(kind, ())]

    # --- the players ---------------------------------------------------------------------------------------------

    def player(self, faction: Faction) -> Mapping[str, Any]:
        seen: Mapping[str, Any] = self.view["players"].get(faction, {})
        return seen

    @property
    def spice(self) -> int:
        return int(self.player(self.faction)["spice"])

    @property
    def hand(self) -> Sequence[Card]:
        cards: Sequence[Card] = self.player(self.faction)["hand"]
        return cards

    def hand_count(self, faction: Faction) -> int | None:
        count: int | None = self.player(faction).get("hand_count")
        return count

    @property
    def reserves(self) -> int:
        return Forces.parse(self.player(self.faction)["reserves"]).total

    def tanks(self, faction: Faction) -> int:
        return Forces.parse(self.player(faction).get("tanks", "0")).total

    @property
    def winning_leader(self) -> str | None:
        """Return the leader with whom the battle was won, while this seat is asked whether to reveal a face dancer;
        else None."""
        asked = self._question
        return str(asked.facts["leader"]) if asked is not None and asked.kind == "face-dancer" else None

    def leader_is_dead(self, leader: Leader) -> bool | None:
        standing = self.player(LEADERS[leader].faction).get("leaders", {}).get(leader)
        return None if standing is None else standing in ("dead", "face-down")

    def allies(self, faction: Faction) -> Sequence[Faction]:
        return [ally for group in self.view["alliances"] if faction in group for ally in group if ally != faction]

    # --- the board -----------------------------------------------------------------------------------------------

    @cached_property
    def _tokens(self) -> Mapping[tuple[Faction, TerritoryId], int]:
        tokens: dict[tuple[Faction, TerritoryId], int] = {}
        for area, here in self.view["forces"].items():
            for faction, forces in here.items():
                place = (faction, territory_of(area))
                tokens[place] = tokens.get(place, 0) + Forces.parse(forces).total
        return tokens

    def tokens(self, faction: Faction, territory: TerritoryId) -> int:
        return self._tokens.get((faction, territory), 0)

    def is_empty(self, territory: TerritoryId) -> bool:
        return not any(there == territory for _, there in self._tokens)

    def strongholds(self, faction: Faction) -> int:
        """Count the strongholds that the faction occupies; coexisting advisors do not count."""
        coexisting = self.view["coexisting"] if faction == "bene-gesserit" else ()
        return sum(1 for there in STRONGHOLDS if (faction, there) in self._tokens and there not in coexisting)

    def spice_in(self, territory: TerritoryId) -> int:
        return sum(amount for area, amount in self.view["spice"].items() if territory_of(area) == territory)

    def in_discard(self, card: Card) -> bool | None:
        """Return True if the card is in the discard pile, and None if only the top card is visible and is different."""
        if card in self.view["discard"]:
            return True
        return False if ALL_DISCARDS_SEEN(self._play.game.rules) else None

    # --- bidding and battle --------------------------------------------------------------------------------------

    @cached_property
    def auction(self) -> Auction | None:
        return auction_of(self.happened) if self.phase == "bidding" else None

    @cached_property
    def battle(self) -> Battle | None:
        choosing = self._question is not None and self._question.kind == "battle-order"
        return battle_of(self.happened) if self.phase == "battle" and not choosing else None

    # --- the question and the window -----------------------------------------------------------------------------

    @property
    def asked_for(self) -> QuestionKind | None:
        return self._question.kind if self._question else None

    @property
    def question_number(self) -> int | None:
        """Return the number of the open question among the seat's questions of its kind in this phase, from 1."""
        return self._play.number_of(self._question) if self._question else None

    @cached_property
    def waited_for(self) -> frozenset[tuple[Faction, QuestionKind]]:
        seen = self.view["questions"]
        return frozenset((q["faction"], q["kind"]) for q in seen if q["faction"] not in (None, self.faction))

    @property
    def about(self) -> Mapping[str, Any]:
        return self._question.facts if self._question else {}

    @property
    def window(self) -> str:
        """Return what the open Karama window lets players react to; "" if no window is open."""
        return str(self.about.get("why", "")) if self._question and self._question.kind == "karama-window" else ""

    # --- shipment and movement -----------------------------------------------------------------------------------

    def shipped(self, faction: Faction, territory: TerritoryId | None = None) -> int:
        return _total(
            facts
            for facts in self.told("shipment")
            if facts["faction"] == faction and _is_there(facts["target"], territory)
        )

    def moved(self, faction: Faction, territory: TerritoryId | None = None) -> int:
        return _total(
            facts
            for facts in self.told("move")
            if facts["faction"] == faction and _is_there(facts["target"], territory)
        )

    def is_past_shipment(self, faction: Faction) -> bool:
        return any(facts["faction"] == faction for facts in self.told("shipment", "no-shipment"))

    def is_past_slot(self, faction: Faction) -> bool:
        """Return True if the faction has moved, or declined to, this turn. A move made with a Hajr does not count."""
        return any(facts["faction"] == faction and not facts.get("hajr") for facts in self.told("move", "no-move"))


def knowledge_of(play: Seen, faction: Faction, happened: Sequence[Event], question: Question | None) -> Knowledge:
    """Return a seat's knowledge at this stop. `happened` are all events of the game; this function leaves out those of
    earlier turns and those hidden from the seat. `question` is the one for the sheet to answer, or None."""
    return Knowledge(play, faction, happened, question)


def _is_there(target: Area | None, territory: TerritoryId | None) -> bool:
    return target is not None and (territory is None or territory_of(target) == territory)


def _total(shipments: Iterable[Mapping[str, Any]]) -> int:
    return sum(Forces.parse(facts["forces"]).total for facts in shipments)


@dataclass(slots=True)
class Auction:
    """The auction of the current card, which is number `number` of the `of` cards on offer this turn. `card` is set
    only if the seat has looked at the card."""

    number: int
    of: int
    card: Card | None = None
    bids: list[tuple[Faction, int | None]] = field(default_factory=list)  # None beats every number
    passed: set[Faction] = field(default_factory=set)  # factions whose last word on this card was a pass

    @property
    def left(self) -> int:
        return self.of - self.number + 1

    @property
    def price(self) -> int | None:
        """Return the bid to beat: 0 if nobody has bid, None for a bid that no number can beat."""
        return self.bids[-1][1] if self.bids else 0

    @property
    def top_bidder(self) -> Faction | None:
        return self.bids[-1][0] if self.bids else None


def auction_of(happened: Sequence[SeenEvent]) -> Auction | None:
    auction: Auction | None = None
    for told in happened:
        facts = told.facts
        if told.kind == "card-up":
            auction = Auction(facts["number"], facts["of"], facts.get("card"))
        elif auction is None:
            continue
        elif told.kind == "bid":
            auction.bids.append((facts["faction"], facts["amount"]))
            auction.passed.discard(facts["faction"])
        elif told.kind == "passed":
            auction.passed.add(facts["faction"])
        elif told.kind == "sale-void":
            auction.bids = [bid for bid in auction.bids if bid[0] != facts["faction"]]
    return auction


@dataclass(frozen=True, slots=True)
class VoiceCommand:
    target: Faction
    kind: str
    play: bool


@dataclass(slots=True)
class Battle:
    """The latest battle. `voice` and `asked` are the Voice command and the prescience question in force; `cancelled`
    names the powers that a Karama has stopped. `seen` holds the factions whose plans this seat saw before they were
    revealed."""

    territory: TerritoryId
    aggressor: Faction
    defender: Faction
    voice: VoiceCommand | None = None
    asked: tuple[Faction, Element] | None = None
    cancelled: set[str] = field(default_factory=set)  # "voice", "prescience", "kwisatz haderach", ...
    seen: set[Faction] = field(default_factory=set)

    @property
    def sides(self) -> tuple[Faction, Faction]:
        return (self.aggressor, self.defender)

    def commands(self, faction: Faction) -> VoiceCommand | None:
        return self.voice if self.voice and self.voice.target == faction and "voice" not in self.cancelled else None

    def asks(self, faction: Faction) -> Element | None:
        return self.asked[1] if self.asked and self.asked[0] == faction and "prescience" not in self.cancelled else None


def battle_of(happened: Sequence[SeenEvent]) -> Battle | None:
    battle: Battle | None = None
    for told in happened:
        facts = told.facts
        if told.kind == "battle-begins":
            battle = Battle(facts["territory"], facts["aggressor"], facts["defender"])
        elif battle is None:
            continue
        elif told.kind == "voice-given":
            battle.voice = VoiceCommand(facts["target"], facts["card"], facts["play"])
        elif told.kind == "prescience-asked":
            battle.asked = (facts["target"], facts["element"])
        elif told.kind == "cancelled":
            battle.cancelled.add(facts["what"])
        elif told.kind == "plan-laid-open" or (told.kind == "plan-seen" and "plan" in facts):
            battle.seen.add(facts["target"])
    return battle


@dataclass(frozen=True, slots=True)
class SeenEvent:
    kind: str
    phase: PhaseName
    facts: Mapping[str, Any]


def events_seen_by(faction: Faction, happened: Sequence[Event], turn: int) -> Sequence[SeenEvent]:
    return [
        SeenEvent(event.kind, event.phase, event.seen_by(faction))
        for event in happened
        if event.turn == turn and event.visible_to(faction)
    ]
