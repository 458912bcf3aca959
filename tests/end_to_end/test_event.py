"""A whole event by mail with everything that goes wrong at real ones; a long test, so it has to be asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.demo.event import hold
from tests.size import SLOW


@pytest.mark.skipif(not SLOW, reason="a whole event takes minutes: MENTAT_SLOW=1 plays it, with 200 players")
def test_an_event_of_two_hundred_with_all_its_mishaps_holds(tmp_path: Path) -> None:
    held = hold(tmp_path, 200, "arrakis", 2, lambda said: None)
    assert held.wrong == []
    assert held.counted["games"] == 109
    assert held.counted["mails"] > 10_000


def test_an_event_of_twelve_has_every_mishap_that_so_few_can_have_and_holds(tmp_path: Path) -> None:
    said: list[str] = []
    held = hold(tmp_path, 12, "arrakis", 2, said.append)
    assert held.wrong == []
    assert said[:2] == ["12 confirmed", "6 games begin"]
    assert said[-1] == "final: 1 games begin"
    mishaps = {"last-turn notices": 4, "rollbacks": 1, "outages": 1, "disqualified": 1, "games": 7}
    assert held.counted.items() >= mishaps.items()
    assert held.counted["tenures: seated"] >= 36
    assert held.counted["letters"] > held.counted["mails"] > 500
    assert 21 < held.days < 90
    published = held.published
    assert (published.state, len(published.rounds)) == ("finished", 4)
    assert sorted(entrant.state for entrant in published.entrants).count("disqualified") == 1
    assert len(published.standings) >= 12
