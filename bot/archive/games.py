"""The archive's games: the data of each game, the steps of a finished game, and its story turn by turn.

Only these values reach the archive's pages. No player's address, time zone or time of day is among them. ``shelf``
reads them from the database.

The steps come from a replay of the log. After each event, and again after each log entry, a step records the position
as each viewer sees it. ``rules.views`` alone decides who may see what.

A story is compiled from the steps of a finished game, or from the public events of a running game. ``Turn.views`` holds
the views that a page may show; for a running game, this is only the public view.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from bot.config.values import ArchivePolicy as ArchivePolicy
from bot.lobby.requests import OpenTable
from bot.press import ShownPress as ShownPress
from bot.record.lines import Act, AnyLine, Decided, End, Head
from bot.record.reader import Cast as Cast
from bot.record.reader import FiledLine as FiledLine
from bot.render.material import News, Position, Reader
from bot.wording import say
from rules import views
from rules.chapters import occupancy
from rules.components import Faction
from rules.engine.catalogue import load_rule_set
from rules.engine.log import Entry
from rules.engine.play import Play
from rules.orders import PhaseName
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Event, Viewer
from rules.state.game import Game
from rules.state.state import State


@dataclass(frozen=True, slots=True)
class Place:
    tournament: str
    title: str
    round: int
    table: int


@dataclass(frozen=True, slots=True)
class FinishedGame:
    id: str
    record: bytes
    lines: Sequence[AnyLine]
    cast: Mapping[Faction, Cast]
    policy: ArchivePolicy = field(default_factory=ArchivePolicy)
    sheets: Sequence[FiledLine] = ()
    began: date | None = None
    ended: date | None = None
    place: Place | None = None
    press: Sequence[ShownPress] = ()


@dataclass(frozen=True, slots=True)
class RatedPlayer:
    """A player in the public list of ratings, under a name that they agreed to publish or a number. The page shows
    ``uncertainty`` after ±. ``rank`` is 0 if the player has played too few games."""

    name: str
    rating: int
    uncertainty: int
    games: int
    rank: int = 0


@dataclass(frozen=True, slots=True)
class FactionWorth:
    ruleset: str
    size: int
    faction: Faction
    tenths: int


@dataclass(frozen=True, slots=True)
class RatingList:
    players: Sequence[RatedPlayer] = ()
    factions: Sequence[FactionWorth] = ()


@dataclass(frozen=True, slots=True)
class TableList:
    """The public tables. ``tables`` are still forming and have a free seat; ``gone`` have recently started or ended.
    ``address`` is the address that people write to if they want to join a table."""

    address: str
    tables: Sequence[OpenTable] = ()
    gone: Sequence[OpenTable] = ()


@dataclass(frozen=True, slots=True)
class RunningGame:
    """The public side of a running game at the end of a phase.

    ``view`` is the public view at that moment (``rules.views``). ``events`` are the events of the game so far, without
    their private parts. ``ends_of_turns`` has the public view at the end of each turn.
    """

    id: str
    ruleset: str
    options: Mapping[str, Any]
    cast: Mapping[Faction, Cast]
    policy: ArchivePolicy
    view: Mapping[str, Any]
    events: Sequence[Event]
    ends_of_turns: Mapping[int, Mapping[str, Any]]
    place: Place | None = None


View = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a game. ``number`` counts the steps from 0, and ``entry`` the entries of the log (-1 before the
    first).

    ``event`` is the event reported at this step. The step of a decision's last event has the position after the
    decision, with the next questions; the steps of its earlier events have no open questions. A decision may produce no
    event, or start another phase without an event. It then ends with a step without an event, unless no viewer sees
    anything new.

    ``views`` has each viewer's view; its ``known`` holds the viewer's private knowledge (``views.known``). Each
    unchanged view, and each unchanged part of a view, is the same object as in the previous step.
    """

    number: int
    turn: int
    phase: PhaseName
    entry: int
    event: Event | None
    views: Mapping[Viewer, View]


def rules_of(game: FinishedGame) -> RuleSet:
    head = record_head(game)
    return load_rule_set(head.ruleset).with_options(head.options)


