"""Tests that everybody is told of the last turn at the same time, in the same words, whatever they hold."""

from __future__ import annotations

from bot.desk.clocks import announce_last_turn
from bot.desk.powers import DeskRequest, Use
from rules.components import FACTIONS
from tests.moderator.table import GAME, World, address_of
from tests.secrecy.conftest import Twinned
from tests.secrecy.silent_games import differ_in_hands, onlookers


def _announce(world: World, turn: int) -> None:
    announce_last_turn(
        DeskRequest(world.moderator.open_games, GAME, world.now, Use(why="The hall is let to others.")), turn
    )


def test_everybody_hears_of_the_last_turn_at_one_moment_and_in_the_same_words(twinned: Twinned) -> None:
    world = twinned("table", "bidding").one
    before = len(world.letters())
    _announce(world, 3)
    told = world.letters(after=before)
    assert {letter.recipient for letter in told} >= {address_of(faction) for faction in FACTIONS}
    assert len({letter.subject for letter in told}) == 1
    said = {_said(letter.text) for letter in told}
    assert len(said) == 1
    assert "Turn 3 is the last turn of this game." in said.pop()
    assert not any("The hall" in letter.text for letter in told), "why is for the game master"


def _said(text: str) -> str:
    """Return the letter without the lines that name its reader and their address."""
    words = " ".join(text.split())
    return words[words.index("Turn 3 is the last turn of") : words.index("stay as they were.")]


def test_the_announcement_does_not_tell_who_holds_what(twinned: Twinned) -> None:
    twins = twinned("table", "storm", 2)
    differ_in_hands(twins, {"guild": ["Weather Control", "Karama"], "emperor": ["Shield", "Snooper"]},
                    {"guild": ["Shield", "Snooper"], "emperor": ["Weather Control", "Karama"]})  # fmt: skip
    for world in (twins.one, twins.other):
        _announce(world, 2)
    assert list(twins.differences(onlookers("guild", "emperor"))) == []
    for world in (twins.one, twins.other):
        world.wait(48)
    assert list(twins.differences(onlookers("guild", "emperor"))) == []


def test_letters_say_from_then_on_which_turn_is_the_last(twinned: Twinned) -> None:
    world = twinned("table", "bidding").one
    world.say("guild", "status")
    assert "Turn 1, bidding" in _of(world)
    _announce(world, 2)
    world.say("guild", "status")
    assert "Turn 1 of 2, bidding" in _of(world)
    world.silence_until("bidding", 2)
    before = len(world.letters())
    world.say("guild", "status")
    assert "Turn 2 of 2, the last, bidding" in _of(world)
    while not world.table().play.over:
        world.wait(24)
    assert world.table().play.state.turn == 2
    assert any("Turn 2 of 2, the last, game over" in letter.text for letter in world.letters(after=before))


def _of(world: World) -> str:
    return " ".join(world.newest(address_of("guild")).text.split())
