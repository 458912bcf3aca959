from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import mentat, place
from tests.lobby.people import OPEN_TO_ALL, Lobby

__all__ = ["mentat", "place"]


@pytest.fixture
def lobby(tmp_path: Path) -> Iterator[Lobby]:
    made = Lobby.at(tmp_path)
    yield made
    made.world.engine.dispose()


@pytest.fixture
def lobby_vouched(tmp_path: Path) -> Iterator[Lobby]:
    """Set up a lobby whose own mail server confirms senders' domains."""
    made = Lobby.at(tmp_path, OPEN_TO_ALL + '[identity]\nauthserv_id = "mx.arrakis.example"\n')
    yield made
    made.world.engine.dispose()
