"""Fixtures: a fresh Mentat for each test, and games that reached a phase in silence."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.moderator.table import World
from tests.moderator.twins import Twins
from tests.secrecy.silent_games import silent_game

Standing = Callable[..., World]
Twinned = Callable[..., Twins]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World.at(tmp_path)
    yield made
    made.engine.dispose()


@pytest.fixture(scope="session")
def silent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standing]:
    """Yield a function for games that reached a phase in silence. Copy these games; do not play them."""
    made: dict[tuple[str, str, int], World] = {}

    def stand(tempo: str, phase: str, turn: int = 1) -> World:
        if (tempo, phase, turn) not in made:
            folder = tmp_path_factory.mktemp(f"{tempo}-{phase}-{turn}")
            made[tempo, phase, turn] = silent_game(folder, tempo, phase, turn)
        return made[tempo, phase, turn]

    yield stand
    for world in made.values():
        world.engine.dispose()


@pytest.fixture
def twinned(silent: Standing, tmp_path: Path) -> Iterator[Twinned]:
    """Yield a function that makes two copies of such a game."""
    made: list[Twins] = []

    def twin(tempo: str, phase: str, turn: int = 1) -> Twins:
        made.append(Twins(silent(tempo, phase, turn), tmp_path, f"twins{len(made)}"))
        return made[-1]

    yield twin
    for twins in made:
        twins.close()
