"""A game at the first stop of a phase, and functions to give orders, let time pass and look at events."""

from __future__ import annotations

from typing import Any

from rules.components import Faction
from rules.decisions.question import Question
from rules.engine.play import Play
from rules.orders import Order
from rules.positions.position import position
from rules.state.events import Event


def at(phase: str, ruleset: str = "wbc-2018", turn: int = 4, **start: Any) -> Play:
    """Return a game at the first stop of a phase. ``start`` has the same keys as in the rulings."""
    play = position({"ruleset": ruleset, "start": {"turn": turn, "phase": phase, **start}}).play()
    play.begin_phase(play.state.phase)
    play.settle()
    return play


def say(play: Play, faction: Faction, *orders: Order) -> None:
    """Give orders, all of which must be accepted."""
    for outcome in play.submit(faction, orders):
        assert outcome.refusal is None, outcome


def silence(play: Play) -> None:
    """Let all questions take their default until none is open."""
    while play.questions():
        play.expire()


def spice_round(ruleset: str = "wbc-2018", **start: Any) -> Play:
    return at("spice", ruleset, **{"storm": 4, **start})


def until(play: Play, kind: str) -> list[Question]:
    """Let questions take their default until one of this kind is open, and return those. Return none if the phase ends
    first."""
    while not play.phase_over:
        if found := [question for question in play.questions() if question.kind == kind]:
            return found
        play.expire()
    return []


def told(play: Play, kind: str) -> list[Event]:
    """Return the events of this kind so far."""
    return [event for event in play.events if event.kind == kind]
