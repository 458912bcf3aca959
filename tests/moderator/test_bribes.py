"""Bribes waiting in front of a shield: letters and views show them to everybody."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.desk.game_view import json_view
from rules.components import Faction
from tests.moderator.table import World

FACTIONS: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
ESCROW = [{"from": "guild", "to": "harkonnen", "spice": 3}]


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Start a game in which the Guild bribe the Harkonnen with 3 spice during bidding."""
    world = World.at(tmp_path)
    world.new_game("ah-basic", FACTIONS, spice_transfer_timing="mentat_pause_escrow")
    world.silence_until("bidding")
    world.say("guild", "deal with harkonnen: leave me Tuek's Sietch; I pay 3")
    world.say("harkonnen", "accept")
    return world


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.clause("FAQ.BRIBERY.1")
def test_all_see_what_waits_before_a_shield(world: World) -> None:
    table = world.table()
    for viewer in ("public", "gm", *FACTIONS):
        assert json_view(table, viewer, world.settings)["escrow"] == ESCROW
    world.say("atreides", "status")
    letter = words(world.newest("atreides").text)
    assert "Spice in front of shields until the Mentat Pause: 3 for Harkonnen from Guild." in letter
    assert "Guild put 3 spice in front of Harkonnen's shield, as a deal obliges them. It will stay there" in letter


@pytest.mark.clause("FAQ.BRIBERY.1")
def test_when_the_pause_has_begun_it_is_told_to_all_and_nothing_waits(world: World) -> None:
    before = world.table().play.state.players["harkonnen"].spice
    world.silence_until("storm", turn=2)
    table = world.table()
    assert json_view(table, "public", world.settings)["escrow"] == []
    assert table.play.state.players["harkonnen"].spice >= before + 3
    world.say("atreides", "history")
    told = words(" ".join(letter.text for letter in world.letters("atreides")))
    assert "Harkonnen took the 3 spice that lay in front of their shield." in told


def test_where_the_rules_hold_no_bribes_nothing_is_shown_of_them(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.new_game("ah-basic", FACTIONS)
    assert "escrow" not in json_view(world.table(), "gm", world.settings)
