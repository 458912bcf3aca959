"""Tests for `mentat game press` and `mentat game new --press`."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Mentat
from tests.moderator.table import GAME, World


def test_a_game_begins_with_the_press_that_was_asked_for(mentat: Mentat, place: World) -> None:
    seats = [f"--seat={faction}={faction}@players.example" for faction in ("guild", "fremen")]
    ran = mentat("game", "new", "--id", "den", "--press", "quota=3, public", *seats, "--json")
    assert (ran.code, ran.json["press"]) == (0, "public,quota=3"), ran.err
    assert place.another_process().table("den").press == "public,quota=3"


@pytest.mark.parametrize(
    ("press", "why"),
    [
        ("loud", "'loud' is neither a mode of press"),
        ("open,gunboat,names-until=round", "names-until=round works only at tournament tables"),
    ],
)
def test_a_press_that_cannot_be_begins_no_game(mentat: Mentat, place: World, press: str, why: str) -> None:
    ran = mentat(
        "game", "new", "--id", "den", "--press", press, "--seat=guild=a@b.example", "--seat=fremen=c@d.example"
    )
    assert ran.code == 2
    assert why in " ".join(ran.err.split())
    assert mentat("game", "show", "den").code == 2


def test_it_is_shown_in_words_and_made_stricter(mentat: Mentat, place: World) -> None:
    place.new_game()
    shown = mentat("game", "press", GAME)
    assert (shown.code, f"The press of {GAME} is open:" in shown.out) == (0, True)
    tried = mentat("game", "press", GAME, "public", "quota=3", "--dry-run")
    assert (tried.code, place.another_process().table().press) == (0, "open")
    assert "a letter to guild@players.example" in tried.out
    ran = mentat("game", "press", GAME, "public,quota=3", "--why", "quarrels", "--json")
    assert (ran.code, ran.json) == (0, {"game": GAME, "press": "public,quota=3"})
    assert "You can send 3 letters a turn." in mentat("game", "press", GAME).out
    assert "open to public,quota=3" in mentat("game", "acts", GAME).out


@pytest.mark.parametrize("wanted", ["grey", "open,gunboat", "loud"])
def test_what_is_not_stricter_is_refused(mentat: Mentat, place: World, wanted: str) -> None:
    place.new_game()
    before = place.written()
    ran = mentat("game", "press", GAME, wanted)
    assert ran.code == 1
    assert place.written() == before


def test_nothing_is_done_where_the_game_has_moved_on(mentat: Mentat, place: World) -> None:
    place.new_game()
    ran = mentat("game", "press", GAME, "public", "--if", "4/bidding")
    assert ran.code == 1
    assert "has moved on" in " ".join(ran.err.split())
    assert place.another_process().table().press == "open"
