"""A small tournament for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tournament.cup import Cup, cup_at


@pytest.fixture
def cup(tmp_path: Path) -> Iterator[Cup]:
    made = cup_at(tmp_path)
    yield made
    made.world.engine.dispose()
