"""Tests for `mentat game end`, which announces a last turn or ends a game at once."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Mentat
from tests.moderator.table import GAME, World, address_of


@pytest.fixture(autouse=True)
def _begun(place: World) -> None:
    place.silent_game("bidding", ruleset="wbc-2018")


def test_a_last_turn_is_announced_and_verifies(mentat: Mentat, place: World) -> None:
    before = len(place.letters())
    tried = mentat("game", "end", GAME, "--last-turn", "3", "--dry-run")
    assert (tried.code, "Nothing was done" in tried.out) == (0, True)
    assert (len(place.letters()), place.table().play.state.last_turn) == (before, 0)
    ran = mentat("game", "end", GAME, "--last-turn", "3", "--why", "The hall is let.")
    assert ran.code == 0, ran.err
    assert place.another_process().table().play.state.last_turn == 3
    assert mentat("game", "show", GAME, "--as", "public", "--json").json["last_turn"] == 3
    assert mentat("game", "verify", GAME).code == 0
    assert mentat("game", "end", GAME, "--last-turn", "3").code == 1


@pytest.mark.parametrize(
    ("words", "winners"),
    [
        (["--void"], []), (["--agreed", "guild", "--agreed", "fremen"], ["guild", "fremen"]),
        (["--adjudicated", "harkonnen"], ["harkonnen"]),
    ],
)  # fmt: skip
def test_a_game_ends_at_once_and_its_record_is_whole(
    mentat: Mentat, place: World, words: list[str], winners: list[str]
) -> None:
    ran = mentat("game", "end", GAME, *words, "--why", "All are tired.")
    assert ran.code == 0, ran.err
    table = place.another_process().table()
    assert table.status == "over"
    assert set(table.play.state.winners) == set(winners)
    assert mentat("game", "verify", GAME).code == 0
    assert mentat("game", "end", GAME, "--void").code == 1
    assert "spice" in place.newest(address_of("guild")).text, "the seed is told at the end"


def test_a_void_game_is_won_by_nobody_in_every_subject(mentat: Mentat, place: World) -> None:
    before = place.written()
    assert mentat("game", "end", GAME, "--void").code == 0
    subjects = {letter.subject for letter in place.letters(after=before)}
    assert subjects == {f"[{GAME}] The game is over: nobody won"}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "one of"), (["--void", "--last-turn", "3"], 2, "one of"), (["--agreed", "richese"], 2, "is not one of"),
        (["--agreed", "guild", "--agreed", "guild"], 1, "You have named the Guild twice"),
        (["--last-turn", "15"], 1, "already the last"), (["--last-turn", "-1"], 1, "already over"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(mentat: Mentat, place: World, words: list[str], code: int, said: str) -> None:
    before = len(place.letters())
    ran = mentat("game", "end", GAME, *words)
    assert ran.code == code
    assert said in ran.err
    assert len(place.letters()) == before
