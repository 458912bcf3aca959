"""A finished game, step by step, as each viewer saw it.

The log is played again, and after each event, and once more when what an entry decided is done with, the position is
looked at with the eyes of everybody (``rules.views``). That room alone says who may see what.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from bot.archive.given import Finished
from bot.record.lines import Act, Decided, Head
from rules import views
from rules.chapters.movement import ornithopters
from rules.engine.log import Entry
from rules.engine.play import Play
from rules.engine.rule_sets import load_rule_set
from rules.orders import PhaseName
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Event, Viewer
from rules.state.game import Game
from rules.state.state import State

View = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a game. ``number`` counts them from 0, ``entry`` the entries of the log (-1 before the first).

    ``event`` is what was told. The last event of a decision shows the position at the decision's end, with the
    questions that are asked next; in the middle of one nobody is asked anything. Where a decision told nothing, or has
    gone on into another phase without a word, a step without an event ends it, if anybody sees anything new.

    ``views`` has the view of everybody with what only they know (``views.known``) under ``known``. It is the same
    object as in the step before where nothing changed, and so is each part of it.
    """

    number: int
    turn: int
    phase: PhaseName
    entry: int
    event: Event | None
    views: Mapping[Viewer, View]


def rules_of(game: Finished) -> RuleSet:
    """The rule set that the game was played by, with its own options."""
    head = head_of(game)
    return load_rule_set(head.ruleset).with_options(head.options)


def head_of(game: Finished) -> Head:
    """The first line of its record."""
    head = game.lines[0]
    assert isinstance(head, Head), "a record begins with its head"
    return head


def decided(game: Finished) -> list[Entry]:
    """The log of the game as it counted in the end: what a rollback undid is left out."""
    log: list[Entry] = []
    for line in game.lines:
        if isinstance(line, Decided):
            log.append(line.entry)
        elif isinstance(line, Act) and line.what == "rollback" and line.entries is not None:
            del log[line.entries :]
    return log


def steps(game: Finished, seed: str) -> Iterator[Step]:
    """Every step of the game, in order. ValueError if its log does not play."""
    head = head_of(game)
    watched = _Watched.start(rules_of(game), seed, dict(head.seats))
    yield from watched.decided()
    for number, entry in enumerate(decided(game)):
        watched.entry = number
        watched.replay([entry])
        yield from watched.decided()


class _Telling(Game):
    """A game that lets the position be looked at after each event."""

    __slots__ = ("told",)
    told: _Watched

    def tell(self, kind: str, **facts: Any) -> None:
        super().tell(kind, **facts)
        self.told.look(self.events[-1])


class _Watched(Play):
    """A game that is looked at after each of its events."""

    __slots__ = ("_key", "_last", "_seen", "_steps", "_taken", "entry")

    def __init__(self, rules: RuleSet, seed: str, state: State, entries_before: int = 0) -> None:
        super().__init__(rules, seed, state, entries_before)
        self.entry = -1
        self._key: object = None
        self._seen: Mapping[Viewer, View] = {}
        self._last: Mapping[Viewer, View] = {}
        self._steps: list[Step] = []
        self._taken = 0
        telling = _Telling(rules, seed, state)
        telling.told = self
        self.game = telling

    def look(self, event: Event) -> None:
        """Note the position as it is after an event."""
        key = self._position()
        if key != self._key:
            self._key = key
            self._see(_Between(self))
        self._add_step(event, event.turn, event.phase)

    def decided(self) -> list[Step]:
        """The steps since this was asked last, now that a decision is done with."""
        told = self._steps[-1] if self._steps else None
        if told and (told.turn, told.phase) == (self.state.turn, self.state.phase):
            self._seen = self._steps[-2].views if len(self._steps) > 1 else self._last
            self._see(self)
            self._steps[-1] = replace(told, views=self._seen)
        else:
            before = self._seen
            self._see(self)
            if self._seen is not before:
                self._add_step(None, self.state.turn, self.state.phase)
        fresh, self._steps = self._steps, []
        self._taken += len(fresh)
        self._key, self._last = None, self._seen
        return fresh

    def _add_step(self, event: Event | None, turn: int, phase: PhaseName) -> None:
        self._steps.append(Step(self._taken + len(self._steps), turn, phase, self.entry, event, self._seen))

    def _position(self) -> object:
        """What a view is made from, but for the questions: equal where nothing changed."""
        state = self.state
        events, state.events = state.events, 0
        encoded = msgspec.msgpack.encode(state)
        state.events = events
        return encoded, ornithopters.public(self.game)

    def _see(self, play: views.Seen) -> None:
        viewers: list[Viewer] = ["public", *self.state.players, "gm"]
        seen = views.views(play, viewers)
        for viewer in viewers:
            seen[viewer]["known"] = views.known(play, viewer)
        self._seen = _kept(self._seen, seen)


def _kept(old: Any, new: Any) -> Any:
    """The new value, in which every part that is as it was before is the old object."""
    if old is new or old == new:
        return old
    if isinstance(new, dict) and isinstance(old, dict):
        return {key: _kept(old[key], value) if key in old else value for key, value in new.items()}
    return new


class _Between:
    """A position in the middle of a decision: nobody is asked anything."""

    __slots__ = ("game", "state")

    def __init__(self, play: Play) -> None:
        self.game, self.state = play.game, play.state

    def questions(self) -> list[Any]:
        """None."""
        return []

    def number_of(self, question: Any) -> int:
        """Never asked."""
        raise LookupError(question)

    def answered(self) -> list[Any]:
        """None."""
        return []
