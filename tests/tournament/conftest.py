from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import mentat, place
from tests.tournament import entries
from tests.tournament.cup import Cup, cup_at

__all__ = ["mentat", "place"]


@pytest.fixture
def cup(tmp_path: Path) -> Iterator[Cup]:
    made = cup_at(tmp_path)
    yield made
    made.world.engine.dispose()


@pytest.fixture
def entry_cup(tmp_path: Path) -> Iterator[entries.Cup]:
    """Start a tournament that accepts entries."""
    made = entries.Cup.at(tmp_path)
    yield made
    made.world.engine.dispose()
