"""Tests for the Hidden Mobile Stronghold in letters and pictures: direction, occupants, and the Ixians' secrets."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bot.render import summary
from bot.render.news import Changes, Journey
from bot.render.picture import board_digest, picture, svg
from rules.components.board import MOBILE_STRONGHOLD, Area, territory_of
from tests.reports.positions import VIEW


def with_stronghold(at: str | None, **inside: str) -> dict[str, Any]:
    """Return a view of a game with the Ixians."""
    forces = {**VIEW["forces"], **({str(MOBILE_STRONGHOLD): inside} if inside else {})}
    return {**VIEW, "hms": {"at": at}, "forces": forces}


@pytest.mark.clause("IT.HMS.2")
def test_the_picture_shows_it_beside_the_area_that_it_points_at() -> None:
    drawn = svg(with_stronghold("red-chasm/7", ixians="3+3"))
    assert "Stronghold<" in drawn
    assert ">I 3+3<" in drawn
    assert drawn != svg(with_stronghold("polar-sink", ixians="3+3"))


def test_without_a_place_and_without_ixians_there_is_none() -> None:
    assert "Stronghold<" not in svg(with_stronghold(None, ixians="3+3"))
    assert "Stronghold<" not in svg(VIEW)


def test_a_move_of_it_alone_is_another_picture_and_games_without_it_keep_their_mark() -> None:
    before, after = with_stronghold("red-chasm/7", ixians="1"), with_stronghold("south-mesa/6", ixians="1")
    assert board_digest(before) != board_digest(after)
    assert board_digest({**VIEW}) == board_digest({**VIEW, "turn": 9})


def test_every_area_can_be_pointed_at() -> None:
    assert all(picture(with_stronghold(at, ixians="1"))[:4] == b"\x89PNG" for at in ("meridian/1", "polar-sink"))


def test_tokens_that_are_shipped_into_it_come_from_beyond_the_rim_behind_the_area_that_it_points_at() -> None:
    view = with_stronghold("red-chasm/7", ixians="3+3")
    into_it, beside_it = (
        svg(view, Changes((Journey("ixians", None, area, shipped=True),))).partition('stroke-dasharray="0 ')[0][-200:]
        for area in (MOBILE_STRONGHOLD, Area("red-chasm/7"))
    )
    begin = re.compile(r"M[-0-9.]+ [-0-9.]+")
    assert begin.findall(into_it)[-1] == begin.findall(beside_it)[-1]


@pytest.mark.parametrize("journey", [(None, MOBILE_STRONGHOLD), (Area("polar-sink"), MOBILE_STRONGHOLD)])
def test_who_went_into_it_is_not_drawn_once_it_points_nowhere(journey: tuple[Area | None, Area]) -> None:
    went = Changes((Journey("ixians", *journey, shipped=False),))
    assert svg(with_stronghold(None), went) == svg(with_stronghold(None))


@pytest.mark.clause("IT.HMS.26")
def test_the_digest_names_who_holds_it() -> None:
    held = summary._standing(with_stronghold("red-chasm/7", guild="2")["forces"])
    assert held[territory_of(MOBILE_STRONGHOLD)] == ("guild",)
    assert territory_of(MOBILE_STRONGHOLD) not in summary._standing(VIEW["forces"])
