"""Malformed, late and misdirected lines: Mentat answers them and never accepts them as orders."""

from __future__ import annotations

import pytest

from rules.components import Faction
from rules.orders import StormDial
from tests.moderator.table import World

FEW: tuple[Faction, ...] = ("atreides", "guild", "harkonnen")
SECOND = "sietch-13"


def dialer(world: World) -> Faction:
    """Play on to the first storm dial and return one of the two dialling factions."""
    world.silence_until("storm")
    world.wait(24)
    return next(faction for faction, kinds in world.asked().items() if kinds == ["storm-dial"])


@pytest.mark.parametrize("line", [
    "dial " + "7" * 10_000, "storm " * 1_700, "storm " + "7 " * 100, "7 " * 100, "stоrm 7", "ѕtorm 7", "storm ७",
    "storm AtreidesHarkonnen", "ally atreidesharkonnen", "<b>storm 7</b>", "storm <script>7</script>", "&#115;torm 7",
])  # fmt: skip
def test_a_bad_line_is_answered_and_nothing_is_taken_of_it(world: World, line: str) -> None:
    world.new_game(factions=FEW)
    one = dialer(world)
    asked, before = world.asked(), world.written()
    assert world.say(one, line).taken == 0
    assert world.asked() == asked
    assert world.table().play.answered() == []
    (answer,) = world.letters(after=before)
    assert answer.faction == one
    assert len(answer.text) < 6_000
    assert "<script>" not in answer.html
    assert "<b>storm" not in answer.html


def test_a_proposal_that_comes_back_after_its_time_is_refused_and_changes_nothing(world: World) -> None:
    world.new_game(factions=FEW)
    one = dialer(world)
    assert world.say(one, "I diall sevn").taken == 0
    assert "storm 7" in world.newest(one).text
    world.wait(24)
    asked, log = world.asked(), len(world.table().play.events)
    assert world.say(one, "storm 7").taken == 0
    assert (world.asked(), len(world.table().play.events)) == (asked, log)
    said = " ".join(world.newest(one).text.split())
    assert "REFUSED It came after the deadline" in said


def test_a_proposal_that_comes_back_after_another_answer_replaces_it_as_any_order_does(world: World) -> None:
    world.new_game(factions=FEW)
    one = dialer(world)
    world.say(one, "I diall sevn")
    world.say(one, "storm 3")
    assert world.say(one, "storm 7").taken == 1
    assert [orders for _, orders in world.table().play.answered()] == [(StormDial(7),)]


@pytest.mark.parametrize("line", ["I dial seven", "7"])
def test_a_line_that_is_an_order_in_one_game_is_chatter_in_another(world: World, line: str) -> None:
    world.new_game(factions=FEW)
    one = dialer(world)
    world.new_game(factions=FEW, game=SECOND, seed="other spice")
    before = world.asked(SECOND)
    assert before != world.asked()
    assert world.say(one, line, game=SECOND).taken == 0
    assert world.asked(SECOND) == before
    assert world.table().play.answered() == [], "the game that it was not sent to heard nothing of it"
    assert world.say(one, line).taken == 1
    assert world.asked(SECOND) == before


def test_in_one_mail_for_two_games_a_line_counts_where_it_is_an_order(world: World) -> None:
    world.new_game(factions=FEW)
    one = dialer(world)
    world.new_game(factions=FEW, game=SECOND, seed="other spice")
    before = world.asked(SECOND)
    lines = ("I dial seven", f"[#{world.token(one, SECOND)}]", "I dial seven")
    assert world.say(one, *lines).taken == 1
    assert world.asked(SECOND) == before
