"""A Mentat with a tournament that takes entries."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tournament.entries import Cup


@pytest.fixture
def cup(tmp_path: Path) -> Iterator[Cup]:
    made = Cup.at(tmp_path)
    yield made
    made.world.engine.dispose()
