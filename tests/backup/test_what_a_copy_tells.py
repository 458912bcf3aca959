"""Tests what Mentat learns from a copy that does not record when it was made, and which of its games it checks."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from bot.service.backup import _spread
from bot.service.restoration import check, restore
from bot.store import installation
from bot.store.copies import CopyFailed
from bot.store.database import open_database, reading, writing
from bot.store.installation import HeartbeatName
from tests.moderator.table import ADDRESS, CONFIG, START, World

pytestmark = pytest.mark.sqlite_only
HOUR = timedelta(hours=1)


def copied(world: World, tmp_path: Path) -> Path:
    """Return a plain copy of the database, without a backup's label."""
    world.engine.dispose()
    with sqlite3.connect(world.settings.mentat.database) as own, sqlite3.connect(tmp_path / "copy.db") as copy:
        own.backup(copy)
    return tmp_path / "copy.db"


@pytest.mark.parametrize(
    ("beats", "hours"), [({"service": 5}, 5), ({"mailbox": 4, "service": 3}, 4), ({"loop": 9, "service": 2}, 2)]
)
def test_a_plain_copy_is_of_when_its_mentat_was_last_at_work(
    world: World, tmp_path: Path, beats: dict[HeartbeatName, int], hours: int
) -> None:
    with writing(world.engine) as conn:
        for part, after in beats.items():
            installation.beat(conn, part, START + after * HOUR)
    file = copied(world, tmp_path)
    assert check(file, None, START + 99 * HOUR).copy_at == START + hours * HOUR
    (tmp_path / "new").mkdir()
    other = World.at(tmp_path / "new", CONFIG)
    other.engine.dispose()
    found = restore(file, other.settings, None, START + 99 * HOUR, replace=True, from_another=False)
    assert found.copy_at == START + hours * HOUR
    with reading(open_database(other.settings.database_place)) as conn:
        own = installation.this_installation(conn)
        assert (own.restored, own.restored_copy_at, own.held_since) == (True, found.copy_at, START + 99 * HOUR)


def test_mail_that_came_later_tells_it_better(world: World, tmp_path: Path) -> None:
    world.new_game()
    with writing(world.engine) as conn:
        installation.beat(conn, "service", START)
    world.now = START + 7 * HOUR
    world.say("guild", "status")
    assert check(copied(world, tmp_path), None, START + 99 * HOUR).copy_at == world.now


def test_a_copy_in_which_nothing_ever_happened_is_of_now_once_it_is_put_back(world: World, tmp_path: Path) -> None:
    file = copied(world, tmp_path)
    assert check(file, None, START).copy_at is None
    (tmp_path / "new").mkdir()
    other = World.at(tmp_path / "new", CONFIG)
    other.engine.dispose()
    assert restore(file, other.settings, None, START, replace=False, from_another=False).copy_at == START


def test_a_database_that_has_mail_and_no_game_is_not_replaced_without_a_word(world: World, tmp_path: Path) -> None:
    file = copied(world, tmp_path)
    (tmp_path / "new").mkdir()
    other = World.at(tmp_path / "new", CONFIG)
    mail = f"From: ann@elsewhere.example\r\nTo: {ADDRESS}\r\nMessage-ID: <1@elsewhere.example>\r\n\r\nhelp\r\n"
    other.moderator.deliver(mail.encode(), other.now)
    other.engine.dispose()
    with pytest.raises(CopyFailed, match="contains games or mail already; add --replace"):
        restore(file, other.settings, None, START, replace=False, from_another=False)


@pytest.mark.parametrize(
    ("most", "day", "chosen"),
    [
        (-1, 0, []), (0, 0, []), (1, 0, ["h"]), (1, 5, ["h"]), (2, 0, ["h", "a"]), (2, 6, ["h", "g"]),
        (2, 7, ["h", "a"]), (3, 0, ["h", "a", "d"]), (3, 1, ["h", "b", "e"]),
        (7, 0, ["h", "a", "b", "c", "d", "e", "f"]),
    ],
)  # fmt: skip
def test_some_of_many_games_are_looked_into_always_with_the_last(most: int, day: int, chosen: list[str]) -> None:
    assert _spread("abcdefgh", most, day) == chosen
