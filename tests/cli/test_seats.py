"""Tests for `mentat game replace`, which gives a seat to another player."""

from __future__ import annotations

from tests.cli.conftest import Mentat
from tests.moderator.table import GAME, World


def test_a_seat_is_given_to_another_player(mentat: Mentat, place: World) -> None:
    place.new_game("wbc-2018")
    ran = mentat("game", "replace", GAME, "guild", "Dora@players.example", "--name", "Dora")
    assert ran.code == 0
    assert "Dora (dora@players.example) now plays the Guild in sietch-12" in ran.out
    assert place.table().seats["guild"].address == "dora@players.example"


def test_the_answer_for_programs(mentat: Mentat, place: World) -> None:
    place.new_game("wbc-2018")
    ran = mentat("game", "replace", GAME, "guild", "dora@players.example", "--json")
    assert ran.json == {"game": GAME, "faction": "guild", "address": "dora@players.example", "name": "dora"}


def test_what_cannot_be_is_said_in_one_sentence(mentat: Mentat, place: World) -> None:
    place.new_game("wbc-2018")
    for words, code, said in (
        (("guild", "fremen@players.example"), 1, "two seats"),
        (("richese", "dora@players.example"), 2, "is not one of"),
        (("guild", "dora"), 2, "is not one mail address"),
    ):
        ran = mentat("game", "replace", GAME, *words)
        assert (ran.code, ran.out) == (code, "")
        assert said in ran.err
    assert mentat("game", "replace", "nowhere", "guild", "dora@players.example").code == 2
