"""Invalid battle plans by mail: Mentat asks the player to correct the plan first."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest

from rules.components import Faction
from tests.moderator.table import World

WRONG = "plan dial 3 leader bashar"  # three tokens without spice only dial 1.5


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Start a game in which the Emperor ships 3 tokens to Tuek's Sietch, to fight the Guild there."""
    world = World.at(tmp_path)
    world.new_game("wbc-2018", tempo="steady")
    world.silence_until("movement")
    world.say("emperor", "ship 3 to tueks-sietch", "no move")
    return world


def until_plans(world: World) -> None:
    for _ in range(30):
        if "battle-plan" in world.asked().get("guild", []):
            return
        world.wait(12)
    raise AssertionError(world.asked())


def waits_for_a_plan(world: World, faction: Faction) -> bool:
    return "battle-plan" in world.asked().get(faction, [])


def revealed(world: World) -> str:
    return " ".join(world.newest("atreides").text.split())


def test_a_plan_without_its_spice_stays_open_with_a_button_for_the_nearest(world: World) -> None:
    until_plans(world)
    world.say("emperor", WRONG)
    assert waits_for_a_plan(world, "emperor")
    answer = world.newest("emperor")
    words = " ".join(answer.text.split())
    assert "HELD plan dial 3 leader Bashar (only if nothing better comes by the deadline)" in words
    assert "You have 3 there: with 0 spice you can dial 1.5." in words
    assert "you will fight with: plan dial 1.5 leader Bashar" in words
    for line in ("plan dial 3 spice 3 leader Bashar", "plan dial 1.5 leader Bashar"):
        assert line in words
        assert f"body={line}" in unquote(answer.html)
    assert "could not be used" not in words
    assert "Your order is taken" not in words


def test_what_is_left_of_it_is_fought_if_nothing_better_comes(world: World) -> None:
    until_plans(world)
    world.say("emperor", WRONG)
    world.say("guild", "plan dial 0 leader esmar")
    assert waits_for_a_plan(world, "emperor")
    world.wait(18)
    assert "Emperor dial 1.5, Bashar" in revealed(world)


def test_a_better_plan_leaves_nothing_of_the_fallback(world: World) -> None:
    until_plans(world)
    world.say("emperor", WRONG)
    world.say("emperor", "plan dial 3 spice 3 leader bashar")
    sheet = world.table().sheets["emperor"]
    assert not waits_for_a_plan(world, "emperor")
    assert sheet.active() == []
    world.say("emperor", WRONG)
    assert "Your earlier plan stands: plan dial 3 spice 3 leader Bashar" in " ".join(
        world.newest("emperor").text.split()
    )
    world.say("guild", "plan dial 0 leader esmar")
    assert "Emperor dial 3 with 3 spice, Bashar" in revealed(world)


def test_the_fallback_can_be_withdrawn(world: World) -> None:
    until_plans(world)
    world.say("emperor", WRONG)
    world.say("emperor", f"cancel {WRONG}")
    world.say("guild", "plan dial 0 leader esmar")
    world.wait(18)
    assert "Emperor dial 1.5" in revealed(world)
    assert world.table().sheets["emperor"].active() == []


def test_a_card_that_is_not_held_is_told_when_the_cards_of_the_turn_are_sold(tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.new_game("wbc-2018", tempo="steady")
    world.silence_until("movement")
    missing = "crysknife" if "Crysknife" not in world.table().play.state.players["guild"].hand else "lasgun"
    world.say("guild", f"when fighting emperor: plan dial 1 leader esmar weapon {missing}")
    words = " ".join(world.newest("guild").text.split())
    assert f"You do not hold {missing.capitalize()}." in words
    assert "when fighting Emperor: plan dial 1 leader Esmar Tuek" in words
    world.say("guild", "when fighting emperor: plan dial 1 leader esmar")
    assert "as things stand" not in world.newest("guild").text.casefold()


@pytest.mark.parametrize("line", [WRONG, f"when fighting guild: {WRONG}", f"{WRONG} if battle in tuek's sietch"])
def test_a_plan_filed_ahead_is_told_what_is_wrong_and_not_believed(world: World, line: str) -> None:
    for _ in range(30):
        if world.table().play.state.phase == "battle":
            break
        world.wait(12)
    world.say("emperor", line)
    words = " ".join(world.newest("emperor").text.split())
    assert "with 0 spice you can dial 1.5" in words
    assert "plan dial 3 spice 3 leader Bashar" in words
    assert "your sheet settles a battle plan" not in words
    until_plans(world)
    assert waits_for_a_plan(world, "emperor")
