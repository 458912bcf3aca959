"""What the first mail of a process would have to make is made before the processes are forked."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from bot.service.workers.warming import warm
from tests.moderator.table import World

FIRST_MAIL = """
import sys, time
from datetime import UTC, datetime
from pathlib import Path
from bot.config import load_settings
from bot.moderator.moderator import Moderator
from bot.service.workers.warming import warm
from bot.store.database import open_database

settings = load_settings(Path(sys.argv[1]) / "config.toml")
if sys.argv[2] == "warm":
    warm(settings)
moderator = Moderator(settings, open_database(settings.mentat.database))
raw = (Path(sys.argv[1]) / sys.argv[2]).read_bytes()
began = time.process_time()
assert moderator.receive(raw, sys.argv[2], datetime(2024, 11, 26, 20, tzinfo=UTC)).taken == 1
print(time.process_time() - began)
"""


@pytest.mark.sqlite_only
def test_the_first_mail_of_a_warm_process_takes_a_fraction_and_nothing_of_it_stays(
    world: World, tmp_path: Path
) -> None:  # fmt: skip
    world.new_game(ruleset="wbc-2018")
    took = {}
    for name in ("cold", "warm"):
        (tmp_path / name).write_bytes(world.mail("bene-gesserit", "status"))
        before = sorted(path.name for path in tmp_path.iterdir() if "mentat.db" not in path.name)
        words = [sys.executable, "-c", FIRST_MAIL, str(tmp_path), name]
        took[name] = float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
        assert sorted(path.name for path in tmp_path.iterdir() if "mentat.db" not in path.name) == before
    assert took["warm"] < took["cold"] / 2
    assert [row for row in world.messages() if row[0] != "orders"] == []


@pytest.mark.sqlite_only
def test_the_log_says_nothing_of_it_and_speaks_again_afterwards(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    warm(world.settings)
    logging.warning("the spice must flow")
    assert [record.message for record in caplog.records] == ["the spice must flow"]
