"""Tests for `mentat tournament enter` and `withdraw`, with which a director registers entrants."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Mentat
from tests.moderator.table import World
from tests.tournament.entries import Cup, address


@pytest.fixture
def cup(place: World) -> Cup:
    made = Cup(place)
    made.make("cup")
    return made


def test_a_director_enters_somebody_who_still_has_to_confirm(mentat: Mentat, cup: Cup) -> None:
    ran = mentat("tournament", "enter", "cup", "Ann@example.org", "--name", "Ann")
    assert (ran.code, "E001: a letter with a code goes to ann@example.org" in ran.out) == (0, True)
    assert (cup.entrant("ann").state, cup.entrant("ann").shown) == ("entered", False)
    again = mentat("tournament", "enter", "cup", "ANN@example.org")
    assert (again.code, "was entered before" in again.out) == (0, True)
    assert len(cup.letters("ann")) <= 2
    assert len(cup.everybody()) == 1


def test_who_is_in_is_said_to_be_in(mentat: Mentat, cup: Cup) -> None:
    cup.enters("ann")
    before = cup.world.written()
    ran = mentat("tournament", "enter", "cup", address("ann"), "--json")
    assert (ran.code, ran.json["how"], ran.json["handle"]) == (0, "in", "E001")
    assert cup.world.written() == before


def test_a_dry_run_does_nothing(mentat: Mentat, cup: Cup) -> None:
    ran = mentat("tournament", "enter", "cup", address("ann"), "--dry-run")
    assert (ran.code, ran.out.startswith("It would be: ")) == (0, True)
    assert cup.everybody() == []
    assert cup.world.written() == 0


@pytest.mark.parametrize("state", ["draft", "finished", "cancelled"])
def test_where_nobody_can_enter_that_is_said(mentat: Mentat, cup: Cup, state: str) -> None:
    cup.make("other", state=state)
    ran = mentat("tournament", "enter", "other", address("ann"))
    assert (ran.code, ran.out) == (1, "")
    assert "other" in ran.err


def test_wrong_use_is_said_in_one_sentence(mentat: Mentat, cup: Cup) -> None:
    assert mentat("tournament", "enter", "cup", "ann").code == 2
    assert mentat("tournament", "enter", "none", address("ann")).code == 2
    assert mentat("tournament", "enter", "cup", "mentat@arrakis.example").code == 1
    assert mentat("tournament", "withdraw", "cup", "E404").code == 1
    assert mentat("tournament", "withdraw", "cup", "E001", "--games", "perhaps").code == 2


def test_a_director_takes_an_entrant_out(mentat: Mentat, cup: Cup) -> None:
    cup.enters("ann")
    ran = mentat("tournament", "withdraw", "cup", "e001", "--why", "They asked by telephone.")
    assert (ran.code, "E001 no longer takes part in cup" in ran.out) == (0, True)
    assert cup.entrant("ann").state == "withdrawn"
    assert "You have withdrawn" in cup.newest("ann").subject
    assert mentat("tournament", "withdraw", "cup", "E001").code == 0
