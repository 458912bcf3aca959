"""Tests that commands report a damaged or missing database, and that only `mentat init` creates one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bot.store.database import DamagedDatabase
from tests.cli.conftest import Mentat
from tests.moderator.table import GAME, World
from tests.moderator.test_service_clock import OneLook

PAGE = 4096
COMMANDS = (
    ("game", "list"), ("game", "show", GAME), ("game", "verify", GAME), ("desk",), ("send",), ("poll",), ("run",),
    ("backup", "copy.db"), ("game", "extend", GAME, "3"),
)  # fmt: skip


def overwrite_header(data: bytearray) -> None:
    data[:16] = b"another kind of f"[:16]


def cut(data: bytearray) -> None:
    del data[len(data) // 2 + 100 :]


def overwrite_pages(data: bytearray) -> None:
    chance = random.Random(1)
    for page in range(1, len(data) // PAGE):
        data[page * PAGE : page * PAGE + 64] = chance.randbytes(64)


def overwrite_rows(data: bytearray) -> None:
    chance = random.Random(1)
    for page in range(1, len(data) // PAGE):
        for _ in range(40):
            data[page * PAGE + chance.randrange(200, PAGE)] = chance.randrange(256)


def change_a_few_bytes(data: bytearray) -> None:
    chance = random.Random()
    for page in range(1, len(data) // PAGE):
        for _ in range(3):
            data[page * PAGE + chance.randrange(8, PAGE)] = chance.randrange(256)


DAMAGES = (overwrite_header, cut, overwrite_pages, overwrite_rows, change_a_few_bytes)


def damage(world: World, how: object) -> Path:
    file = world.settings.mentat.database
    world.engine.dispose()
    data = bytearray(file.read_bytes())
    how(data)  # type: ignore[operator]
    file.write_bytes(data)
    for beside in ("-wal", "-shm"):
        file.with_name(file.name + beside).unlink(missing_ok=True)
    return file


@pytest.fixture
def played(place: World) -> World:
    place.new_game()
    return place


@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("words", COMMANDS)
def test_a_damaged_database_is_named(played: World, mentat: Mentat, how: object, words: tuple[str, ...]) -> None:
    file = damage(played, how)
    ran = mentat(*words)
    assert ran.code == 1
    assert str(file) in ran.err or file.name in ran.err
    assert "is damaged" in ran.err or "is another kind of file" in ran.err


@pytest.mark.parametrize("how", DAMAGES)
def test_health_turns_where_the_database_is_damaged(played: World, mentat: Mentat, how: object) -> None:
    damage(played, how)
    ran = mentat("health")
    assert ran.code == 1
    assert "wrong: database" in ran.out


@pytest.mark.parametrize("words", [*COMMANDS, ("game", "new", "other", "ah-basic")])
@pytest.mark.parametrize("left", ["nothing", "an empty file"])
def test_no_command_makes_a_database(place: World, mentat: Mentat, words: tuple[str, ...], left: str) -> None:
    file = place.settings.mentat.database
    place.engine.dispose()
    for each in file.parent.glob("mentat.db*"):
        each.unlink()
    if left != "nothing":
        file.touch()
    ran = mentat(*words)
    assert ran.code != 0
    assert not file.exists() or not file.stat().st_size


class DamagedWhileAtWork(OneLook):
    def wait(self, seconds: float) -> bool:
        damage(self.world, self.how)
        return True

    def __init__(self, world: World, how: object) -> None:
        super().__init__(world)
        self.world, self.how = world, how


@pytest.mark.parametrize("how", [overwrite_header, cut, overwrite_pages])
def test_the_service_stops_over_a_damaged_database(played: World, how: object) -> None:
    with pytest.raises(DamagedDatabase):
        DamagedWhileAtWork(played, how).service.run()
