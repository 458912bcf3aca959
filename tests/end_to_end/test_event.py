"""A whole event by mail with everything that goes wrong at real ones; a long test, so it has to be asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.lab.tournaments import hold_event
from tests.size import SLOW


@pytest.mark.skipif(not SLOW, reason="a whole event takes minutes: MENTAT_SLOW=1 plays it, with 200 players")
def test_an_event_of_two_hundred_with_all_its_mishaps_holds(tmp_path: Path) -> None:
    held = hold_event(tmp_path, 200, "arrakis", 2, lambda said: None)
    assert held.wrong == []
    assert held.counted["games"] == 109
    assert held.counted["mails"] > 10_000
