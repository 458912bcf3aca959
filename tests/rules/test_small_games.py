"""Tests for games of fewer than six players: who is dealt what, and that every rule set reaches the end."""

from __future__ import annotations

from typing import Any

import pytest

from bot.desk.new_game import draw_seats
from rules.chapters.setup import dealt_factions
from rules.components import FACTIONS, Faction
from rules.components.chance import Chance
from rules.engine.catalogue import load_rule_set
from rules.orders import Karama, Order
from rules.positions.position import position
from rules.random_players import RandomPlayer, random_game
from rules.rulesets.ruleset import RULE_SETS

SUGGESTED: dict[int, set[Faction]] = {
    2: {"atreides", "harkonnen"},
    3: {"atreides", "harkonnen", "fremen"},
    4: set(FACTIONS) - {"guild", "bene-gesserit"},
    5: set(FACTIONS) - {"bene-gesserit"},
    6: set(FACTIONS),
}


def players(number: int) -> list[str]:
    return [f"{name}@example.org" for name in "abcdef"[:number]]


@pytest.mark.clause("GF9.SETUP.3", "GF9.SETUP.6", "GF9.SETUP.7", "GF9.SETUP.8")
@pytest.mark.parametrize("number", range(2, 7))
@pytest.mark.parametrize("name", ["gf9-basic", "gf9-advanced"])
def test_the_edition_of_2019_deals_the_factions_that_it_suggests(name: str, number: int) -> None:
    seats = [draw_seats(players(number), f"deal {n}", name)[0] for n in range(20)]
    assert all(set(dealt) == SUGGESTED[number] for dealt in seats)
    assert number == 6 or len({tuple(dealt.items()) for dealt in seats}) > 1


@pytest.mark.clause("GF9.SETUP.8")
def test_a_game_master_may_set_the_suggestion_aside() -> None:
    rules = load_rule_set("gf9-basic").with_options({"player_count_suggestions": "none"})
    assert set(dealt_factions(rules, 3)) == set(FACTIONS)


@pytest.mark.parametrize("name", [name for name in RULE_SETS if "gf9" not in name])
def test_the_other_rule_sets_deal_all_six(name: str) -> None:
    assert set(dealt_factions(load_rule_set(name), 2)) == set(FACTIONS)


def _cases() -> list[Any]:
    unplayed = {name for name in RULE_SETS if load_rule_set(name).unplayed}
    marks = {name: [pytest.mark.skip(reason="not played yet")] if name in unplayed else [] for name in RULE_SETS}
    return [pytest.param(name, number, marks=marks[name]) for name in RULE_SETS for number in range(2, 7)]


@pytest.mark.parametrize(("name", "number"), _cases())
def test_a_game_of_few_players_comes_to_its_end_and_leaves_no_bribe_behind(name: str, number: int) -> None:
    factions = list(FACTIONS)
    for attempt in range(2):
        seed = f"{name} {number} {attempt}"
        Chance(seed, {}).shuffle("factions", factions)
        play = random_game(load_rule_set(name), seed, factions[:number])
        assert play.state.winners
        assert not play.state.bribes


@pytest.mark.parametrize(
    ("faction", "phase", "kinds"),
    [
        ("guild", "revival", {Karama}),
        ("harkonnen", "bidding", set()),
        ("tleilaxu", "revival", {Karama}),
        ("emperor", "movement", set()),
    ],
)
def test_who_plays_alone_thinks_of_nothing_that_needs_another(
    faction: Faction, phase: str, kinds: set[type[Order]]
) -> None:
    hand = ["Truthtrance", "Karama"]
    start = {"turn": 4, "phase": phase, "factions": [faction], "faction": {faction: {"spice": 9, "hand": hand}}}
    play = position({"ruleset": "gf9-advanced", "options": {"expansion": "ixians-tleilaxu"}, "start": start}).play()
    play.begin_phase(play.state.phase)
    thought = [RandomPlayer(f"alone {n}", bargains=100).impulse(play, faction) for n in range(40)]
    assert {type(order) for order in thought if order is not None} <= kinds


@pytest.mark.parametrize("faction", ["bene-gesserit", "emperor", "harkonnen"])
def test_a_random_game_of_one_comes_to_its_end(faction: Faction) -> None:
    play = random_game(
        load_rule_set("gf9-advanced"), "alone", [faction], RandomPlayer("alone", impulses=60, bargains=50)
    )
    assert play.over
