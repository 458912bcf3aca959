from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.moderator.table import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World.at(tmp_path)
    yield made
    made.engine.dispose()


@pytest.fixture
def begun(world: World) -> World:
    world.new_game()
    return world