def record_head(game: FinishedGame) -> Head:
    head = game.lines[0]
    assert isinstance(head, Head), "a record begins with a head"
    return head


def decided_log(game: FinishedGame) -> list[Entry]:
    log: list[Entry] = []
    for line in game.lines:
        if isinstance(line, Decided):
            log.append(line.entry)
        elif isinstance(line, Act) and line.what == "rollback" and line.entries is not None:
            del log[line.entries :]
    return log


def play_steps(game: FinishedGame, seed: str) -> Iterator[Step]:
    head = record_head(game)
    watched = _Watched.start(rules_of(game), seed, dict(head.seats))
    yield from watched.decided()
    for number, entry in enumerate(decided_log(game)):
        watched.entry = number
        watched.replay([entry])
        yield from watched.decided()


class _Telling(Game):
    __slots__ = ("told",)
    told: _Watched

    def tell(self, kind: str, **facts: Any) -> None:
        super().tell(kind, **facts)
        self.told.look(self.events[-1])


class _Watched(Play):
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
        key = self._position()
        if key != self._key:
            self._key = key
            self._see(_Between(self))
        self._add_step(event, event.turn, event.phase)

    def decided(self) -> list[Step]:
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
        """Return all inputs of a view except the questions. If two positions are equal, nothing has changed."""
        state = self.state
        events, state.events = state.events, 0
        encoded = msgspec.msgpack.encode(state)
        state.events = events
        return encoded, occupancy.visible_ornithopters(self.game)

    def _see(self, play: views.Seen) -> None:
        viewers: list[Viewer] = ["public", *self.state.players, "gm"]
        seen = views.views(play, viewers)
        for viewer in viewers:
            seen[viewer]["known"] = views.known(play, viewer)
        self._seen = _kept(self._seen, seen)


def _kept(old: Any, new: Any) -> Any:
    """Return the new value, reusing the old object for every part that has not changed."""
    if old is new or old == new:
        return old
    if isinstance(new, dict) and isinstance(old, dict):
        return {key: _kept(old[key], value) if key in old else value for key, value in new.items()}
    return new


class _Between:
    __slots__ = ("game", "state")

    def __init__(self, play: Play) -> None:
        self.game, self.state = play.game, play.state

    def questions(self) -> list[Any]:
        return []

    def number_of(self, question: Any) -> int:
        raise LookupError(question)

    def answered(self) -> list[Any]:
        return []


BACKGROUND = ("strongholds", "game-set-up")
"""Kinds of events from earlier turns that readers need to understand a turn."""
NO_TIME = datetime(1965, 8, 1, tzinfo=UTC)
"""A placeholder. Letters need a time, but the parts of them that the archive uses do not depend on it."""


@dataclass(frozen=True, slots=True)
class Turn:
    number: int
    events: Sequence[Event]
    views: Mapping[Viewer, View]
    over: bool = True
    step: int = 0


@dataclass(frozen=True, slots=True)
class GameStory:
    """A game in the form that its pages present.

    ``decks`` are the treachery and spice decks as they were shuffled at the beginning, if everything may be shown.
    ``ended`` is None while the game is running. ``place`` is the game's tournament table, if that tournament has pages.
    If the game has a replay, ``steps`` maps the number of each event to the step that shows it. ``address`` is the
    archive's address.
    """

    id: str
    rules: RuleSet
    cast: Mapping[Faction, Cast]
    policy: ArchivePolicy
    turns: Sequence[Turn]
    winners: Sequence[Faction] = ()
    finished: bool = False
    ended: date | None = None
    sheets: Sequence[FiledLine] = ()
    decks: tuple[Sequence[str], Sequence[str]] = ((), ())
    place: Place | None = None
    press: Sequence[ShownPress] = ()
    steps: Mapping[int, int] = field(default_factory=dict)
    address: str = ""

    @property
    def open(self) -> bool:
        """Return True if everything may be shown: the game is over, and its players knew that this would be published
        before it began."""
        return self.finished and self.policy.ended == "full"

    def news(self, turn: Turn, viewer: Viewer = "public") -> tuple[News, ...]:
        return tuple(
            News(event.turn, event.phase, event.kind, event.facts, event.told_to(viewer))
            for event in turn.events
            if event.visible_to(viewer)
        )

    def background(self, turn: Turn) -> tuple[News, ...]:
        return tuple(
            each
            for before in self.turns
            if before.number < turn.number
            for each in self.news(before)
            if each.kind in BACKGROUND
        )

    def position(self, turn: Turn, viewer: Viewer = "public") -> Position:
        view = turn.views[viewer]
        name = "" if viewer in ("public", "gm") else self.cast[viewer].name
        return Position(
            game_id=self.id,
            ruleset=self.rules.name,
            title=self.rules.title,
            reader=Reader(viewer, name, _UTC),
            now=NO_TIME,
            view=view,
            secrets=view.get("known", {}),
            news=self.news(turn, viewer),
            background=self.background(turn),
            edition=self.rules.edition,
            players={faction: cast.name for faction, cast in self.cast.items()},
        )


