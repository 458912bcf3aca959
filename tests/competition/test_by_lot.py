"""Tournaments of any size whose winners come by lot: the export holds, and another program finds the same points."""

from __future__ import annotations

import msgspec
import pytest

from bot.competition.points import printed
from bot.competition.published import encode
from bot.soak.tournaments import by_lot
from tests.competition.independent import places
from tests.size import size


@pytest.mark.parametrize("entrants", size([12, 60, 200], [12, 60, 200, 1000, 10_000]))
def test_the_export_of_a_tournament_by_lot_holds(entrants: int) -> None:
    made = by_lot(entrants, "arrakis")
    assert made.difference == ""
    assert made.met_again == 0 or entrants < 60
    assert len(made.published.standings) == entrants
    if entrants <= 200:
        heats = [one for one in made.published.results if one.outcome.round <= 3]
        alone = encode(msgspec.structs.replace(made.published, results=tuple(heats)))
        points = {entrant: printed(points) for entrant, points in places(alone)}
        assert {row.entrant: row.points for row in made.published.standings} == points
