"""Fixtures: a Mentat with a database file, and one with a database file or server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.moderator.conftest import world as world
from tests.moderator.table import CONFIG, World
from tests.postgresql.conftest import empty as empty
from tests.postgresql.conftest import server as server


@pytest.fixture(params=["sqlite", "postgresql"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """Yield a Mentat with a database of the kind in the parameter, whatever kind other tests use."""
    config = CONFIG
    if request.param == "postgresql":
        url: Any = request.getfixturevalue("empty")
        config += f'[database]\nurl = "{url()}"\n'
    elif request.config.getoption("--postgresql"):
        pytest.skip("looks into the file of a SQLite database")
    made = World.at(tmp_path, config)
    yield made
    made.engine.dispose()
