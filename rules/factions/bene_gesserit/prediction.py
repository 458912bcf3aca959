"""The prediction: another player and the turn of their victory, written down before the game (AH.SHIELD.BG.1,
WBC.III.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.chapters.setup import MAX_TURNS
from rules.components import Faction, faction_name
from rules.decisions.asking import ask_one
from rules.decisions.never_legal import not_theirs
from rules.decisions.question import Flow, Question
from rules.orders import Order, Predict
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.state import Prediction


def predict(game: Game, faction: Faction) -> Flow:
    """Ask for the prediction; a silent player's is drawn at random."""
    others, turns = _others(game, faction), _turns(game)
    if not others or game.state.prediction is not None:
        return
    silent = Predict(game.chance.pick("prediction", others), turns[game.chance.draw("prediction", len(turns))])
    order = yield from ask_one(PredictionQuestion(game, faction, silent))
    if isinstance(order, Predict):
        game.state.prediction = Prediction(order.faction, order.turn)
        game.tell("prediction-made", private={faction: {"faction": order.faction, "of_turn": order.turn}})


class PredictionQuestion(Question):
    """Who will win, and in which turn?"""

    kind = "prediction"
    only_refusal = Refusal("Only the Bene Gesserit predict.", "setup.prediction")

    def __init__(self, game: Game, faction: Faction, silent: Predict) -> None:
        super().__init__(game, faction)
        self._silent = silent

    def refusal(self, order: Order) -> Refusal | None:
        return _prediction_refusal(self.game, self.faction, order)

    @classmethod
    def refusal_ahead(cls, game: Game, faction: Faction, order: Order) -> Refusal | None:
        if refusal := not_theirs(game, faction, cls):
            return refusal
        if game.state.prediction is not None:
            return Refusal("Your prediction is written down and cannot be changed.", "setup.prediction")
        return _prediction_refusal(game, faction, order)

    @property
    def default(self) -> Order:
        return self._silent

    def samples(self) -> list[Predict]:
        return [Predict(other, turn) for other in _others(self.game, self.faction) for turn in _turns(self.game)]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"factions": _others(self.game, self.faction), "turns": MAX_TURNS(self.game.rules)}


def _others(game: Game, faction: Faction) -> list[Faction]:
    return [other for other in game.state.players if other != faction]


def _turns(game: Game) -> range:
    return range(1, MAX_TURNS(game.rules) + 1)


def _prediction_refusal(game: Game, faction: Faction, order: Order) -> Refusal | None:
    """Why this cannot be what the faction predicts."""
    if not isinstance(order, Predict):
        return Refusal("Name a player and a turn.", "setup.prediction")
    if order.faction == faction:
        return Refusal("You predict the victory of another player, not your own.", "setup.prediction")
    if not game.plays(order.faction):
        return Refusal(f"{faction_name(order.faction)} is not played in this game.", "setup.prediction")
    last = MAX_TURNS(game.rules)
    if not 1 <= order.turn <= last:
        return Refusal(f"The game has the turns 1 to {last}; it has no turn {order.turn}.", "setup.prediction")
    return None


QUESTIONS = (PredictionQuestion,)
