"""Tests that a move between a file and a server copies, compares and replays all, and never leaves both usable."""

from __future__ import annotations

import lzma
import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.service.backup import Move, move, take_back
from bot.store import copies, games, installation
from bot.store.copies import CopyFailed
from bot.store.database import Engine, Held, open_database, reading, schema_of, unopened, writing
from bot.store.installation import AlreadyRunning, only_one
from tests.forgetful import forgets_a_seat
from tests.moderator.table import GAME, START, World, make_settings
from tests.postgresql.test_backup import mentat_on
from tests.postgresql.test_database import ON_A_SERVER

Empty = Callable[[], str]
OLD = Path(__file__).parent.parent / "old_databases" / "0012.db.xz"


def moved(source: Engine, place: Path | str) -> Move:
    return move(source, place, START, lambda table, rows: None)


def all_of(engine: Engine) -> dict[str, copies.Carried]:
    """Return the contents of all tables."""
    with reading(engine) as conn:
        return copies.contents(conn)


@pytest.fixture
def old(tmp_path: Path) -> World:
    """Return a Mentat with years of use: two games, sheets, letters and quarantined mail."""
    (tmp_path / "mentat.db").write_bytes(lzma.decompress(OLD.read_bytes()))
    return World.at(tmp_path)


def test_a_file_becomes_a_database_of_a_server_and_a_file_again_with_nothing_changed(
    empty: Empty, tmp_path: Path, old: World
) -> None:
    before, url = all_of(old.engine), empty()
    done = moved(old.engine, url)
    assert done.rows == sum(each.rows for each in before.values())
    assert done.rows > 500
    assert (done.verified.games, done.verified.checked, done.verified.broken) == (2, 2, [])
    on_server = open_database(url)
    assert all_of(on_server) == before
    with pytest.raises(Held, match="was moved to postgresql://"), writing(old.engine):
        pass
    with reading(old.engine) as conn, reading(on_server) as there:
        assert installation.this_installation(conn).id == installation.this_installation(there).id
    moved(on_server, tmp_path / "back.db")
    again = open_database(tmp_path / "back.db")
    assert all_of(again) == before
    with pytest.raises(Held), writing(on_server):
        pass
    with writing(again):
        pass
    on_server.dispose()
    again.dispose()


def test_a_game_goes_on_on_the_server_and_its_numbers_behind_the_old_ones(empty: Empty, tmp_path: Path) -> None:
    world = World.at(tmp_path)
    world.new_game()
    world.say("guild", "status")
    written = world.written()
    url = empty()
    moved(world.engine, url)
    (tmp_path / "there").mkdir()
    make_settings(tmp_path / "there", ON_A_SERVER.format(url=url))
    there = World.at(tmp_path / "there", ON_A_SERVER.format(url=url))
    there._serials = world._serials
    there.now = world.now + timedelta(minutes=1)
    assert there.say("guild", "status").disposition == "orders"
    assert there.written() == written + 1
    with reading(there.engine) as conn:
        assert conn.exec_driver_sql("SELECT max(id) FROM message").scalar_one() == 2
    there.wait(30)
    with reading(there.engine) as conn:
        assert games.game_start(conn, GAME).entries > 0


def test_a_move_that_was_broken_off_leaves_an_incomplete_target_and_is_begun_anew(
    empty: Empty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, url = World.at(tmp_path), empty()
    world.new_game()

    def dies(table: str, rows: int) -> None:
        if table == "seat":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move(world.engine, url, START, dies)
    target = open_database(url)
    with pytest.raises(Held, match="start `mentat move` again"), writing(target):
        pass
    with writing(world.engine):
        pass  # the source is unchanged

    def dies_at_last(engine: Engine, row: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as last:
        last.setattr(copies, "complete_transfer", dies_at_last)
        with pytest.raises(KeyboardInterrupt):
            moved(world.engine, url)
    for engine in (target, world.engine):  # never both
        with pytest.raises(Held), writing(engine):
            pass
    moved(world.engine, url)
    with writing(target) as conn:
        assert games.every(conn) == [GAME]
    target.dispose()


def test_what_differs_over_there_is_noticed(empty: Empty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world, url = World.at(tmp_path), empty()
    world.new_game()
    forgets_a_seat(monkeypatch)
    with pytest.raises(CopyFailed, match="seat has 6 rows"):
        moved(world.engine, url)
    with writing(world.engine):
        pass


def test_a_target_that_holds_something_or_is_the_source_is_refused(empty: Empty, tmp_path: Path) -> None:
    world, url = World.at(tmp_path), empty()
    world.new_game()
    other = mentat_on(url, tmp_path / "other")
    other.new_game()
    with pytest.raises(CopyFailed, match="is not empty"):
        moved(world.engine, url)
    with pytest.raises(CopyFailed, match="is the database in the settings"):
        moved(world.engine, world.settings.mentat.database)


def test_nobody_may_be_at_work_meanwhile(empty: Empty, tmp_path: Path) -> None:
    world, url = World.at(tmp_path), empty()
    with only_one(world.another_process().engine, "running"), pytest.raises(AlreadyRunning):
        moved(world.engine, url)
    target = open_database(url)
    with only_one(target, "running"), pytest.raises(AlreadyRunning):
        moved(world.engine, url)
    target.dispose()


def test_where_nothing_may_be_moved_nothing_is_made(empty: Empty, tmp_path: Path) -> None:
    world, url = World.at(tmp_path), empty()
    for place in (url, tmp_path / "there.db"):
        with only_one(world.another_process().engine, "running"), pytest.raises(AlreadyRunning):
            moved(world.engine, place)
    target = unopened(url)
    assert schema_of(target) == ""
    target.dispose()
    assert list(tmp_path.glob("there.db*")) == []


def test_a_database_that_was_moved_can_be_taken_back(empty: Empty, tmp_path: Path) -> None:
    world = World.at(tmp_path)
    with pytest.raises(CopyFailed, match="was not moved"):
        take_back(world.engine)
    moved(world.engine, empty())
    with pytest.raises(CopyFailed, match="is held"):
        moved(world.engine, empty())
    assert take_back(world.engine).startswith("postgresql://")
    with writing(world.engine):
        pass


def test_what_a_server_cannot_hold_in_a_text_is_replaced(empty: Empty, tmp_path: Path) -> None:
    world, url = World.at(tmp_path), empty()
    world.new_game()
    world.engine.dispose()
    with sqlite3.connect(world.settings.mentat.database) as raw:
        raw.execute("UPDATE letter SET error = 'a' || char(0) || 'b' WHERE id = 1")
    moved(world.engine, url)
    with reading(open_database(url)) as conn:
        assert conn.exec_driver_sql("SELECT error FROM letter WHERE id = 1").scalar_one() == "a\ufffdb"
