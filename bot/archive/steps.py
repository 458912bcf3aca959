"""A finished game, step by step, as each viewer saw it.

The log is played again, and after each event, and once more when what an entry decided is done with, the position is
looked at with the eyes of everybody (``rules.views``). That room alone says who may see what.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from bot.archive.given import Finished
from bot.record.lines import Act, Decided, Head
from rules import views
from rules.components import Faction
from rules.engine.play import Entry, Play
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

    ``event`` is what was told; None for the step that ends a decision, where the questions that are asked next can be
    seen. ``views`` has the view of everybody with what only they know (``views.known``) under ``known``; it is the same
    object as in the step before where nothing changed.
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
    watched = _Watched.watch(rules_of(game), seed, dict(head.seats))
    yield from watched.fresh()
    for number, entry in enumerate(decided(game)):
        watched.entry = number
        watched.replay([entry])
        watched.look(None)
        yield from watched.fresh()


class _Telling(Game):
    """A game that lets the position be looked at after each event."""

    __slots__ = ("told",)
    told: _Watched | None

    def tell(self, kind: str, **facts: Any) -> None:
        super().tell(kind, **facts)
        if self.told is not None:
            self.told.look(self.events[-1])


class _Watched(Play):
    """A game that is looked at after each of its events."""

    __slots__ = ("_last", "_seen", "_steps", "_taken", "entry")

    @classmethod
    def watch(cls, rules: RuleSet, seed: str, seats: dict[Faction, int]) -> _Watched:
        """The game at its first stop."""
        return cls.start(rules, seed, seats)

    def __init__(self, rules: RuleSet, seed: str, state: State, entries_before: int = 0) -> None:
        super().__init__(rules, seed, state, entries_before)
        self.entry = -1
        self._last = b""
        self._seen: dict[Viewer, View] = {}
        self._steps: list[Step] = []
        self._taken = 0
        telling = _Telling(rules, seed, state)
        telling.told = self
        self.game = telling

    def look(self, event: Event | None) -> None:
        """Note the position as it is now. What is asked counts only once a decision is done with."""
        state = msgspec.msgpack.encode(self.state)
        if state != self._last or event is None:
            self._last = state
            play = self if event is None else _Between(self)
            viewers: list[Viewer] = ["public", *self.state.players, "gm"]
            self._seen = {
                viewer: {**views.view(play, viewer), "known": views.known(play, viewer)} for viewer in viewers
            }
        where = event or self.state
        number = self._taken + len(self._steps)
        self._steps.append(Step(number, where.turn, where.phase, self.entry, event, self._seen))

    def fresh(self) -> list[Step]:
        """The steps since this was asked last."""
        fresh, self._steps = self._steps, []
        self._taken += len(fresh)
        return fresh


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
