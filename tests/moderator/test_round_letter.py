"""One letter reports the end of a turn and calls for the next round: first the results, then the questions, without
repetition."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.moderator.table import GAME, World

FEW = ("atreides", "guild", "harkonnen")
OVER = f"{GAME}: turn 1 is over."


@pytest.fixture(params=["table", "steady", "swift"])
def ended(world: World, request: pytest.FixtureRequest) -> World:
    """Start a game and play past the end of its first turn."""
    world.new_game(factions=FEW, tempo=request.param)
    world.silence_until("bidding" if request.param == "steady" else "storm", turn=2)
    return world


def test_each_player_gets_one_letter_about_the_end_of_a_turn(ended: World) -> None:
    for faction in FEW:
        (told,) = [letter for letter in ended.letters(faction) if OVER in letter.text]
        said = told.text.replace("\r", "")
        parts = [
            OVER,
            "==",
            "\n  Arrakeen",
            "THE BOARD",
            "WHO DID WHAT",
            "\nYOU\n",
            "THE TABLE",
        ]
        places = [said.index(part) for part in parts]
        assert places == sorted(places)
        for part in ("THE BOARD", "WHO DID WHAT", "THE TABLE"):
            assert said.count(f"\n{part}") == 1  # no repetition
        assert told.html.count("cid:board") == 1


def test_what_is_asked_stands_between_the_first_screen_and_the_board(ended: World) -> None:
    for faction in FEW:
        (told,) = [letter for letter in ended.letters(faction) if OVER in letter.text]
        if "[form " in told.text:
            asked = told.text.index("If you say nothing")
            assert told.text.index("\n  Arrakeen") < asked < told.text.index("THE BOARD")


def test_a_call_never_comes_before_the_end_of_the_turn_is_told(ended: World) -> None:
    for faction in FEW:
        letters = [letter for letter in ended.letters(faction) if letter.faction == faction]
        first = next(number for number, letter in enumerate(letters) if OVER in letter.text)
        assert not any("Turn 2" in letter.subject for letter in letters[:first])


def test_an_answer_that_ends_a_turn_says_what_became_of_it_in_the_same_letter(world: World) -> None:
    world.new_game(factions=FEW, tempo="table")
    for _ in range(400):
        waiting = {question.faction for question in world.table().play.questions()}
        before = world.written()
        if world.table().play.state.phase == "collection" and len(waiting) == 1:
            (faction,) = waiting
            world.say(faction, "no transfer")
            if world.table().play.state.turn == 2:
                (letter,) = world.letters(faction, before)
                assert OVER in letter.text
                assert "no transfer" in letter.text
                return
        elif waiting and world.table().play.state.phase == "collection":
            world.say(sorted(waiting)[0], "no transfer")
        else:
            world.wait(24)
    raise AssertionError("no mail ended the turn")


def test_the_round_letters_of_a_game_tell_each_turn_once_and_in_order(world: World) -> None:
    world.new_game(factions=FEW, tempo="steady")
    world.silence_until("bidding", turn=4)
    for faction in FEW:
        texts = [letter.text for letter in world.letters(faction)]
        told = [[number for number, text in enumerate(texts) if f"turn {turn} is over." in text] for turn in (1, 2, 3)]
        assert [len(each) for each in told] == [1, 1, 1]
        assert all(one < other for one, other in pairwise(each[0] for each in told))
