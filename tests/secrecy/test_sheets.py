"""Tests that sheets stay secret at every tempo, in random games by mail seen by the other players."""

import os
from pathlib import Path

import pytest

from rules.components.chance import Chance
from tests.moderator.table import World
from tests.secrecy import sheets_pried
from tests.secrecy.sheets_pried import hunt, pry_into_sheets
from tests.secrecy.silent_games import TEMPOS

SLOW = bool(os.environ.get("MENTAT_SLOW"))


@pytest.mark.parametrize("tempo", TEMPOS)
def test_sheets_and_what_is_hidden_show_in_no_letter_to_others(world: World, tmp_path: Path, tempo: str) -> None:
    world.new_game("wbc-2018", tempo=tempo, seed=f"sheets {tempo}")
    found = pry_into_sheets(world, tmp_path, Chance(f"sheets {tempo}", {}), pairs=5, steps=3)
    assert found.leaks == []
    assert found.compared.total() == 5
    assert len(found.compared) > 2


def test_a_line_that_tells_would_be_noticed(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world.new_game("wbc-2018", tempo="steady")
    monkeypatch.setattr(sheets_pried, "sheet_lines", lambda play, faction, chance: ("press to all: I file a sheet",))
    leaks = pry_into_sheets(world, tmp_path, Chance("tells", {}), pairs=4, steps=1).leaks
    assert any("gets other letters" in leak for leak in leaks)


@pytest.mark.skipif(not SLOW, reason="MENTAT_SLOW=1 looks for a quarter of an hour")
def test_sheets_stay_secret_for_long() -> None:
    assert hunt(900, "slow") == 0
