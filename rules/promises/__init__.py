"""Holding players to what they answered under Truthtrance about the future (WBC.AID.6 to 12, A-47).

Every question that is asked passes through ``bind``: an answer that would break a standing promise is refused there,
what silence means is mended, and where a promise can no longer be kept that is announced and it falls (WBC.AID.9). A
*no* forbids the act. A *yes* demands it at the decision that is about it, if it can be done then; nobody has to bring
that decision about, nor the condition under which he promised (WBC.AID.7). Of promises that cannot all be kept the
earlier stand.

So no phase looks at promises; only the Voice does, which has to yield to an earlier one (``chapters.battle.promised``).
``standing`` says when a promise matters, ``fulfilment`` which orders do what it is about, ``keeping`` with which it
could be done, ``observation`` what has happened since, and ``last_call`` ends the time of a card that was promised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rules.chapters.battle import promised
from rules.chapters.movement.token_movement import HAJR
from rules.chapters.spice_blow import nexus
from rules.decisions.question import Flow, Question, Stop
from rules.orders import Ally, BreakAlliance, Give, Hajr, Move, Order, Plan
from rules.promises import keeping as ways
from rules.promises import standing
from rules.promises.fulfilment import does
from rules.promises.last_call import last_call
from rules.promises.observation import notice
from rules.promises.standing import forbid
from rules.readings import (
    Act,
    AllyWith,
    Attack,
    Enter,
    GiveSpice,
    LeaveAlliance,
    MoveTo,
    PlayCard,
    ShipTo,
)
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.promises import Promise

__all__ = ["bind", "forbid", "last_call", "mend", "notice", "settle"]

OUTLASTS_THE_ACT = (ShipTo, AllyWith)  # one shipment a turn; an ally may have to be named at more than one nexus


def bind(game: Game, ask: Callable[[], Sequence[Question]]) -> Sequence[Question]:
    """The questions, each with the promises of the one asked; those that cannot be kept any more fall."""
    if not game.state.promises:
        return ask()
    notice(game)
    return [_bound(game, question) for question in ask()]


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
    """What he has promised, beside what he has said; a gift comes before others that might take its spice."""
    owed = tuple(_first_legal(question, ways.ways(game, question, promise.act)))
    said = stop.given[question.key]
    stop.given[question.key] = (*owed, *said) if isinstance(promise.act, GiveSpice) else (*said, *owed)


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


# --- One question ------------------------------------------------------------------------------------------------


def _bound(game: Game, question: Question) -> Question:
    promises = standing.standing(game, question.faction)
    words = [standing.words(promise) for promise in promises if question.kind in standing.kinds(promise)]
    if not words:
        return question
    kept: list[Promise] = []
    for promise in promises:
        if not standing.demands(game, promise, question):
            continue
        if mend(game, question, [*kept, promise]) is not None:
            kept.append(promise)
        elif question.kind != "prescience-answer":
            standing.negate(game, promise)
            words.remove(standing.words(promise))
    about = {**question.facts, "promised": words} if words else question.facts
    if not kept:
        return PromisedQuestion(game, question, about)
    return PromisedQuestion(game, question, about, kept, mend(game, question, kept))


class PromisedQuestion(Question):
    """A question as it is put to somebody whose answer is bound by what they promised."""

    def __init__(
        self,
        game: Game,
        asked: Question,
        facts: Mapping[str, Any],
        kept: Sequence[Promise] = (),
        mended: Order | None = None,
    ) -> None:
        super().__init__(game, asked.faction, asked.subject)
        self._asked, self._facts, self._kept, self._mended = asked, facts, kept, mended
        self.kind, self.takes = asked.kind, asked.takes
        self.public, self.blanket, self.many = asked.public, asked.blanket, asked.many
        self.beside, self.at_once, self.leads_on = asked.beside, asked.at_once, asked.leads_on

    def refusal(self, order: Order) -> Refusal | None:
        return self._asked.refusal(order) or _breach(self.game, self._kept, order)

    @property
    def default(self) -> Order:
        return self._mended or self._asked.default

    def samples(self) -> Sequence[Order]:
        return [order for order in self._asked.samples() if self.refusal(order) is None] or [self.default]

    @property
    def facts(self) -> Mapping[str, Any]:
        return self._facts

    def warnings(self, order: Order) -> Sequence[Refusal]:
        return self._asked.warnings(order)

    def stays_beside(self, earlier: Order, later: Order) -> bool:
        return self._asked.stays_beside(earlier, later)

    def carry_out(self, order: Order) -> Flow:
        return self._asked.carry_out(order)


def mend(game: Game, question: Question, promises: Sequence[Promise]) -> Order | None:
    """What silence means to one who has promised this: the default if it keeps all, else an order that does; None if
    there is none."""

    def fits(order: Order) -> bool:
        whole = not question.warnings(order)
        kept = all(does(game, promise, order) != promise.forbids for promise in promises)
        return kept and question.refusal(order) is None and whole

    if fits(question.default):
        return question.default
    return next(filter(fits, _candidates(game, question, promises)), None)


def _candidates(game: Game, question: Question, promises: Sequence[Promise]) -> Iterator[Order]:
    for promise in promises:
        if not promise.forbids:
            yield from ways.ways(game, question, promise.act)
    battle = game.moments.battle
    if question.kind in standing.PLANS and battle and isinstance(question.default, Plan):
        yield from promised.sketches(game, battle, question.faction, promises, question.default)
    yield from question.samples()


def _first_legal(question: Question, orders: Iterable[Order]) -> list[Order]:
    return [order for order in orders if question.refusal(order) is None][:1]


def _breach(game: Game, promises: Sequence[Promise], order: Order) -> Refusal | None:
    for promise in promises:
        done = does(game, promise, order)
        if promise.forbids and done:
            return standing.broken(promise)
        if not promise.forbids and not done and not _stands_beside(game, promise.act, order):
            return standing.broken(promise)
    return None


def _stands_beside(game: Game, act: Act | None, order: Order) -> bool:
    """Whether the order is not about the act at all, in an answer of several."""
    match act, order:
        case (AllyWith(), BreakAlliance()) | (LeaveAlliance(), Ally()) | (MoveTo() | Enter() | Attack(), Hajr()):
            return True
        case PlayCard(cards), Move():
            return HAJR in cards
        case AllyWith(), Ally():
            return nexus.largest_alliance(game) > 2
        case GiveSpice(faction), Give(_, other):
            return faction != other
    return False
