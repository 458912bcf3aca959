"""Games of fewer than six players: who is dealt, and that every rule set plays them to their end."""

from __future__ import annotations

from typing import Any

import pytest

from bot.game_master.new_game import draw_seats
from rules.chapters.seats import dealt_factions
from rules.components import FACTIONS, Faction
from rules.components.chance import Chance
from rules.engine.rule_sets import load_rule_set
from rules.rulesets.ruleset import RULE_SETS
from rules.selfplay.random_player import random_game

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
