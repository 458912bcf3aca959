"""Random games under watch: at every stop the position is sound, every question answerable, every snapshot good.

``python -m tests.properties.random_games 1000`` plays a thousand of them and prints the seeds of those that failed.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass

from rules import events
from rules.chance import Chance
from rules.components import FACTIONS, Faction
from rules.invariants import check_invariants
from rules.play import Play
from rules.random_player import MOST_STOPS, RandomPlayer, random_seats
from rules.ruleset import load_rule_set

RULE_SETS = ("ah-basic", "wbc-2018")


@dataclass(frozen=True, slots=True)
class Setting:
    """One random game: everything that decides how it goes."""

    ruleset: str
    seed: str
    factions: tuple[Faction, ...]
    impulses: int = 25
    strays: int = 5

    def player(self) -> RandomPlayer:
        return RandomPlayer(f"player {self.seed}", impulses=self.impulses, strays=self.strays)

    def start(self) -> Play:
        return Play.start(load_rule_set(self.ruleset), self.seed, random_seats(self.seed, self.factions))


def setting(ruleset: str, seed: str, players: int) -> Setting:
    """A game of so many players whose factions follow from the seed."""
    factions = list(FACTIONS)
    Chance(seed, {}).shuffle("factions", factions)
    return Setting(ruleset, seed, tuple(factions[:players]))


def play_under_watch(game: Setting, resumes: int = 3) -> Play:
    """Play to the end; AssertionError at the first thing that is wrong. ``resumes`` is how often in a hundred stops the
    game is stored and taken up again from its snapshot."""
    play, player, watch = game.start(), game.player(), Chance(f"watch {game.seed}", {})
    told = 0
    for _ in range(MOST_STOPS):
        check_invariants(play.game)
        told = check_events(play, told)
        if play.over:
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
        for order in (question.default, *question.choices()):
            refusal = question.check(order) if question.fits(order) else "not of a kind that answers it"
            assert refusal is None, f"{question.key} offers {order}: {refusal}"


def check_events(play: Play, told: int) -> int:
    """Events are numbered without gaps and are the same after they were stored."""
    for number, event in enumerate(play.events[told:], start=told):
        assert event.number == number, f"event {event.number} is number {number}"
        stored = events.encode(event)
        assert events.encode(events.decode(stored)) == stored
    return len(play.events)


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
    asked = [(q.key, q.default, dict(q.about), q.public, q.blanket) for q in play.questions()]
    return [*asked, *((q.key, orders) for q, orders in play.answered())]


def check_replay(game: Setting, play: Play) -> None:
    """The log alone leads to the same events, byte for byte."""
    again = game.start()
    again.replay(play.log)
    assert again.state == play.state
    assert list(map(events.encode, again.events)) == list(map(events.encode, play.events))


def soak(games: int, first: int = 0, rule_sets: Sequence[str] = RULE_SETS) -> list[Setting]:
    """Play many games under watch; the settings of those that failed, each printed with its fault."""
    failed = []
    for number in range(first, first + games):
        game = setting(rule_sets[number % len(rule_sets)], f"soak {number}", 2 + number // len(rule_sets) % 5)
        try:
            check_replay(game, play_under_watch(game))
        except Exception:
            failed.append(game)
            print(f"{game}\n{traceback.format_exc(limit=-6)}", flush=True)
    return failed


if __name__ == "__main__":
    faults = soak(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(f"{len(faults)} of {sys.argv[1]} games failed")
    sys.exit(1 if faults else 0)
