"""Evidence for players and game masters: how a battle was counted, and when a mail was on its way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.moderator.table import World

PLAN = "plan dial 1 leader bashar"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Start a game and play until the Emperor and the Guild must plan a battle in Tuek's Sietch."""
    world = World.at(tmp_path)
    world.new_game("wbc-2018", tempo="steady")
    world.silence_until("movement")
    world.say("emperor", "ship 3 to tueks-sietch", "no move")
    world.once("until plans", lambda: until_plans(world))
    return world


def until_plans(world: World) -> None:
    while "battle-plan" not in world.asked().get("guild", []):
        world.wait(12)


def fought(world: World) -> None:
    world.say("guild", "plan dial 2 leader staban")
    world.say("emperor", PLAN)
    while world.table().play.state.phase == "battle":
        world.wait(12)


def told(world: World, faction: str) -> str:
    return " ".join(world.newest(faction).text.split())


@pytest.mark.parametrize(
    "asked",
    [
        "explain battle", "why did I lose the battle?", "Why did I lose?", "how did that battle go wrong",
        "what happened in the battle in Tuek's Sietch?", "Hi, can you explain the battle please", "who won the battle",
        "Why did I lose that fight?", "I don't understand why I lost", "what killed my leader?",
        "Can you explain how the battle in Tuek's Sietch was calculated?", "Why did Guild win?",
        "how did that battle go wrong?? I had more troops", "why did my Bashar lose against Staban?",
    ],
)  # fmt: skip
def test_who_asks_why_they_lost_gets_the_reckoning(world: World, asked: str) -> None:
    fought(world)
    world.say("emperor", asked)
    answer = told(world, "emperor")
    assert "Emperor dialled 1, and Bashar added 2: 3 in all" in answer
    assert "Guild dialled 2, and Staban Tuek added 5: 7 in all" in answer
    assert "The aggressor, Emperor, wins a tie." in answer


def test_who_fought_no_battle_is_told_so_and_may_name_one(world: World) -> None:
    fought(world)
    world.say("fremen", "why did I lose the battle?")
    assert "You have fought no battle" in told(world, "fremen")
    world.say("fremen", "explain battle in tueks-sietch")
    assert "Emperor dialled 1" in told(world, "fremen")


def test_before_the_plans_are_revealed_nobody_is_told_more_than_they_know(world: World) -> None:
    world.say("guild", "plan dial 2 leader staban")
    world.say("emperor", "explain battle")
    assert "Battle in Tuek's Sietch: Emperor" in told(world, "emperor")
    assert "Staban" not in told(world, "emperor").partition("YOU")[0]


@pytest.mark.parametrize("line", [PLAN, f"when fighting guild: {PLAN}"])
def test_a_plan_for_a_battle_that_is_over_is_not_kept(world: World, line: str) -> None:
    world.say("guild", "plan dial 2 leader staban")
    world.say("emperor", "plan dial 1 leader burseg")
    assert world.table().play.state.phase == "collection"
    assert world.say("emperor", line).taken == 0
    assert "Your battles this turn have already been fought, so this plan came too late" in told(world, "emperor")
    sheet = world.table().sheets.get("emperor")
    assert not (sheet and sheet.active())
    offered = f"when turn 2: {PLAN}".replace("bashar", "Bashar")
    assert offered in told(world, "emperor")
    assert world.say("emperor", offered).taken == 1


def test_an_answer_to_a_letter_of_an_earlier_turn_keeps_nothing_for_this_one(world: World) -> None:
    old = str(world.newest("emperor").message["Message-ID"])
    world.silence_until("revival", turn=2)
    line = "ship 2 to arrakeen"
    raw = world.mail("emperor", line, In_Reply_To=old)
    assert world.moderator.deliver(raw, world.now).taken == 0
    assert "a letter from an earlier turn, and its question has since been decided." in told(world, "emperor")
    assert world.say("emperor", line).taken == 1


def test_an_answer_to_an_old_letter_that_counts_now_says_so(world: World) -> None:
    old = str(world.newest("emperor").message["Message-ID"])
    world.silence_until("bidding", turn=2)
    while "bid" not in world.asked().get("emperor", []):
        world.wait(12)
    raw = world.mail("emperor", "pass", In_Reply_To=old)
    world.moderator.deliver(raw, world.now)
    assert "Your mail answers a letter from an earlier turn. It counts for what we ask now" in told(world, "emperor")
