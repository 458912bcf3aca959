"""What a reading means in the position in which the question is put: which turn, which battle, which card.

A time that is not named is this turn, or the next if the phase in which such an act is done is over. What is said of a
battle or a card where none is on, of a turn that is over, or of a power that the one asked has not got, nobody can
check.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from msgspec.structs import replace

from rules.chapters.setup import MAX_TURNS
from rules.components import CARDS, Faction
from rules.decisions.catalogue import rules_of
from rules.orders import PhaseName, QuestionKind
from rules.orders.readings import (
    Act,
    AllyWith,
    AnyAct,
    Attack,
    BidFor,
    Buys,
    CallTreachery,
    Condition,
    Dial,
    Enter,
    GiveSpice,
    Lead,
    LeaveAlliance,
    Matter,
    MoveTo,
    Occasion,
    PlayCard,
    Reading,
    ReviveOneOf,
    ReviveTokens,
    RideWorm,
    SendAdvisor,
    ShipTo,
    TakeCharity,
    UsePrescience,
    UseVoice,
)
from rules.rulesets.box import not_in
from rules.state.game import Game
from rules.state.promises import Scope

_PHASES: tuple[PhaseName, ...] = tuple(phase for phase in get_args(PhaseName) if phase not in ("setup", "over"))


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an answer would promise: the act, None where it is not one that can be checked; when it holds; and what has
    to happen first."""

    act: AnyAct | None
    scope: Scope
    condition: Condition | None = None


def meaning(game: Game, target: Faction, reading: Reading) -> Meaning:
    """What an answer of the target to this question would promise now."""
    occasion, act = reading.occasion, _with_cards_of_this_game(game, reading.act)
    scope = _scope(game, target, occasion, act)
    if act is None:
        return Meaning(None, scope or Scope(*_turns(game, occasion, None)))
    if scope is None or scope.first_turn < game.state.turn or not _has_power(game, target, act):
        return Meaning(None, Scope(*_turns(game, occasion, None)))
    condition = _condition(game, reading.condition)
    if condition is None and reading.condition is not None:
        return Meaning(None, Scope(*_turns(game, occasion, None)))
    return Meaning(act, scope, condition)


def _scope(game: Game, target: Faction, occasion: Occasion, act: AnyAct | None) -> Scope | None:
    """When the act counts; None where the battle or the card that is meant is not there."""
    first, last = _turns(game, occasion, act)
    territory, opponent, card = occasion.territory, occasion.opponent, occasion.card
    if occasion.this_battle:
        battle = game.moments.battle
        if battle is None or target not in battle.sides:
            return None
        territory, opponent = territory or battle.territory, opponent or battle.opponent(target)
    if occasion.this_card:
        auction = game.moments.auction
        if auction is None or not auction.number:
            return None
        card = auction.number
    elsewhere = occasion.only_against and act is not None and _may_be_played_anywhere(game, target, act)
    in_battle = occasion.in_battle and not elsewhere
    return Scope(first, last, in_battle, territory, opponent, card, occasion.nexus)


def _turns(game: Game, occasion: Occasion, act: AnyAct | None) -> tuple[int, int]:
    turn = game.state.turn
    match occasion.turn:
        case int(number):
            return number, number
        case "next":
            return turn + 1, turn + 1
        case "this game":
            return turn, MAX_TURNS(game.rules)
        case "usual" if act is not None and _PHASES.index(_phase(act)) < _place(game):
            return turn + 1, turn + 1
    return turn, turn


def _place(game: Game) -> int:
    phase = game.state.phase
    return _PHASES.index(phase) if phase in _PHASES else 0


def _phase(act: Act) -> PhaseName:
    """The phase in which the act is usually done; what can be done at any time is done in the last."""
    match act:
        case AllyWith() | LeaveAlliance() | RideWorm():
            return "spice"
        case TakeCharity():
            return "charity"
        case BidFor():
            return "bidding"
        case ReviveTokens():
            return "revival"
        case ShipTo() | MoveTo() | Enter() | Attack() | SendAdvisor() | ReviveOneOf():
            return "movement"
        case Lead() | Dial() | CallTreachery() | UseVoice() | UsePrescience():
            return "battle"
        case GiveSpice():
            return "collection"
        case PlayCard(cards) if all(CARDS[card].battle_plan for card in cards):
            return "battle"
    return "mentat"


def _with_cards_of_this_game(game: Game, act: AnyAct | None) -> AnyAct | None:
    """The act with only those cards that are in this game: the name of a kind of cards is read as all of the kind,
    those of expansions too."""
    if not isinstance(act, PlayCard):
        return act
    there = tuple(card for card in act.cards if card not in not_in(game.rules))
    return replace(act, cards=there) if there else act


def _condition(game: Game, condition: Condition | None) -> Condition | None:
    """The condition with the card of the auction that is meant; None where there is none."""
    if isinstance(condition, Buys) and condition.this_card:
        auction = game.moments.auction
        return replace(condition, card=auction.number, this_card=False) if auction and auction.number else None
    return condition


def _has_power(game: Game, target: Faction, act: AnyAct) -> bool:
    """False for an act by a power that the target does not have."""
    match act:
        case UseVoice():
            return rules_of(game, target).has_voice(game)
        case UsePrescience():
            return rules_of(game, target).has_prescience(game)
    return True


def _may_be_played_anywhere(game: Game, target: Faction, act: Act) -> bool:
    """Whether it is a card that can be played against somebody outside battles too: a Karama, a Truthtrance."""
    if not isinstance(act, PlayCard):
        return False
    as_karama = rules_of(game, target).serve_as_karama(game)
    return any(not CARDS[card].battle_plan or card in as_karama for card in act.cards)


# --- What nobody can check -----------------------------------------------------------------------------------------

DECIDED_AT: dict[Matter, tuple[QuestionKind, ...]] = {
    "alliance": ("nexus",),
    "bid": ("bid",),
    "revival": ("revival",),
    "shipment": ("shipment",),
    "movement": ("movement",),
    "worm": ("worm-ride", "worm-placement"),
    "battle": ("battle-plan", "battle-order"),
    "treachery": ("traitor-call",),
    "peace": ("bg-status", "intrusion"),
    "voice": ("voice",),
    "prescience": ("prescience",),
    "spice": ("transfer",),
}
"""The kinds of question at which a matter is decided."""


def remind_at(reading: Reading) -> list[QuestionKind]:
    """The kinds of question at which an answer that nobody can check is to be remembered."""
    return [kind for matter in reading.matters for kind in DECIDED_AT[matter]]
