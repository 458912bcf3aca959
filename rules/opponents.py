"""Computer opponents: each automatic seat receives only what it may see, and its choices are carried out.

This module is the only link between a game in play and ``rules.players``. It passes on the seat's view of the position,
its private knowledge, the events reported to it, and the question without the full position.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rules.components import Faction
from rules.decisions.question import Question
from rules.engine.play import Play
from rules.orders import ANSWERS, Order
from rules.players import (
    POLICIES,
    Asked,
    Heard,
    House,
    Knowledge,
    Memory,
    Seat,
    Temperament,
    choose,
    may_react,
    sent_along,
    weights_of,
)
from rules.state.events import Event
from rules.views import known, view


def heard_by(events: Sequence[Event], seat: Faction) -> list[Heard]:
    return [Heard(e.turn, e.phase, e.kind, e.seen_by(seat)) for e in events if e.visible_to(seat)]


def asked_of(play: Play, question: Question) -> Asked:
    def permits(order: Order) -> bool:
        plays = question.kind == "karama-window" and type(order) not in ANSWERS
        return (plays or question.fits(order)) and question.refusal(order) is None

    return Asked(
        question.kind,
        question.subject,
        question.facts,
        question.default,
        question.samples,
        permits,
        play.number_of(question),
    )


@dataclass(slots=True)
class Opponent:
    """A seat played by the computer. ``secret`` is the seed of its own random numbers, which are separate from the
    game's. ``numbers``, if given, replace the weights of its temperament in experiments."""

    faction: Faction
    temperament: Temperament
    secret: str
    numbers: Mapping[str, float] | None = None
    memory: Memory = field(init=False)
    _read: int = 0
    _last: Event | None = None

    def __post_init__(self) -> None:
        self.memory = Memory(self.faction)

    def orders(self, play: Play, question: Question, events: Sequence[Event] | None = None) -> list[Order]:
        """Return the orders with which the seat would answer, the best first. ``events`` are all events of the game.
        They must be given if the events that ``play`` holds do not go back to the beginning."""
        self._recall(play.events if events is None else events)
        asked = asked_of(play, question)
        return choose(asked, self.seat(play, asked), self.temperament)

    def beside(self, play: Play, question: Question, order: Order) -> list[Order]:
        if question.kind != "movement":
            return []
        asked = asked_of(play, question)
        return sent_along(asked, self.seat(play, asked), order, self.temperament)

    def seat(self, play: Play, asked: Asked) -> Seat:
        seen = view(play, self.faction)
        moment = (seen["turn"], seen["phase"], asked.kind, asked.subject, asked.number)
        knowledge = Knowledge(seen, known(play, self.faction), House.of(play.game.rules), self.memory)
        numbers = self.numbers or weights_of(self.temperament)
        return Seat(self.faction, knowledge, ".".join(map(str, (self.secret, *moment))), numbers)

    def _recall(self, events: Sequence[Event]) -> None:
        if len(events) < self._read or (self._read and events[self._read - 1] != self._last):  # something was undone
            self.memory, self._read = Memory(self.faction), 0
        self.memory.learn(heard_by(events[self._read :], self.faction))
        self._read, self._last = len(events), events[-1] if events else None


Seats = Mapping[Faction, Opponent]


def answer(play: Play, opponent: Opponent, question: Question, events: Sequence[Event] | None = None) -> Order | None:
    for order in opponent.orders(play, question, events):
        beside = opponent.beside(play, question, order)
        if order == question.default and not beside:
            break
        outcome, *_ = play.submit(opponent.faction, [order, *beside])
        if outcome.status != "refused":
            return order
    play.expire([question.key])
    return None


def _decides(play: Play, question: Question) -> bool:
    if question.kind == "karama-window":
        return may_react(play.state.players[question.faction].hand, question.faction)
    return question.kind in POLICIES


def answer_next(play: Play, seats: Seats) -> bool:
    """Apply the default at once to all questions that these seats do not decide. If there is no such question, let one
    seat answer its next question. Return whether any of these seats had an open question."""
    waiting = [question for question in play.questions() if question.faction in seats]
    left = [question.key for question in waiting if question.waived or not _decides(play, question)]
    if left:
        play.expire(left)
    elif waiting:
        answer(play, seats[waiting[0].faction], waiting[0])
    play.advance()
    return bool(waiting)
