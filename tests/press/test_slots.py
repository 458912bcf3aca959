"""Press waiting for its slot goes out once, despite crashes, rollbacks or changes by the game master."""

from __future__ import annotations

import pytest

from bot.desk import positions, speech
from bot.desk.powers import DeskRequest
from bot.moderator import press_mail
from bot.store.database import reading
from tests.moderator.table import GAME, World
from tests.press.test_modes_by_mail import game_with


def got(world: World) -> list[str]:
    return [letter.text for letter in world.letters("fremen") if "omebody" in letter.subject]


def test_it_goes_out_once_at_its_hour_whichever_process_ticks(world: World) -> None:
    game_with(world, "grey")
    world.now = world.now.replace(hour=20, minute=1)
    world.say("guild", "press to fremen: hm")
    world.wait(1.9)
    assert got(world) == []
    other = world.another_process()
    other.now = world.now
    world.wait(0.1)
    other.wait(0.1)
    world.wait(0.1)
    assert len(got(world)) == 1


def test_what_breaks_off_half_way_is_done_again_whole(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    game_with(world, "grey")
    world.say("guild", "press to fremen, emperor: one", "press to fremen, emperor: two")
    pass_on = press_mail._pass_on
    calls = iter(range(100))

    def broken(*args: object) -> None:
        if next(calls) == 1:
            raise ZeroDivisionError("spice")
        pass_on(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(press_mail, "_pass_on", broken)
    world.wait(2)
    assert got(world) == []
    world.wait(0.1)
    assert len(got(world)) == 2
    assert sorted("report 1" in text for text in got(world)) == [False, True]


def test_it_goes_out_as_it_was_promised_though_the_game_became_stricter(world: World) -> None:
    game_with(world, "grey")
    world.say("guild", "press to fremen: hm")
    speech.restrict_press(DeskRequest(world.moderator.open_games, GAME, world.now), "none")
    world.wait(2)
    assert len(got(world)) == 1


def test_a_rollback_takes_back_no_word(world: World) -> None:
    game_with(world, "grey")
    world.silence_until("bidding")
    world.say("guild", "press to fremen: hm")
    positions.roll_back(DeskRequest(world.moderator.open_games, GAME, world.now), 0)
    world.wait(2)
    assert len(got(world)) == 1


def test_postal_press_waits_for_the_end_of_the_turn(world: World) -> None:
    game_with(world, "open,postal")
    world.say("guild", "press to fremen: hm")
    world.wait(24)
    assert not any("hm" in letter.text for letter in world.letters("fremen"))
    world.silence_until("storm", 2)
    world.wait(0.1)
    assert any("hm" in letter.text for letter in world.letters("fremen"))


def test_no_clock_and_no_list_of_who_is_waited_for_knows_of_press(world: World) -> None:
    game_with(world, "grey")
    before = world.table()
    world.say("guild", *["press to all: hm"] * 5)
    after = world.table()
    assert before.deadlines == after.deadlines
    assert before.play.log == after.play.log
    with reading(world.engine) as conn:
        assert conn.exec_driver_sql("select count(*) from event").scalar_one() == after.events
