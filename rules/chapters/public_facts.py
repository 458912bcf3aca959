"""The public facts on which the conditions of deals depend (``rules.orders.readings``).

Facts about the board and the table are checked in the current position. Acts are counted from the public events since
the deal was made, and only for the current turn: "has shipped" means this turn. If a fact has no value now, or is not
public in this game (such as the number of cards in a hand), neither a condition about it nor the opposite condition is
true.

Options determine what is public where the documents differ (AH.XIII.B, WBC.VIII.20, WBC.X.28).

At any stop, players may show their secrets, to everybody or to some players (AH.XIII.A, WBC.MISC.3, GF9.SECRECY.1,
FAQ.SECRECY.1). Mentat guarantees that what they show is true. Only the players to whom it is shown learn about it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import takewhile
from typing import Any

from rules.chapters import occupancy
from rules.components import FACTION_FACTS, LEADERS, Card, Faction, Forces, Leader, the_faction
from rules.components.board import TerritoryId, territory_of
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow
from rules.orders import Show, Shown
from rules.orders.readings import NUMBERS, DealCondition, EachOf, FactName, NotSo, OneOf, PublicFact, facts_of
from rules.rulesets.options import Option
from rules.rulesets.rulebook import Refusal
from rules.rulesets.ruleset import RuleSet
from rules.state.events import card_played
from rules.state.game import Game
from rules.state.state import State, Terms

Value = int | None
"""A truth value or a number; None if it cannot be known."""


def condition_is_true(game: Game, condition: DealCondition, counts: Mapping[str, int]) -> bool | None:
    match condition:
        case PublicFact(name, about, least, most):
            value = _value(game, name, about, counts)
            if value is None or name not in NUMBERS:
                return None if value is None else bool(value)
            return least <= value and (most is None or value <= most)
        case NotSo(part):
            value = condition_is_true(game, part, counts)
            return None if value is None else not value
        case EachOf(parts):
            return _combined(game, parts, counts, decisive=False)
        case OneOf(parts):
            return _combined(game, parts, counts, decisive=True)


def _combined(game: Game, parts: Sequence[DealCondition], counts: Mapping[str, int], *, decisive: bool) -> bool | None:
    """Combine the parts of an "and" (``decisive`` is false) or of an "or" (``decisive`` is true). If any part equals
    ``decisive``, that is the result. Otherwise the result is None if any part is unknown, else the opposite of
    ``decisive``."""
    values = [condition_is_true(game, part, counts) for part in parts]
    if decisive in values:
        return decisive
    return None if None in values else not decisive


def _value(game: Game, name: FactName, about: Sequence[str], counts: Mapping[str, int]) -> Value:
    if now := _NOW.get(name):
        return now(game, *about)
    return counts.get(_key(name, about), 0)


def factions_in(fact: PublicFact) -> list[Faction]:
    named = [word for word in fact.about if word in FACTION_FACTS]
    return named + [LEADERS[Leader(word)].faction for word in fact.about if word in LEADERS]


# --- current facts ---------------------------------------------------------------------------------------------------


def _tokens(game: Game, faction: Faction, territory: TerritoryId) -> int:
    there = game.state.forces_in(territory).get(faction)
    return there.total if there else 0


def _spice_in(game: Game, territory: TerritoryId) -> int:
    return sum(amount for area, amount in game.state.spice.items() if territory_of(area) == territory)


def _strongholds(game: Game, faction: Faction) -> int:
    held = [there for there in game.strongholds() if faction in game.state.forces_in(there)]
    return sum(1 for there in held if rules_of(game, faction).is_occupant(game, there))


def _is_dead(game: Game, leader: Leader) -> Value:
    standing = game.state.leaders.get(leader)
    if standing is None or standing.seen_by:
        return None if standing is None else False
    return standing.status != "ready"


def _in_discard(game: Game, card: Card) -> Value:
    pile = game.state.treachery_discard
    if card in (pile if ALL_DISCARDS_SEEN(game.rules) else pile[-1:]):
        return True
    return False if ALL_DISCARDS_SEEN(game.rules) else None


def _hand_count(game: Game, faction: Faction) -> Value:
    return len(game.player(faction).hand) if hand_counts_seen(game.state, game.rules) else None


def _fighters(game: Game) -> Sequence[Faction]:
    battle = game.moments.battle
    return battle.sides if battle else ()


def _fight_each_other(game: Game, one: Faction, other: Faction) -> bool:
    return one != other and {one, other} == set(_fighters(game))


def _battle_in(game: Game, territory: TerritoryId) -> bool:
    battle = game.moments.battle
    return battle is not None and battle.territory == territory


_NOW: Mapping[FactName, Callable[..., Value]] = {
    "turn": lambda game: game.state.turn,
    "phase": lambda game, phase: game.state.phase == phase,
    "storm": lambda game: game.state.storm,
    "worms": lambda game: game.state.worms_seen,
    "wall-destroyed": lambda game: not game.state.shield_wall,
    "tokens": _tokens,
    "stands-in": lambda game, faction, territory: _tokens(game, faction, territory) > 0,
    "empty": lambda game, territory: not game.state.forces_in(territory),
    "spice-in": _spice_in,
    "strongholds": _strongholds,
    "tanks": lambda game, faction: game.player(faction).tanks.total,
    "dead": _is_dead,
    "allied": lambda game, faction: len(game.state.ally_group(faction)) > 1,
    "allied-with": lambda game, one, other: game.state.allied(one, other),
    "ornithopters": lambda game, faction: faction in occupancy.visible_ornithopters(game),
    "hand-count": _hand_count,
    "discarded": _in_discard,
    "fighting": lambda game, faction: faction in _fighters(game),
    "fighting-with": _fight_each_other,
    "battle-in": _battle_in,
    "attacking": lambda game, faction: _fighters(game)[:1] == (faction,),
    "defending": lambda game, faction: _fighters(game)[1:] == (faction,),
}


# --- acts of this turn -----------------------------------------------------------------------------------------------


def count_facts(game: Game, terms: Terms) -> None:
    state = game.state
    if terms.counted_in != state.turn:
        terms.counts, terms.counted_in = {}, state.turn
    conditions = [condition for condition in (terms.condition, terms.broken_if) if condition is not None]
    asked = {_key(fact.name, fact.about): fact for one in conditions for fact in facts_of(one) if fact.name in _DONE}
    for event in reversed(list(takewhile(lambda event: event.number >= terms.read_to, reversed(game.events)))):
        if asked and event.turn == state.turn and event.audience is None:
            for key, fact in asked.items():
                if done := _DONE[fact.name](event.kind, event.facts, *fact.about):
                    terms.counts[key] = terms.counts.get(key, 0) + done
    terms.read_to = state.events


def _key(name: FactName, about: Sequence[str]) -> str:
    return " ".join((name, *about))


Facts = Mapping[str, Any]


def _counting_journeys(*kinds: str, to: bool = False, counted: bool = False) -> Callable[..., int]:
    """Return a function that counts a faction's shipments or moves. With ``counted`` it counts the tokens that went;
    with ``to`` it counts only journeys to one territory."""

    def went(kind: str, facts: Facts, faction: Faction, territory: TerritoryId | None = None) -> int:
        if kind not in kinds or facts["faction"] != faction or facts["target"] is None:
            return 0
        if to and territory_of(facts["target"]) != territory:
            return 0
        return Forces.parse(facts["forces"]).total if counted else 1

    return went


def _counting_events(*kinds: str, who: str = "faction", **wanted: object) -> Callable[..., int]:
    """Return a function that counts the events of these kinds that have the wanted facts. ``who`` is the key under
    which an event names the acting faction."""

    def told(kind: str, facts: Facts, faction: Faction) -> int:
        return int(kind in kinds and facts[who] == faction and all(facts[k] == v for k, v in wanted.items()))

    return told


def _battle(who: str) -> Callable[..., int]:
    def fought(kind: str, facts: Facts, faction: Faction, territory: TerritoryId | None = None) -> int:
        return int(kind == "battle-won" and facts[who] == faction and territory in (None, facts["territory"]))

    return fought


def _worm(kind: str, facts: Facts, territory: TerritoryId | None = None) -> int:
    appeared = kind in ("worm-appeared", "worm-placed", "worm-called")
    return int(appeared and territory in (None, facts["territory"]))


def _played(kind: str, facts: Facts, faction: Faction, card: Card) -> int:
    if kind == "plans-revealed":
        plans = [plan for plan in facts["plans"] if plan["faction"] == faction]
        return int(any(card in (plan["weapon"], plan["defense"], plan["leader"]) for plan in plans))
    return int(card_played(kind, facts, faction) == card)


def _past_move(kind: str, facts: Facts, faction: Faction) -> int:
    return int(kind in ("move", "no-move") and facts["faction"] == faction and not facts.get("hajr"))


_DONE: Mapping[FactName, Callable[..., int]] = {
    "has-bought": _counting_events("card-sold", who="buyer"),
    "bought": _counting_events("card-sold", who="buyer"),
    "broke-alliance": _counting_events("alliance-broken"),
    "charity": _counting_events("charity"),
    "played": _played,
    "nexus": lambda kind, facts: int(kind == "nexus"),
    "worm": _worm,
    "worm-in": _worm,
    "shipped": _counting_journeys("shipment"),
    "shipped-to": _counting_journeys("shipment", to=True),
    "tokens-shipped": _counting_journeys("shipment", counted=True),
    "tokens-shipped-to": _counting_journeys("shipment", to=True, counted=True),
    "moved": _counting_journeys("move"),
    "moved-to": _counting_journeys("move", to=True),
    "past-move": _past_move,
    "past-shipment": _counting_events("shipment", "no-shipment"),
    "battles-won": _battle("winner"),
    "won-in": _battle("winner"),
    "lost-in": _battle("loser"),
    "asked": _counting_events("truthtrance-asked", who="target"),
    "answered-yes": _counting_events("truthtrance-answered", who="target", answer="yes"),
    "answered-no": _counting_events("truthtrance-answered", who="target", answer="no"),
    "answered-unknown": _counting_events("truthtrance-answered", who="target", answer="unknown"),
}


ALL_DISCARDS_SEEN = Option("discards_visible", {"all": True, "top_card": False})
HAND_COUNTS_SEEN = Option("hand_counts_public", {"always": True, "bidding_only": False}, usual="bidding_only")
CAPTIVES_SEEN = Option("captive_identity", {"public": True, "secret": False})
USED_LEADERS_STAY = Option("used_leader_display", {"stays_until_battles_end": True, "returned": False})

MAY_BE_SHOWN: Option[Collection[str]] = Option(
    "what_may_be_shown",
    {
        "holdings": ("cards", "hand", "traitors", "spice", "reserves"),
        "everything": ("cards", "hand", "traitors", "spice", "reserves", "prediction"),
    },
)


def hand_counts_seen(state: State, rules: RuleSet) -> bool:
    return HAND_COUNTS_SEEN(rules) or state.phase == "bidding"


def leaders_on_board(state: State, rules: RuleSet) -> dict[TerritoryId, list[Leader]]:
    """Return the leaders on the board, by territory: in some rule sets, leaders stay where they fought until all
    battles are over (GF9.BATTLE.21)."""
    found: dict[TerritoryId, list[Leader]] = {}
    if state.phase == "battle" and USED_LEADERS_STAY(rules):
        for leader, standing in state.leaders.items():
            if standing.fought_in is not None:
                found.setdefault(standing.fought_in, []).append(leader)
    return found


# --- secrets shown by players ----------------------------------------------------------------------------------------


def refuse_show(game: Game, faction: Faction, order: Show) -> Refusal | None:
    if refusal := never_shown(game, faction, order):
        return refusal
    player = game.player(faction)
    if missing := Counter(order.cards) - Counter(player.hand):
        return Refusal(f"You do not hold {next(iter(missing))}.", "secrecy.showing")
    if order.what == "traitors" and not player.traitors:
        return Refusal("You have no traitor.", "secrecy.showing")
    if order.what == "prediction" and rules_of(game, faction).prediction(game) is None:
        return Refusal("You have made no prediction.", "secrecy.showing")
    return None


def never_shown(game: Game, faction: Faction, order: Show) -> Refusal | None:
    if order.what not in MAY_BE_SHOWN(game.rules):
        why = "Reserves, cards, spice and traitors may be shown here; a prediction stays secret."
        return Refusal(why, "secrecy.showing")
    if order.what == "cards" and not order.cards:
        return Refusal("Name the cards that you want to show, or “hand”.", "secrecy.showing")
    for reader in order.readers:
        if reader == faction:
            return Refusal("That is you; name another faction.", "secrecy.showing")
        if not game.plays(reader):
            return Refusal(f"Nobody plays {the_faction(reader)} in this game.", "secrecy.showing")
    return None


def show(game: Game, faction: Faction, order: Show) -> Flow:
    yield from ()
    audience = {faction, *order.readers} if order.readers else None
    readers = [reader for reader in game.state.players if reader in order.readers]
    game.tell("shown", audience=audience, faction=faction, what=order.what, to=readers, **_shown(game, faction, order))


def _shown(game: Game, faction: Faction, order: Show) -> Mapping[str, Any]:
    player, prediction = game.player(faction), rules_of(game, faction).prediction(game)
    facts: Mapping[Shown, Mapping[str, Any]] = {
        "cards": {"cards": list(order.cards)},
        "hand": {"cards": sorted(player.hand)},
        "traitors": {"traitors": sorted(player.traitors)},
        "spice": {"spice": player.spice},
        "reserves": {"reserves": str(player.reserves)},
        "prediction": {"predicted": prediction.faction, "in_turn": prediction.turn} if prediction else {},
    }
    return facts[order.what]
