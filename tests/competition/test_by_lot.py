"""Tests for tournaments of any size with random winners: the export is valid, and a second program agrees on points."""

from __future__ import annotations

import time

import msgspec
import pytest

from bot.competition.published import encode_published
from bot.competition.scoring import printed_points
from bot.competition.standings import standings_of_published
from bot.lab.tournaments import play_by_lot
from tests.competition.independent import places, wrong_draws
from tests.size import size


@pytest.mark.parametrize("entrants", size([12, 60, 200], [12, 60, 200, 1000, 10_000]))
def test_the_export_of_a_tournament_by_lot_holds(entrants: int) -> None:
    made = play_by_lot(entrants, "arrakis")
    assert made.difference == ""
    assert made.met_again == 0 or entrants < 60
    assert len(made.published.standings) == entrants
    if entrants <= 200:
        settings = 'tie_breaks = ["points", "wins", "lot"]\n' + made.published.settings
        level = msgspec.structs.replace(made.published, settings=settings)
        found = [(entrant, printed_points(points)) for entrant, points in places(encode_published(level))]
        assert [(row.entrant, row.points) for row in standings_of_published(level)] == found
        data = encode_published(made.published)
        assert [row.entrant for row in made.published.standings] == [entrant for entrant, _ in places(data)]
        assert wrong_draws(data, made.published.secret) == []


def test_the_standings_of_a_heat_of_a_thousand_take_less_than_two_seconds() -> None:
    held = play_by_lot(1000, "arrakis", heats=1)
    assert held.difference == ""
    began = time.process_time()
    assert len(standings_of_published(held.published)) == 1000
    assert time.process_time() - began < 2
