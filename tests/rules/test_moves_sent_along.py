"""Tests for a move and a Hajr in one message: each is checked on the board that earlier orders will leave."""

import pytest

from rules.chapters.movement import HAJR
from rules.components import Forces
from rules.components.board import parse_area
from rules.engine.play import Play
from rules.orders import Hajr, NoMove, NoShipment
from tests.rules.stage import say, told
from tests.rules.test_movement import ARRAKEEN, ARSUNT, CARTHAG, IMPERIAL_BASIN, asked, at_movement, move

TUEKS, PASTY_MESA = parse_area("tueks-sietch"), parse_area("pasty-mesa/5")


def harkonnen_move(*forces: tuple[str, str], ruleset: str = "ah-basic") -> Play:
    """Return a game in which Harkonnen hold a Hajr and are asked for their move."""
    factions = {"harkonnen": {"hand": ["Hajr"], "forces": dict(forces)}, "emperor": {}}
    play = at_movement(ruleset, factions=factions)
    say(play, "harkonnen", NoShipment())
    assert asked(play) == [("harkonnen", "movement", "")]
    return play


@pytest.mark.clause("AH.AID.TIMED.3-a")
def test_tokens_that_a_hajr_brings_go_on_with_the_move_of_the_same_message() -> None:
    play = harkonnen_move(("arsunt/11", "3"))
    say(play, "harkonnen", Hajr(move("3", ARSUNT, IMPERIAL_BASIN)), move("3", IMPERIAL_BASIN, ARRAKEEN))
    assert play.state.forces == {ARRAKEEN: {"harkonnen": Forces(3)}}
    assert [event.facts["hajr"] for event in told(play, "move")] == [True, False]


@pytest.mark.clause("AH.AID.TIMED.3-a")
def test_a_hajr_stands_beside_the_word_that_nothing_else_moves() -> None:
    play = harkonnen_move(("carthag", "3"))
    say(play, "harkonnen", NoMove(), Hajr(move("3", CARTHAG, ARSUNT)))
    assert play.state.forces == {ARSUNT: {"harkonnen": Forces(3)}}
    assert len(told(play, "no-move")) == 1


@pytest.mark.clause("AH.AID.TIMED.3-a")
def test_what_is_said_twice_is_not_wanted_twice() -> None:
    play = harkonnen_move(("carthag", "3"), ("tueks-sietch", "2"))
    hajr, ordinary = Hajr(move("3", CARTHAG, ARSUNT)), move("2", TUEKS, PASTY_MESA)
    say(play, "harkonnen", ordinary, hajr, hajr)
    assert play.state.forces == {ARSUNT: {"harkonnen": Forces(3)}, PASTY_MESA: {"harkonnen": Forces(2)}}


@pytest.mark.clause("AH.AID.TIMED.3-a", "AH.IX.C.2.b")
def test_a_move_from_which_a_hajr_of_the_same_message_goes_on_is_not_replaced() -> None:
    play = harkonnen_move(("carthag", "3"), ("arsunt/11", "1"))
    orders = [
        move("3", CARTHAG, ARSUNT),
        Hajr(move("4", ARSUNT, IMPERIAL_BASIN)),
        move("1", ARSUNT, IMPERIAL_BASIN),
    ]
    *_, other = play.submit("harkonnen", orders)
    assert other.refusal is not None
    assert other.refusal.reason == "You make one move a turn, and your Hajr continues your move to Arsunt/11."
    assert play.state.forces == {IMPERIAL_BASIN: {"harkonnen": Forces(4)}}
    assert not play.game.holds("harkonnen", HAJR)


@pytest.mark.clause("GF9.MOVE.2", "GF9.MOVE.4", "FAQ.SHIP.4")
def test_a_hajr_sent_after_the_move_waits_and_says_what_it_waits_for() -> None:
    play = harkonnen_move(("carthag", "3"), ("tueks-sietch", "2"), ruleset="gf9-basic")
    say(play, "harkonnen", move("3", CARTHAG, ARSUNT))
    far, near = Hajr(move("2", TUEKS, IMPERIAL_BASIN)), Hajr(move("2", TUEKS, PASTY_MESA))
    assert (play.check("harkonnen", far).status, play.check("harkonnen", near).status) == ("held", "held")
    (doubt,) = play.check("harkonnen", far).warnings
    assert "at most 1 territory" in doubt.reason
    assert doubt.clause == "GF9.MOVE.4"
    assert not play.check("harkonnen", near).warnings
