"""What a stop leaves of promises: what is still owed is put in, and what has been kept is done with."""

from __future__ import annotations

from collections.abc import Iterable

from rules.cards.truthtrance.promises import keeping, standing
from rules.cards.truthtrance.promises.fulfilment import does
from rules.decisions.question import Question, Stop
from rules.orders import Order, Plan
from rules.orders.readings import (
    AllyWith,
    GiveSpice,
    PlayCard,
    ShipTo,
)
from rules.state.game import Game
from rules.state.promises import Promise

OUTLASTS_THE_ACT = (ShipTo, AllyWith)  # one shipment a turn; an ally may have to be named at more than one nexus


def settle(game: Game, stop: Stop) -> bool:
    """A stop is over: put in what an answer of several orders still owes, and drop what has been kept. A gift put in
    asks its receiver: whether the stop is open again."""
    gifts_put_in = False
    for key in list(stop.given):
        question = stop.open[key]
        for promise in standing.standing(game, question.faction):
            if promise.forbids or not standing.concerns(game, promise, question):
                continue
            done = any(does(game, promise, order) for order in stop.given[key])
            if question.many and not done and standing.demands(game, promise, question):
                _put_in(game, stop, question, promise)
            if _is_kept(game, promise, question, stop):
                game.state.promises.remove(promise)
        if question.kind == "transfer" and game.filed.get(key) != stop.given[key]:
            game.filed[key] = stop.given[key]
            gifts_put_in = True
    if any(question.kind == "nexus" for question in stop.open.values()):
        game.state.promises = [promise for promise in game.state.promises if not promise.scope.nexus]
    if gifts_put_in:
        stop.rebuild()
    return gifts_put_in


def _put_in(game: Game, stop: Stop, question: Question, promise: Promise) -> None:
    """Put the promised orders before those given, as other gifts might take their spice and other allies their
    place."""
    owed = tuple(_first_legal(question, keeping.orders_for(game, question, promise.act)))
    stop.given[question.key] = (*owed, *stop.given[question.key])


def _is_kept(game: Game, promise: Promise, question: Question, stop: Stop) -> bool:
    """Whether the act is done for good; a plan without a leader may have to be made anew (AH.QA.B.7-b)."""
    given = [order for orders in stop.given.values() for order in orders]
    if isinstance(promise.act, OUTLASTS_THE_ACT) or question.kind == "prescience-answer":
        return False
    by_itself = isinstance(promise.act, PlayCard) and question.kind not in standing.PLANS
    if by_itself or isinstance(promise.act, GiveSpice):
        return False  # a Karama may only have been meant, a gift be taken back: it is done when all hear of it
    if any(isinstance(order, Plan) and order.leader is None for order in given):
        return False
    return any(does(game, promise, order) for order in stop.given[question.key])


def _first_legal(question: Question, orders: Iterable[Order]) -> list[Order]:
    return [order for order in orders if question.refusal(order) is None][:1]
