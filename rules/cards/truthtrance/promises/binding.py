"""A question as it is put to somebody who has promised something (WBC.AID.8, WBC.AID.9, WBC.AID.12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rules.cards.truthtrance.promises import keeping, standing
from rules.cards.truthtrance.promises.fulfilment import does
from rules.cards.truthtrance.promises.noticing import notice
from rules.chapters.battle import promised
from rules.chapters.movement import entering
from rules.chapters.spice_blow import nexus
from rules.components import Faction
from rules.components.board import territory_of
from rules.decisions.question import Flow, Question
from rules.orders import (
    Ally,
    BreakAlliance,
    FamilyAtomics,
    Give,
    Hajr,
    Move,
    NoRevival,
    Order,
    Plan,
    Ship,
    WeatherControl,
)
from rules.orders.readings import (
    Act,
    AllyWith,
    Attack,
    Enter,
    GiveSpice,
    LeaveAlliance,
    MoveTo,
    PlayCard,
    ReviveOneOf,
)
from rules.rulesets.refusal import Refusal
from rules.state.game import Game
from rules.state.promises import Promise


def bind(game: Game, ask: Callable[[], Sequence[Question]]) -> Sequence[Question]:
    """The questions, each with the promises of the one asked; those that cannot be kept any more fall."""
    notice(game)
    return [_bound(game, question) for question in ask()]


def _bound(game: Game, question: Question) -> Question:
    """The question with what its answer must keep; promises that no answer can keep fall."""
    here = [p for p in standing.standing(game, question.faction) if question.kind in standing.kinds(game, p)]
    if not here:
        return question
    kept: list[Promise] = []
    reminded = list(here)
    for promise in here:
        if not standing.demands(game, promise, question):
            continue
        if mend(game, question, [*kept, promise]) is not None:
            kept.append(promise)
        elif question.kind != "prescience-answer":
            standing.negate(game, promise)
            reminded.remove(promise)
    return PromisedQuestion(game, question, reminded, kept)


class PromisedQuestion(Question):
    """A question as it is put to somebody whose answer is bound by what they promised.

    ``reminded`` are the promises that it has to do with, ``kept`` those of them that the answer must keep.
    """

    def __init__(self, game: Game, asked: Question, reminded: Sequence[Promise], kept: Sequence[Promise]) -> None:
        self.kind, self.takes = asked.kind, asked.takes
        super().__init__(game, asked.faction, asked.subject)
        self._asked, self._kept = asked, kept
        self._words = [standing.words(promise) for promise in reminded]
        self._mended = mend(game, asked, kept) if kept else None
        self.public, self.blanket, self.many = asked.public, asked.blanket, asked.many
        self.beside, self.at_once, self.leads_on = asked.beside, asked.at_once, asked.leads_on

    def refusal(self, order: Order) -> Refusal | None:
        owed = [promise for promise in self._kept if promise.forbids or not self._kept_by_a_line(promise, order)]
        return self._asked.refusal(order) or _breach(self.game, owed, order)

    def _kept_by_a_line(self, promise: Promise, order: Order) -> bool:
        """Whether another line of the answer already brings the promised leader back, while this line names another
        leader. If a later message leaves the promised one out, ``settling`` adds it again."""
        if not self.many or not isinstance(promise.act, ReviveOneOf) or isinstance(order, NoRevival):
            return False
        return any(does(self.game, promise, line) for line in self.game.filed.get(self.key, ()))

    @property
    def default(self) -> Order:
        return self._mended or self._asked.default

    def samples(self) -> Sequence[Order]:
        return [order for order in self._asked.samples() if self.refusal(order) is None] or [self.default]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {**self._asked.facts, "promised": self._words} if self._words else self._asked.facts

    def warnings(self, order: Order) -> Sequence[Refusal]:
        return self._asked.warnings(order)

    def stays_beside(self, earlier: Order, later: Order) -> bool:
        return self._asked.stays_beside(earlier, later)

    def answered_by(self, orders: Sequence[Order]) -> bool:
        return self._asked.answered_by(orders)

    def carry_out(self, order: Order) -> Flow:
        return self._asked.carry_out(order)


def mend(game: Game, question: Question, promises: Sequence[Promise]) -> Order | None:
    """What silence means to one who has promised this: the default if it keeps all, else an order that does; None if
    there is none."""

    def fits(order: Order) -> bool:
        whole = not question.warnings(order)
        kept = all(does(game, promise, order) != promise.forbids for promise in promises)
        return (
            kept and question.refusal(order) is None and whole and not _only_on_the_way(game, question.faction, order)
        )

    if fits(question.default):
        return question.default
    return next(filter(fits, _candidates(game, question, promises)), None)


def _only_on_the_way(game: Game, faction: Faction, order: Order) -> bool:
    """Whether the shipment lands where it could not stay, as beside an ally: nobody has promised to go on from there
    (FAQ.TRUTHTRANCE.3)."""
    target = territory_of(order.target) if isinstance(order, Ship) and order.target else None
    return target is not None and entering.barred(game, faction, target) is not None


def _candidates(game: Game, question: Question, promises: Sequence[Promise]) -> Iterator[Order]:
    for promise in promises:
        if not promise.forbids:
            yield from keeping.orders_for(game, question, promise.act)
    battle = game.moments.battle
    if question.kind in standing.PLANS and battle and isinstance(question.default, Plan):
        yield from promised.sketches(game, battle, question.faction, promises, question.default)
    yield from question.samples()


def _breach(game: Game, promises: Sequence[Promise], order: Order) -> Refusal | None:
    for promise in promises:
        done = does(game, promise, order)
        if promise.forbids and done:
            return standing.refusal_of_a_breach(promise)
        if not promise.forbids and not done and not _stands_beside(game, promise.act, order):
            return standing.refusal_of_a_breach(promise)
    return None


def _stands_beside(game: Game, act: Act | None, order: Order) -> bool:
    """Whether an answer of several orders may hold this one although it does nothing for the promised act."""
    match act, order:
        case (AllyWith(), BreakAlliance()) | (LeaveAlliance(), Ally()) | (MoveTo() | Enter() | Attack(), Hajr()):
            return True
        case PlayCard(), Move() | WeatherControl() | FamilyAtomics():
            return True
        case AllyWith(), Ally():
            return nexus.largest_alliance(game) > 2
        case GiveSpice(faction), Give(_, other):
            return faction != other
    return False
