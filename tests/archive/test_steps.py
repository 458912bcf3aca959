"""Tests that the steps of a finished game include every event and show the position as the rules do."""

from __future__ import annotations

from typing import Any

import pytest

from bot.archive.games import decided_log, play_steps, record_head, rules_of
from rules import views
from rules.engine.play import Play
from rules.rulesets.ruleset import RuleSet
from rules.state.events import Viewer
from rules.state.game import Game
from rules.state.state import State
from tests.archive.finished import finished

RULE_SETS = ("wbc-2018", "gf9-advanced", "ah-basic", "vaca-2.0")


class Looking(Game):
    """A game that records all views after each event."""

    __slots__ = ("looked",)
    looked: Looked

    def tell(self, kind: str, **facts: Any) -> None:
        super().tell(kind, **facts)
        self.looked.append(self.events[-1].number, everybody(self))


class Looked:
    def __init__(self) -> None:
        self.views: dict[int, dict[Viewer, Any]] = {}

    def append(self, number: int, seen: dict[Viewer, Any]) -> None:
        self.views[number] = seen


class Still:
    def __init__(self, game: Game) -> None:
        self.game, self.state = game, game.state

    def questions(self) -> list[Any]:
        return []

    def number_of(self, question: Any) -> int:
        raise LookupError(question)

    def answered(self) -> list[Any]:
        return []


def everybody(game: Game) -> dict[Viewer, Any]:
    still = Still(game)
    viewers: list[Viewer] = ["public", *game.state.players, "gm"]
    return {one: {**views.view(still, one), "known": views.known(still, one)} for one in viewers}


class Watched(Play):
    __slots__ = ("looked",)

    def __init__(self, rules: RuleSet, seed: str, state: State, entries_before: int = 0) -> None:
        super().__init__(rules, seed, state, entries_before)
        self.looked = Looked()
        game = Looking(rules, seed, state)
        game.looked = self.looked
        self.game = game


@pytest.mark.parametrize("ruleset", RULE_SETS)
def test_every_step_shows_each_viewer_what_the_rules_show_them(ruleset: str) -> None:
    game = finished(ruleset, "steps")
    shown = list(play_steps(game, "steps"))
    play = Watched.start(rules_of(game), "steps", dict(record_head(game).seats))
    at = 0
    for entry in [None, *decided_log(game)]:
        if entry:
            play.replay([entry])
        of_it = []
        while at < len(shown) and shown[at].entry == play.entries_before + len(play.log) - 1:
            of_it.append(shown[at])
            at += 1
        for step in of_it[:-1]:
            assert step.event is not None
            assert step.views == play.looked.views[step.event.number]
        ended = {one: {**views.view(play, one), "known": views.known(play, one)} for one in shown[0].views}
        if of_it and of_it[-1].turn == play.state.turn and of_it[-1].phase == play.state.phase:
            assert of_it[-1].views == ended
        else:
            assert shown[at - 1].views == ended
    assert at == len(shown)
    assert [step.event for step in shown if step.event] == play.events
    assert [step.number for step in shown] == list(range(len(shown)))


def test_what_did_not_change_is_the_same_object_as_before() -> None:
    last = None
    for step in play_steps(finished("wbc-2018", "steps"), "steps"):
        if last is not None:
            for viewer, seen in step.views.items():
                assert (seen == last.views[viewer]) == (seen is last.views[viewer])
                for key in seen:
                    assert (seen[key] == last.views[viewer].get(key)) == (seen[key] is last.views[viewer].get(key))
            assert step.event is not None or step.views is not last.views
        last = step
