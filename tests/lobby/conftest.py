"""A lobby for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import mentat, place
from tests.lobby.people import Lobby

__all__ = ["mentat", "place"]


@pytest.fixture
def lobby(tmp_path: Path) -> Iterator[Lobby]:
    made = Lobby.at(tmp_path)
    yield made
    made.world.engine.dispose()
