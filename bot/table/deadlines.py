"""Deadlines: until when each question stays open, and who is to be reminded of it.

A question keeps its deadline for as long as it stands, answered or not: what others see of it may not change when it
is answered. A card or power that has to be dealt with first stops the clock of the questions below it, and they have
at least half their time left when they come back. An offer between two players stands beside the game and keeps its own
time, whatever the game waits for meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from bot.clock.settings import GameClock
from bot.table.table import Deadline, Deadlines, Place, State, Table, place_of
from rules.decisions.question import Question
from rules.engine.play import Play

Delays = dict[Place, datetime]
"""Until when at the earliest the answers to questions are due now."""


def standing(known: Deadlines, play: Play, now: datetime, clock: GameClock) -> Deadlines:
    """Each question that is open or answered at a stop that still stands, and its deadline."""
    below = set(play.stop_names[:-1])
    current: Deadlines = {
        place: replace(deadline, state="suspended") for place, deadline in known.items() if place[0] in below
    }
    asked: list[tuple[Question, State]] = [(question, "open") for question in play.questions()]
    asked += [(question, "answered") for question, _ in play.answered()]
    for question, state in asked:
        place = place_of(play, question)
        old = known.get(place)
        if old is None:
            due = _first_due(known, place, question) or clock.due(question, now)
            until = clock.until(question, due)
            current[place] = Deadline(due, until, now, clock.duty(question), state)
        elif old.state == "suspended" or (old.missed and state == "open"):
            again = clock.due_again(question, now)  # answered or not: nobody may notice which
            silence = clock.until(question, again)
            current[place] = replace(old, due=max(old.due, again), until=max(old.until, silence), state=state)
        else:
            current[place] = replace(old, state=state)
    return current


def _first_due(known: Deadlines, place: Place, question: Question) -> datetime | None:
    """When a question is due that comes up, unseen by others, at a stop that stands: with the rest of the stop."""
    if question.public or question.at_once:
        return None
    return max((deadline.due for (stop, _), deadline in known.items() if stop == place[0]), default=None)


def postponed(table: Table, places: Iterable[Place], until: datetime) -> Deadlines:
    """Those of these questions whose answers would be due earlier than this, with their later deadline. The grace after
    them stays as long as it was."""
    return {
        place: _due_later(table.deadlines[place], until)
        for place in places
        if place in table.deadlines and table.deadlines[place].due < until
    }


def given_back(known: Deadlines, clock: GameClock, since: datetime, back: datetime) -> Deadlines:
    """The deadlines after the clocks stood still for a time: each question has as much time left as it had then. One
    that came up meanwhile has all of it; one whose announced time was over, the rest of its grace."""
    current = dict(known)
    for place, deadline in known.items():
        stood = max(since, deadline.asked_at) if deadline.asked_at else since
        if deadline.due > stood:
            current[place] = _due_later(deadline, clock.later(deadline.due, stood, back))
        elif deadline.until > stood:
            current[place] = replace(deadline, until=deadline.until + (back - stood))
    return current


def overdue(known: Deadlines, play: Play, now: datetime) -> list[Place]:
    """The questions that can be answered now and whose time is up."""
    places = [place_of(play, question) for question in play.questions()]
    return [place for place in places if place in known and known[place].until <= now]


def note_missed(known: Deadlines, places: Iterable[Place]) -> None:
    """Silence has answered these questions."""
    for place in places:
        known[place] = replace(known[place], missed=True)


def _due_later(deadline: Deadline, due: datetime) -> Deadline:
    grace = deadline.until - deadline.due
    return replace(deadline, due=due, until=due + grace)
