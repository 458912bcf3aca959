"""Plain words in a mail: accepted and repeated in canonical form, or proposed with a button; chatter is ignored."""

from __future__ import annotations

from pathlib import Path

from rules.components import Faction
from rules.orders import StormDial
from tests.moderator.table import CONFIG, World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")


def dialer(world: World) -> Faction:
    """Play to the first storm dial and return a faction that must dial."""
    world.new_game(factions=FEW)
    world.silence_until("storm")
    world.wait(24)
    return next(faction for faction, kinds in world.asked().items() if kinds == ["storm-dial"])


def test_a_number_in_words_is_taken_and_said_as_the_order_that_it_is(world: World) -> None:
    one = dialer(world)
    assert world.say(one, "Hello Mentat,", "I dial seven, please.", "Ann").taken == 1
    assert [orders for _, orders in world.table().play.answered()] == [(StormDial(7),)]
    assert "TAKEN storm 7" in " ".join(world.newest(one).text.split())


def test_a_number_in_a_line_of_talk_is_not_taken(world: World) -> None:
    one = dialer(world)
    world.say(one, "Can we talk on Friday about the treaty that you wanted?", "7", "Ann")
    assert world.table().play.answered() == []


def test_who_wants_to_leave_or_needs_time_is_told_how_and_nothing_is_done(world: World) -> None:
    one = dialer(world)
    for said, command in (
        ("Unsubscribe me please, I do not want this.", "resign"), ("I have to quit, sorry", "resign"),
        ("I will be away for some days", "absent 24 Dec to 2 Jan"), ("Can I have more time please?", "extend 24"),
    ):  # fmt: skip
        world.say(one, said)
        assert f"“{command}”" in " ".join(world.newest(one).text.split())
        assert world.asked()[one] == ["storm-dial"]


def test_a_proposal_is_sent_back_by_its_button(world: World) -> None:
    one = dialer(world)
    world.say(one, "I diall sevn")
    letter = world.newest(one)
    assert "storm 7" in letter.text
    assert "body=storm%207" in letter.html
    world.say(one, "storm 7")
    assert [orders for _, orders in world.table().play.answered()] == [(StormDial(7),)]


def test_a_game_master_has_everything_proposed(tmp_path: Path) -> None:
    world = World.at(tmp_path, CONFIG.replace("[mentat]", '[mentat]\nplain_words = "propose"'))
    one = dialer(world)
    assert world.say(one, "I dial seven").taken == 0
    assert world.table().play.answered() == []
    assert "storm 7" in world.newest(one).text
