"""A game by its turns, as its pages tell it: what happened in each, and how it looked at the end to every viewer.

A finished game is gathered from its steps (``Gathering.see``), a running one from what everybody was told. What a page
may show follows from what is in ``Turn.views``: of a running game that is the public view alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from bot.archive.given import Cast, FiledLine, Finished, Place, Policy, Running, Shown
from bot.archive.steps import Step, View, head_of, rules_of
from bot.reports.given import News, Position, Reader
from rules.components import Faction
from rules.engine.play import Play
from rules.engine.rule_sets import load_rule_set
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Event, Viewer

BACKGROUND = ("strongholds", "game-set-up")
"""What is told of a turn is told against these events of the ones before."""
NO_TIME = datetime(1965, 8, 1, tzinfo=UTC)
"""Letters are written at an instant; what is reused of them here does not look at it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn: what happened in it, and the views at its end. ``over`` says that it came to its end."""

    number: int
    events: Sequence[Event]
    views: Mapping[Viewer, View]
    over: bool = True


@dataclass(frozen=True, slots=True)
class Told:
    """A game as its pages tell it. ``decks`` are treachery and spice as they were shuffled at the beginning, where all
    may be known; ``ended`` is None while it runs; ``place`` is the table of a tournament that has pages too."""

    id: str
    rules: RuleSet
    cast: Mapping[Faction, Cast]
    policy: Policy
    turns: Sequence[Turn]
    winners: Sequence[Faction] = ()
    finished: bool = False
    ended: date | None = None
    sheets: Sequence[FiledLine] = ()
    decks: tuple[Sequence[str], Sequence[str]] = ((), ())
    place: Place | None = None
    press: Sequence[Shown] = ()

    @property
    def open(self) -> bool:
        """Whether everything may be shown: the game is over, and its players were told so before it began."""
        return self.finished and self.policy.ended == "full"

    def news(self, turn: Turn, viewer: Viewer = "public") -> tuple[News, ...]:
        """What this viewer was told in the turn."""
        return tuple(
            News(event.turn, event.phase, event.kind, event.facts, event.told_to(viewer))
            for event in turn.events
            if event.visible_to(viewer)
        )

    def background(self, turn: Turn) -> tuple[News, ...]:
        """What everybody was told before the turn that helps to understand it."""
        return tuple(
            each
            for before in self.turns
            if before.number < turn.number
            for each in self.news(before)
            if each.kind in BACKGROUND
        )

    def position(self, turn: Turn, viewer: Viewer = "public") -> Position:
        """The turn as letters tell it: the view at its end and what happened in it."""
        view = turn.views[viewer]
        name = "" if viewer in ("public", "gm") else self.cast[viewer].name
        return Position(
            game_id=self.id, ruleset=self.rules.name, title=self.rules.title, reader=Reader(viewer, name, _UTC),
            now=NO_TIME, view=view, secrets=view.get("known", {}), news=self.news(turn, viewer),
            background=self.background(turn), edition=self.rules.edition,
            players={faction: cast.name for faction, cast in self.cast.items()},
        )  # fmt: skip


_UTC = ZoneInfo("UTC")


@dataclass(slots=True)
class Gathering:
    """Gathers a finished game while it is played again."""

    game: Finished
    seed: str
    events: dict[int, list[Event]] = field(default_factory=dict)
    last: dict[int, Mapping[Viewer, View]] = field(default_factory=dict)

    def see(self, step: Step) -> None:
        """The next step of the game."""
        self.last[step.turn] = step.views
        if step.event is not None:
            self.events.setdefault(step.turn, []).append(step.event)

    def told(self) -> Told:
        """The whole game."""
        game, rules = self.game, rules_of(self.game)
        shown: Iterable[Viewer] = ("public",) if game.policy.ended == "public-only" else ()
        turns = [
            Turn(number, self.events.get(number, ()), {viewer: views[viewer] for viewer in shown or views})
            for number, views in sorted(self.last.items())
        ]
        state = Play.start(rules, self.seed, dict(head_of(game).seats)).state
        decks = (tuple(state.treachery_deck), tuple(state.spice_deck))
        winners: Sequence[Any] = turns[-1].views["public"]["winner"]
        told = Told(game.id, rules, game.cast, game.policy, turns, winners, True, game.ended)
        if not told.open:
            return replace(_without_secrets(told), place=game.place, press=game.press)
        return replace(told, sheets=game.sheets, decks=decks, place=game.place, press=game.press)


def _without_secrets(told: Told) -> Told:
    turns = [Turn(turn.number, _public(turn.events), turn.views, turn.over) for turn in told.turns]
    return Told(told.id, told.rules, told.cast, told.policy, turns, told.winners, told.finished, told.ended)


def _public(events: Iterable[Event]) -> list[Event]:
    """The events that all may know of, without what only some know of them."""
    return [
        Event(event.number, event.turn, event.phase, event.kind, event.facts)
        for event in events
        if event.audience is None
    ]


def under_way(game: Running) -> Told | None:
    """A running game as its policy shows it; None where that shows nothing. A delayed game is given as it was so many
    turns ago."""
    if game.policy.running == "hidden":
        return None
    last = int(game.view["turn"])
    views = {last: game.view, **game.ends_of_turns}
    events = _public(game.events)
    turns = [
        Turn(
            number, [event for event in events if event.turn == number], {"public": views[number]},
            over=number in game.ends_of_turns,
        )
        for number in sorted(views)
        if number <= last
    ]  # fmt: skip
    rules = load_rule_set(game.ruleset).with_options(game.options)
    return Told(game.id, rules, game.cast, game.policy, turns, place=game.place) if turns else None
