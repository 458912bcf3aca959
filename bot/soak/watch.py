"""Random games under watch: at every event the position is sound, every question answerable, every snapshot good.

A watched game raises ``AssertionError`` at the first thing that is wrong. Its setting is everything that decides how it
goes, so a game that failed can be played again.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.soak.daring import DaringPlayer
from bot.soak.late_positions import late_position
from bot.soak.scenes import FEWEST, SCENES
from bot.soak.wishes import wishes_for
from rules.components import Faction
from rules.components.chance import Chance
from rules.engine import turn
from rules.engine.play import Play
from rules.engine.rule_sets import load_rule_set
from rules.orders import KaramaEffect
from rules.rulesets.box import factions_of
from rules.rulesets.options import Value
from rules.rulesets.ruleset import RuleSet
from rules.selfplay.invariants import check_invariants
from rules.selfplay.random_player import MOST_STOPS, random_seats
from rules.state import events
from rules.state.events import Event
from rules.state.game import Game


@dataclass(frozen=True, slots=True)
class Setting:
    """One random game: everything that decides how it goes."""

    ruleset: str
    seed: str
    factions: tuple[Faction, ...]
    impulses: int = 35
    strays: int = 5
    options: tuple[tuple[str, Value], ...] = ()
    late: bool = False
    scene: str = ""

    @property
    def rules(self) -> RuleSet:
        """The rule set, with the options in which this game differs from it."""
        rules = load_rule_set(self.ruleset)
        return rules.with_options(dict(self.options)) if self.options else rules

    @property
    def wishes(self) -> tuple[KaramaEffect, ...]:
        """What it is played for."""
        if self.scene:
            return SCENES[self.scene].wishes
        return wishes_for(self.rules, self.seed, self.factions)

    def player(self) -> DaringPlayer:
        player = DaringPlayer(f"player {self.seed}", impulses=self.impulses, strays=self.strays, wishes=self.wishes)
        if self.scene:
            player.play_out(SCENES[self.scene].prefers, SCENES[self.scene].likes)
        return player

    def start(self) -> Play:
        """The game at its first stop: in its set-up; ``late``, where everything rare is near; or in its ``scene``."""
        return self._begun(self._unbegun())

    def start_watched(self) -> Play:
        """The same game, whose position is looked at with every event that is told."""
        play = self._unbegun()
        play.game.events = WatchedEvents(play.game)
        return self._begun(play)

    def _unbegun(self) -> Play:
        rules, seats = self.rules, random_seats(self.seed, self.factions)
        if self.late or self.scene:
            scene = SCENES[self.scene] if self.scene else None
            return Play(rules, self.seed, late_position(rules, self.seed, seats, self.wishes, scene))
        return Play(rules, self.seed, turn.opening_state(rules, seats))

    def _begun(self, play: Play) -> Play:
        play.begin_phase(play.state.phase)
        play.advance()
        return play


class WatchedEvents(list[Event]):
    """The events of a game; with each that is told the position must be sound."""

    def __init__(self, game: Game) -> None:
        super().__init__()
        self._game = game

    def append(self, event: Event) -> None:
        assert event.number == len(self), f"event {event.number} is number {len(self)}"
        super().append(event)
        check_invariants(self._game)


def setting(
    ruleset: str, seed: str, players: int, options: tuple[tuple[str, Value], ...] = (), *, late: bool = False
) -> Setting:
    """A game of so many players whose factions follow from the seed."""
    factions = list(factions_of(Setting(ruleset, seed, (), options=options).rules))
    Chance(seed, {}).shuffle("factions", factions)
    return Setting(ruleset, seed, tuple(factions[:players]), options=options, late=late)


def scene_setting(ruleset: str, seed: str, scene: str, options: tuple[tuple[str, Value], ...] = ()) -> Setting:
    """A game of a scene, in which those whom it needs are joined by others."""
    needed, factions = SCENES[scene].needs, list(factions_of(Setting(ruleset, seed, (), options=options).rules))
    Chance(seed, {}).shuffle("factions", factions)
    factions.sort(key=lambda faction: faction not in needed)
    return Setting(ruleset, seed, tuple(factions[:FEWEST]), options=options, scene=scene)


def play_under_watch(game: Setting, resumes: int = 3) -> Play:
    """Play to the end; AssertionError at the first thing that is wrong. ``resumes`` is how often in a hundred stops the
    game is stored and taken up again from its snapshot."""
    play, player, watch = game.start_watched(), game.player(), Chance(f"watch {game.seed}", {})
    for _ in range(MOST_STOPS):
        check_invariants(play.game)
        if play.over:
            check_events(play)
            return play
        check_questions(play)
        if watch.draw("resume", 100) < resumes:
            check_resume(game, play)
        player.act(play)
    raise AssertionError(f"still in the {play.state.phase} phase of turn {play.state.turn}")


def check_questions(play: Play) -> None:
    """Somebody is asked, and the default and every choice of each question are legal."""
    questions = play.questions()
    assert questions, f"nobody is asked at {play.stop_name}"
    for question in questions:
        for order in (question.default, *question.samples()):
            refusal = question.refusal(order) if question.fits(order) else "not of a kind that answers it"
            assert refusal is None, f"{question.key} offers {order}: {refusal}"


def check_events(play: Play) -> None:
    """Events are the same after they were stored."""
    for event in play.events:
        stored = events.encode(event)
        assert events.encode(events.decode(stored)) == stored


def check_resume(game: Setting, play: Play) -> None:
    """The snapshot of this phase and the entries since lead to the same position and the same questions."""
    entries = play.log[play.snapshot.entries :]
    resumed = Play.resume(play.game.rules, game.seed, play.snapshot, entries)
    assert resumed.state == play.state
    assert resumed.game.moments == play.game.moments
    assert resumed.game.held == play.game.held
    assert open_questions(resumed) == open_questions(play)
    since = len(resumed.events)
    assert list(map(events.encode, resumed.events)) == list(map(events.encode, play.events[-since:] if since else []))


def open_questions(play: Play) -> list[object]:
    """What is open, in words that can be compared."""
    asked = [(q.key, q.default, dict(q.facts), q.public, q.blanket) for q in play.questions()]
    return [*asked, *((q.key, orders) for q, orders in play.answered())]


def check_replay(game: Setting, play: Play) -> None:
    """The log alone leads to the same events, byte for byte."""
    again = game.start()
    again.replay(play.log)
    assert again.state == play.state
    assert list(map(events.encode, again.events)) == list(map(events.encode, play.events))
