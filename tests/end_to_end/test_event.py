"""Tests a whole event by mail with the mishaps of real events; too long for a normal run."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.competition.published import encode_published
from bot.competition.scoring import printed_points
from bot.lab.tournaments import hold_event
from tests.competition import independent
from tests.size import SLOW


@pytest.mark.skipif(not SLOW, reason="a whole event takes minutes: MENTAT_SLOW=1 plays it, with 200 players")
def test_an_event_of_two_hundred_with_all_its_mishaps_holds(tmp_path: Path) -> None:
    """One heat and a final of one-turn games: six minutes of computing. Players and arbiters write mails; the test adds
    a last turn, a rollback, an amendment and a disqualification."""
    held = hold_event(tmp_path, 200, "arrakis", 1, lambda said: None)
    assert held.wrong == []
    assert held.counted["games"] == 35
    assert held.counted["mails"] > 2_500
    data, document = encode_published(held.published), held.published
    assert independent.wrong_draws(data, document.secret) == []
    places = independent.places(data, [row.entrant for row in document.standings])
    assert [(who, printed_points(points)) for who, points in places] == [
        (row.entrant, row.points) for row in document.standings
    ]
