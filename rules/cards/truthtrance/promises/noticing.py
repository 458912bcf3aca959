"""What everybody has heard of: conditions of promises that are met, and acts done out of turn that keep one.

Answers to questions are looked at when their stop ends (``promises.settle``). What a card, a gift or another
player does is found here, in the events that tell of it; so a condition never binds anybody before all know that it is
met (WBC.AID.7, WBC.AID.8).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from rules.cards.truthtrance.promises.fulfilment import in_named_battle
from rules.components import Faction, Forces
from rules.components.board import TerritoryId, territory_of
from rules.decisions.catalogue import rules_of
from rules.orders.readings import (
    KWISATZ_HADERACH,
    Act,
    Allied,
    AllyWith,
    Attack,
    BidFor,
    Buys,
    CallTreachery,
    Comes,
    Does,
    Enter,
    GiveSpice,
    Holds,
    LeaveAlliance,
    MoveTo,
    PlayCard,
    ReviveOneOf,
    ReviveTokens,
    RideWorm,
    SendAdvisor,
    ShipTo,
    Stands,
    TakeCharity,
    UsePrescience,
    UseVoice,
)
from rules.state.events import Event
from rules.state.game import Game
from rules.state.played_cards import card_played
from rules.state.promises import Promise

OUT_OF_TURN = (PlayCard, Enter, Attack, GiveSpice, ReviveTokens, ReviveOneOf)
"""Acts that can be done otherwise than by the answer to the question that decides them."""


def notice(game: Game) -> None:
    """Look at what happened since the last time: conditions met are marked, and what was kept by the way is kept."""
    state = game.state
    for promise in list(state.promises):
        scope = promise.scope
        news = [event for event in _since(game, promise.read_to) if scope.first_turn <= event.turn <= scope.last_turn]
        promise.read_to = state.events
        if promise.condition is not None:
            promise.met = _is_met(game, promise, news)
        if news and _is_kept(game, promise, news):
            state.promises = [other for other in state.promises if other is not promise]


def _since(game: Game, number: int) -> Iterator[Event]:
    """The events from this number on, the last first."""
    return takewhile(lambda event: event.number >= number, reversed(game.events))


def _is_kept(game: Game, promise: Promise, news: Sequence[Event]) -> bool:
    act = promise.act
    if promise.forbids or not promise.binds or not isinstance(act, OUT_OF_TURN) or not in_named_battle(game, promise):
        return False
    return any(shows(game, event, promise.faction, act) for event in news)


def _is_met(game: Game, promise: Promise, news: Sequence[Event]) -> bool:
    """Whether the condition holds: what somebody does stays done, what is so must still be so."""
    state = game.state
    match promise.condition:
        case Allied(one, other):
            return state.allied(one, other)
        case Stands(faction, territory):
            return faction in state.forces_in(territory)
        case Holds(cards):
            return any(game.holds(promise.faction, card) for card in cards)
        case Does(faction, act):
            return promise.met or any(shows(game, event, faction, act) for event in news)
        case Buys(faction, number):
            return promise.met or any(
                event.kind == "card-sold" and event.facts["buyer"] == faction and number in (0, event.facts["number"])
                for event in news
            )
        case Comes(what):
            return promise.met or any(event.kind == what for event in news)
    return True


def shows(game: Game, event: Event, faction: Faction, act: Act) -> bool:
    """Whether the event tells that the faction has done this."""
    facts = event.facts
    match act, event.kind:
        case PlayCard(cards), _:
            return card_played(event.kind, facts, faction) in cards
        case Attack(other, goal), "battle-begins":
            return {facts["aggressor"], facts["defender"]} == {faction, other} and goal in (None, facts["territory"])
        case AllyWith(other), "alliance-formed":
            return faction in facts["factions"] and other in facts["factions"]
        case CallTreachery(), "treachery-called":
            return bool(facts["caller"] == faction)
        case GiveSpice(other, amount), "spice-given" | "spice-set-aside":
            given = facts.get("amount", event.told_to(faction).get("amount", 0))
            pair = (facts["payer"], facts["receiver"], facts["why"])
            return pair == (faction, other, "gift") and amount.holds(given)
    return _is_of(game, event, faction) and _tells_of(event, act)


def _is_of(game: Game, event: Event, faction: Faction) -> bool:
    """Whether the event tells of something that this faction does."""
    if "faction" in event.facts:
        return bool(event.facts["faction"] == faction)
    return event.kind in rules_of(game, faction).unnamed_event_kinds


def _tells_of(event: Event, act: Act) -> bool:
    """Whether the event, which tells what one faction does, tells that it does this."""
    facts = event.facts
    match act, event.kind:
        case BidFor(amount), "bid":
            number = facts["amount"]
            return amount.most is None if number is None else number > 0 and amount.holds(number)
        case ShipTo(goal, amount), "shipment":
            there = territory_of(facts["target"]) if facts["target"] else None
            return goal in (None, there) and amount.holds(_tokens(facts["forces"]))
        case MoveTo(goal, amount), "move":
            return goal in (None, territory_of(facts["target"])) and amount.holds(_tokens(facts["forces"]))
        case Enter(goal), _:
            return _arrival(event) == goal
        case SendAdvisor(goal), "advisor":
            return goal in (None, territory_of(facts["area"]))
        case RideWorm(goal), "worm-ridden":
            return goal in (None, territory_of(facts["target"]))
        case ReviveTokens(amount), "tokens-revived" | "ghola-tokens":
            return amount.holds(_tokens(facts["forces"]))
        case ReviveOneOf(leaders), "leader-revived" | "ghola-leader":
            return facts["leader"] in leaders
        case ReviveOneOf(leaders), "kwisatz-haderach-revived" | "ghola-kwisatz-haderach":
            return KWISATZ_HADERACH in leaders
        case UsePrescience(elements), "prescience-asked":
            return facts["element"] in elements
        case (LeaveAlliance(), "alliance-broken") | (TakeCharity(), "charity") | (UseVoice(), "voice-given"):
            return True
    return False


def _arrival(event: Event) -> TerritoryId | None:
    """The territory that tokens come to with this event."""
    facts = event.facts
    match event.kind:
        case "shipment" if facts["target"]:
            return territory_of(facts["target"])
        case "move" | "worm-ridden":
            return territory_of(facts["target"])
        case "advisor":
            return territory_of(facts["area"])
    return None


def _tokens(forces: str) -> int:
    return Forces.parse(forces).total
