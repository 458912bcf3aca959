"""Tests that an ambiguous name means any of its candidates."""

from __future__ import annotations

import pytest

from bot.language.names import LEADER_NAMES, TERRITORY_NAMES, Found, Unclear


def test_the_sietch_is_any_of_three() -> None:
    found = TERRITORY_NAMES.find("the sietch")
    assert isinstance(found, Unclear)
    assert set(found.names) == {"Habbanya Ridge Sietch", "Sietch Tabr", "Tuek's Sietch"}


@pytest.mark.parametrize(("text", "name"), [("siet", "sietch-tabr"), ("carth", "carthag"), ("shield", "shield-wall")])
def test_a_beginning_of_one_name_is_that_name(text: str, name: str) -> None:
    assert TERRITORY_NAMES.find(text) == Found(name)
    assert LEADER_NAMES.find("captain") == LEADER_NAMES.find("capt")
