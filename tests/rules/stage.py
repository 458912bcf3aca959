"""A game at the first stop of a phase, and what a test does there: say, be silent, look what was told."""

from __future__ import annotations

from typing import Any

from rules.components import Faction
from rules.decisions.question import Question
from rules.engine.play import Play
from rules.orders import Order
from rules.positions.position import position
from rules.state.events import Event


def at(phase: str, ruleset: str = "wbc-2018", turn: int = 4, **start: Any) -> Play:
    """A game at the first stop of a phase; ``start`` as in the rulings."""
    play = position({"ruleset": ruleset, "start": {"turn": turn, "phase": phase, **start}}).play()
    play.begin_phase(play.state.phase)
    play.settle()
    return play


def say(play: Play, faction: Faction, *orders: Order) -> None:
    """Orders that are all taken."""
    for outcome in play.submit(faction, orders):
        assert outcome.refusal is None, outcome


def silence(play: Play) -> None:
    """Nobody says anything until nothing is asked any more."""
    while play.questions():
        play.expire()


def spice_round(ruleset: str = "wbc-2018", **start: Any) -> Play:
    """A game at the first stop of a spice round."""
    return at("spice", ruleset, **{"storm": 4, **start})


def until(play: Play, kind: str) -> list[Question]:
    """The open questions of this kind, when silence has come so far; none if the phase ends before."""
    while not play.phase_over:
        if found := [question for question in play.questions() if question.kind == kind]:
            return found
        play.expire()
    return []


def told(play: Play, kind: str) -> list[Event]:
    """The events of this kind so far."""
    return [event for event in play.events if event.kind == kind]