_UTC = ZoneInfo("UTC")
LONGEST_NAME = 60


def day_in_words(when: date) -> str:
    return say("page.day", day=when.day, month=when.month, year=when.year)


def shown_name(name: str) -> str:
    words = " ".join(name.split())
    return words if len(words) <= LONGEST_NAME else f"{words[: LONGEST_NAME - 1]}…"


@dataclass(slots=True)
class StoryGathering:
    game: FinishedGame
    seed: str
    events: dict[int, list[Event]] = field(default_factory=dict)
    last: dict[int, Step] = field(default_factory=dict)
    steps: dict[int, int] = field(default_factory=dict)

    def see(self, step: Step) -> None:
        self.last[step.turn] = step
        if step.event is not None:
            self.steps[step.event.number] = step.number
            self.events.setdefault(step.turn, []).append(step.event)

    def told(self) -> GameStory:
        game, rules = self.game, rules_of(self.game)
        shown: Iterable[Viewer] = ("public",) if game.policy.ended == "public-only" else ()
        turns = [
            Turn(
                number,
                self.events.get(number, ()),
                {viewer: step.views[viewer] for viewer in shown or step.views},
                step=step.number,
            )
            for number, step in sorted(self.last.items())
        ]
        state = Play.start(rules, self.seed, dict(record_head(game).seats)).state
        decks = (tuple(state.treachery_deck), tuple(state.spice_deck))
        winners: Sequence[Any] = turns[-1].views["public"]["winner"]
        told = GameStory(
            game.id, rules, game.cast, game.policy, turns, winners, True, game.ended, place=game.place,
            press=game.press, steps=self.steps,
        )  # fmt: skip
        if told.open:
            return replace(told, sheets=game.sheets, decks=decks)
        return replace(told, turns=[replace(turn, events=_public(turn.events)) for turn in told.turns])


def story_of(game: FinishedGame) -> GameStory:
    end = game.lines[-1]
    assert isinstance(end, End), "the record of a finished game ends with its end"
    gathering = StoryGathering(game, end.seed)
    for step in play_steps(game, end.seed):
        gathering.see(step)
    return gathering.told()


def _public(events: Iterable[Event]) -> list[Event]:
    return [
        Event(event.number, event.turn, event.phase, event.kind, event.facts)
        for event in events
        if event.audience is None
    ]


def story_so_far(game: RunningGame) -> GameStory | None:
    """Return the story of a running game as far as its policy allows, or None if the policy shows nothing. If the
    policy has a delay, the game is shown as it was that many turns ago."""
    if game.policy.running == "hidden":
        return None
    last = int(game.view["turn"])
    views = {last: game.view, **game.ends_of_turns}
    events = _public(game.events)
    turns = [
        Turn(
            number,
            [event for event in events if event.turn == number],
            {"public": views[number]},
            over=number in game.ends_of_turns,
        )
        for number in sorted(views)
        if number <= last
    ]
    rules = load_rule_set(game.ruleset).with_options(game.options)
    return GameStory(game.id, rules, game.cast, game.policy, turns, place=game.place) if turns else None
