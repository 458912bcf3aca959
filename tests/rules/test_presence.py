"""Tests that the state and the hooks can keep Bene Gesserit tokens as advisors or fighters across turns.

The tests use a small model of the 2019 rules: a token that arrives as an advisor stays one until it is alone.
"""

from __future__ import annotations

import pytest

from rules.components import Faction, Forces
from rules.components.board import TerritoryId, parse_area, territory_of
from rules.decisions.catalogue import rules_of
from rules.decisions.question import Flow
from rules.engine.catalogue import load_rule_set
from rules.engine.play import Play
from rules.factions.bene_gesserit_advisors import PRESENCE
from rules.factions.bene_gesserit_coexistence import Presence, others_in
from rules.orders import Advise, Move, Ship
from rules.positions.position import position
from rules.state.game import Game
from rules.views import view
from tests.rules.stage import say, silence, until

CARTHAG, IMPERIAL_BASIN = parse_area("carthag"), parse_area("imperial-basin/11")
THERE = territory_of(CARTHAG)
MODEL = {"bg_presence_model": "coexistence"}


class AdvisorsAndFighters(Presence):
    """Advisors remain advisors until nobody else is there."""

    exists = True

    def advisor_came(self, game: Game, faction: Faction, territory: TerritoryId) -> None:
        game.state.presence[territory] = "coexist"

    def declares_when_met(self, game: Game, faction: Faction) -> Flow:
        for territory in [t for t in game.state.presence if not others_in(game, faction, t)]:
            del game.state.presence[territory]
            game.tell("bg-declared", territory=territory, coexists=False, forced=True)
        yield from ()


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Play:
    """Return a game in which the Emperor ships to Carthag with an advisor."""
    monkeypatch.setitem(PRESENCE.values, "coexistence", AdvisorsAndFighters())
    start = {
        "turn": 4,
        "phase": "movement",
        "storm": 1,
        "factions": ["emperor", "bene-gesserit"],
        "dots": {"emperor": 2, "bene-gesserit": 5},
        "faction": {"emperor": {"spice": 9, "reserves": "9"}, "bene-gesserit": {"reserves": "9"}},
    }
    game = position({"ruleset": "wbc-2018", "start": start}).play()
    game.game.rules = load_rule_set("wbc-2018").with_options(MODEL)
    game.begin_phase("movement")
    game.settle()
    say(game, "emperor", Ship(Forces(3), None, CARTHAG))
    until(game, "advisor")
    say(game, "bene-gesserit", Advise(CARTHAG))
    return game


def to_the_next_movement_round(play: Play) -> None:
    while play.state.turn == 4 or play.state.phase != "movement":
        play.expire()
        play.advance()


@pytest.mark.clause("FAQ.BG.7")
def test_advisors_stay_advisors_over_the_end_of_the_turn(play: Play) -> None:
    to_the_next_movement_round(play)
    assert play.state.presence == {THERE: "coexist"}
    assert not rules_of(play.game, "bene-gesserit").is_occupant(play.game, THERE)
    assert view(play, "public")["coexisting"] == [THERE]


def test_advisors_are_kept_in_a_snapshot(play: Play) -> None:
    to_the_next_movement_round(play)
    resumed = Play.resume(play.game.rules, "spice", play.snapshot, [])
    assert resumed.state.presence == {THERE: "coexist"}


@pytest.mark.clause("FAQ.BG.7")
def test_advisors_who_are_left_alone_fight_again(play: Play) -> None:
    to_the_next_movement_round(play)
    say(play, "emperor", Move(Forces(3), CARTHAG, IMPERIAL_BASIN))
    silence(play)
    assert play.state.presence == {}
    assert rules_of(play.game, "bene-gesserit").is_occupant(play.game, THERE)
