"""Whether a fact that a question is about is true in the position (AH.AID.TIMED.1-b, WBC.AID.4)."""

from __future__ import annotations

from collections.abc import Sequence

from rules.components import Faction
from rules.decisions.catalogue import rules_of
from rules.orders.readings import (
    AnyFact,
    Captured,
    HandFull,
    InDisguise,
    InHand,
    InPay,
    OwnsSpice,
    OwnsTokens,
    Predicted,
)
from rules.state.game import Game


def truth(game: Game, target: Faction, facts: Sequence[AnyFact]) -> bool | None:
    """Whether all of it is true of the one asked; None where the question is about no fact."""
    return all(is_true(game, target, fact) for fact in facts) if facts else None


def is_true(game: Game, target: Faction, fact: AnyFact) -> bool:
    """Whether one fact is true of the one asked."""
    player = game.player(target)
    match fact:
        case InHand(cards, amount):
            return amount.holds(sum(cards is None or card in cards for card in player.hand))
        case HandFull():
            return game.hand_full(target)
        case InPay(leaders):
            return not set(leaders).isdisjoint(player.traitors)
        case InDisguise(leaders):
            return not set(leaders).isdisjoint(rules_of(game, target).face_dancers(game))
        case Captured(leaders):
            return not set(leaders).isdisjoint(player.captured)
        case Predicted():
            return _has_predicted(game, target, fact)
        case OwnsSpice(amount):
            return amount.holds(player.spice)
        case OwnsTokens(where, amount):
            return amount.holds((player.tanks if where == "tanks" else player.reserves).total)


def _has_predicted(game: Game, target: Faction, fact: Predicted) -> bool:
    """Whom, when, or both; who makes no prediction has predicted nothing."""
    prediction = rules_of(game, target).prediction(game)
    if prediction is None:
        return False
    in_turn = not fact.turns or any(turns.holds(prediction.turn) for turns in fact.turns)
    return in_turn and (not fact.factions or prediction.faction in fact.factions)
