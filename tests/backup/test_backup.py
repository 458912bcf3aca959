"""Tests that a backup can be made while Mentat writes, is whole or absent, and is restored only if nothing is lost."""

from __future__ import annotations

import lzma
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bot import VERSION
from bot.service import loop
from bot.service.backup import Backup, back_up
from bot.service.restoration import Restoration, check, restore
from bot.store import copies, games, installation
from bot.store.backends import Sqlite
from bot.store.copies import CopyFailed, Label
from bot.store.database import Held, open_database, reading, while_held, writing
from bot.store.glance import newest_schema
from bot.store.installation import AlreadyRunning, only_one
from tests.moderator.table import ADDRESS, CONFIG, GAME, World
from tests.old_databases.next_schema import next_schema as next_schema

pytestmark = pytest.mark.sqlite_only
OLD = Path(__file__).parent.parent / "old_databases" / "0012.db.xz"


def saved(world: World, file: Path, *, force: bool = False) -> Backup:
    return back_up(world.engine, ADDRESS, file, None, world.now, force=force)


def put_back(world: World, file: Path, *, replace: bool = False, from_another: bool = False) -> Restoration:
    world.engine.dispose()
    return restore(file, world.settings, None, world.now, replace=replace, from_another=from_another)


def elsewhere(folder: Path, config: str = CONFIG) -> World:
    """Return a Mentat on another machine."""
    folder.mkdir()
    return World.at(folder, config)


def test_a_backup_says_what_it_is_and_is_for_its_owner_alone(world: World, tmp_path: Path) -> None:
    world.new_game()
    made = saved(world, tmp_path / "copy.db")
    assert (made.verified.games, made.verified.checked, made.verified.broken) == (1, 1, [])
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    label = check(tmp_path / "copy.db", None, world.now).label
    with reading(world.engine) as conn:
        own = installation.this_installation(conn).id
        assert installation.heartbeat(conn, "backup") is not None
    assert (label.kind, label.installation, label.address) == ("sqlite", own, ADDRESS)
    assert (label.version, label.copied_at) == (VERSION, world.now)
    assert sorted(file.name for file in tmp_path.glob("*copy.db*")) == ["copy.db"]


def test_a_backup_that_is_there_is_replaced_only_where_that_is_said(world: World, tmp_path: Path) -> None:
    file = tmp_path / "copy.db"
    file.write_bytes(b"precious")
    with pytest.raises(CopyFailed, match="already exists"):
        saved(world, file)
    assert file.read_bytes() == b"precious"
    saved(world, file, force=True)
    assert check(file, None, world.now).label.installation


@pytest.mark.parametrize(("name", "told"), [
    ("there", "/there is a folder; name a file in it."),
    ("nowhere/copy.db", "There is no folder {folder}/nowhere; create it first."),
])  # fmt: skip
def test_a_backup_goes_into_a_folder_that_is_there_and_under_a_name_of_its_own(
    world: World, tmp_path: Path, name: str, told: str
) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(CopyFailed) as refused:
        saved(world, tmp_path / name, force=True)
    assert str(refused.value).endswith(told.format(folder=tmp_path))
    assert list((tmp_path / "there").iterdir()) == []
    assert not (tmp_path / "nowhere").exists()


def test_what_is_put_back_goes_into_a_folder_that_is_there(world: World, tmp_path: Path) -> None:
    saved(world, tmp_path / "copy.db")
    second = elsewhere(tmp_path / "second")
    second.engine.dispose()
    shutil.rmtree(tmp_path / "second")
    with pytest.raises(CopyFailed, match=f"^There is no folder {tmp_path}/second; create it first.$"):
        put_back(second, tmp_path / "copy.db")
    assert not (tmp_path / "second").exists()


def test_a_database_that_can_be_opened_and_is_damaged_gives_way_only_where_that_is_said(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(world, tmp_path / "copy.db")
    place = world.settings.mentat.database
    monkeypatch.setattr(Sqlite, "damage", lambda self, conn: "row 3 missing from index x")
    with pytest.raises(CopyFailed) as refused:
        put_back(world, tmp_path / "copy.db")
    assert str(refused.value) == f"{place} is damaged; fix it first, or add --replace to put the backup in its place."
    found = put_back(world, tmp_path / "copy.db", replace=True)
    assert found.aside is not None, "what could be read of it is kept"
    assert found.aside.exists()


def test_a_copy_that_is_not_sound_is_not_kept(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world.new_game()
    monkeypatch.setattr(copies, "damage_of", lambda conn: "row 3 missing from index x")
    with pytest.raises(CopyFailed) as refused:
        saved(world, tmp_path / "copy.db")
    assert str(refused.value) == ("The copy is damaged (row 3 missing from index x) and was deleted. Check the disk.")
    assert list(tmp_path.glob("*copy.db*")) == []


def test_a_copy_that_does_not_say_whose_it_is_can_be_put_back(world: World, tmp_path: Path) -> None:
    world.new_game()
    saved(world, tmp_path / "copy.db")
    with sqlite3.connect(tmp_path / "copy.db") as changed:
        changed.execute("DELETE FROM installation")
    label = copies.label_of(tmp_path / "copy.db")
    assert (label.kind, label.schema, label.installation, label.address, label.copied_at) == (
        "sqlite", newest_schema(), "", "", None,
    )  # fmt: skip


def test_a_backup_under_load_is_of_one_moment_and_restores(world: World, tmp_path: Path) -> None:
    world.new_game()
    stop, failed = threading.Event(), list[BaseException]()
    other = world.another_process()

    def play() -> None:
        try:
            while not stop.is_set():
                other.wait(24)
                other.say("guild", "status")
        except BaseException as error:
            failed.append(error)

    player = threading.Thread(target=play)
    player.start()
    try:
        files = [tmp_path / f"copy-{number}.db" for number in range(5)]
        entries = []
        patient = open_database(world.settings.mentat.database)
        for file in files:
            assert back_up(patient, ADDRESS, file, None, world.now, force=False).verified.broken == []
            with sqlite3.connect(file) as copy:
                entries.append(copy.execute("SELECT entries FROM game").fetchone()[0])
    finally:
        stop.set()
        player.join()
    assert failed == []
    assert entries[0] < entries[-1]  # the game was played during the backup
    second = elsewhere(tmp_path / "second")
    found = put_back(second, files[2])
    assert found.verified is not None
    assert found.verified.broken == []
    with reading(open_database(second.settings.database_place)) as conn:
        assert games.game_start(conn, GAME).entries == entries[2]


def test_what_was_restored_is_held_and_nothing_is_done_with_it(world: World, tmp_path: Path) -> None:
    world.new_game()
    saved(world, tmp_path / "copy.db")
    loop.send(world.outbox, _Nowhere(), world.now)
    put_back(world, tmp_path / "copy.db", replace=True)
    restored = world.another_process()
    with pytest.raises(Held, match="mentat restore --resume"):
        restored.say("guild", "status")
    with pytest.raises(Held):
        loop.send(restored.outbox, _Nowhere(), restored.now)
    with pytest.raises(Held):
        restored.wait(100)
    with writing(while_held(restored.engine)) as conn:
        installation.release_database(conn)
    assert restored.wait(100) == 1
    loop.send(restored.outbox, _Anywhere(), restored.now)


class _Nowhere:
    """A mail server that must not receive any letter."""

    def send(self, envelope_from: str, to: str, letter: bytes) -> None:
        raise AssertionError("a letter was sent")

    def close(self) -> None: ...


class _Anywhere(_Nowhere):
    def send(self, envelope_from: str, to: str, letter: bytes) -> None: ...


@pytest.mark.parametrize(("why", "copied", "told"), [
    ("restored", "2026-11-23T20:00:00+00:00",
     "was restored from a backup of 2026-11-23 20:00 UTC and is held: nothing is read, sent or posted; `mentat restore "
     "--resume` recovers what has happened since then and releases it."),
    ("restored", "",
     "was restored from a backup of an unknown time and is held: nothing is read, sent or posted; `mentat restore "
     "--resume` recovers what has happened since then and releases it."),
    ("incomplete", "", "was left behind by an unfinished move; start `mentat move` again."),
    ("moved to elsewhere", "",
     "was moved to elsewhere and is held; name that database in config.toml, or undo it with `mentat move --back`."),
])  # fmt: skip
def test_a_database_that_is_held_says_why_and_what_ends_it(world: World, why: str, copied: str, told: str) -> None:
    changed = "UPDATE installation SET held_since = made_at, held_why = ?, restored_copy_at = ?"
    with writing(world.engine) as conn:
        conn.exec_driver_sql(changed, (why, copied))
    with pytest.raises(Held) as held, writing(world.engine):
        pass
    assert str(held.value) == f"The database {world.settings.mentat.database} {told}"
    with reading(world.engine) as conn:
        assert installation.this_installation(conn).held_why == why


def test_games_are_overwritten_only_where_that_is_said_and_are_kept_beside(world: World, tmp_path: Path) -> None:
    world.new_game()
    saved(world, tmp_path / "copy.db")
    world.new_game(game="later")
    with pytest.raises(CopyFailed, match="--replace"):
        put_back(world, tmp_path / "copy.db")
    found = put_back(world, tmp_path / "copy.db", replace=True)
    assert found.aside is not None
    assert found.aside.stat().st_mode & 0o777 == 0o600
    with reading(open_database(world.settings.database_place)) as conn:
        assert games.every(conn) == [GAME]
    with reading(open_database(found.aside)) as conn:
        assert set(games.every(conn)) == {GAME, "later"}


def test_what_is_put_back_is_for_its_owner_alone_whoever_could_read_the_backup(world: World, tmp_path: Path) -> None:
    world.new_game()
    saved(world, tmp_path / "copy.db")
    (tmp_path / "copy.db").chmod(0o644)
    second = elsewhere(tmp_path / "second")
    put_back(second, tmp_path / "copy.db")
    assert second.settings.mentat.database.stat().st_mode & 0o777 == 0o600


def test_a_damaged_database_gives_way_to_the_backup(world: World, tmp_path: Path) -> None:
    world.new_game()
    saved(world, tmp_path / "copy.db")
    world.engine.dispose()
    place = world.settings.mentat.database
    place.write_bytes(b"no database at all, but long enough to be looked at as one" * 100)
    with pytest.raises(CopyFailed, match="--replace"):
        put_back(world, tmp_path / "copy.db")
    assert put_back(world, tmp_path / "copy.db", replace=True).aside is not None
    with reading(open_database(place)) as conn:
        assert games.every(conn) == [GAME]


def test_a_journal_of_the_old_database_is_not_read_into_the_restored_one(world: World, tmp_path: Path) -> None:
    saved(world, tmp_path / "copy.db")
    world.new_game()
    place = world.settings.mentat.database
    world.say("guild", "status")  # so that the journal has an entry
    with writing(world.engine):
        journal = place.with_name("mentat.db-wal").read_bytes()
    assert journal
    put_back(world, tmp_path / "copy.db", replace=True)
    assert not place.with_name("mentat.db-wal").exists()
    with reading(open_database(place)) as conn:
        assert games.every(conn) == []


def test_the_backup_of_another_installation_is_refused_unless_that_is_said(world: World, tmp_path: Path) -> None:
    world.new_game()
    saved(world, tmp_path / "copy.db")
    other = elsewhere(tmp_path / "other", CONFIG.replace(ADDRESS, "mentat@caladan.example"))
    with pytest.raises(CopyFailed, match="--from-another"):
        put_back(other, tmp_path / "copy.db")
    put_back(other, tmp_path / "copy.db", from_another=True)
    with reading(world.engine) as conn, reading(open_database(other.settings.database_place)) as moved:
        assert installation.this_installation(conn).id != installation.this_installation(moved).id
    same_address = elsewhere(tmp_path / "same")
    same_address.new_game()
    with writing(same_address.engine) as conn:
        conn.exec_driver_sql("UPDATE installation SET id = 'of its own'")
    with pytest.raises(CopyFailed, match="another installation"):
        put_back(same_address, tmp_path / "copy.db", replace=True)
    assert put_back(same_address, tmp_path / "copy.db", replace=True, from_another=True).aside is not None
    with reading(open_database(same_address.settings.database_place)) as conn:
        assert (
            installation.this_installation(conn).id == check(tmp_path / "copy.db", None, world.now).label.installation
        )


def test_a_file_that_is_cut_or_changed_or_no_backup_is_refused(world: World, tmp_path: Path) -> None:
    world.new_game()
    saved(world, tmp_path / "copy.db")
    whole = (tmp_path / "copy.db").read_bytes()
    cut, changed, other, empty = (tmp_path / name for name in ("cut", "changed", "other", "empty"))
    cut.write_bytes(whole[: len(whole) // 2])
    changed.write_bytes(whole[:40960] + b"\0" * 40960 + whole[81920:])
    other.write_bytes(b"Dear Mentat")
    empty.write_bytes(b"")
    second = elsewhere(tmp_path / "second")
    for file in (cut, changed, other, empty, tmp_path / "missing"):
        with pytest.raises(CopyFailed):
            check(file, None, world.now)
        with pytest.raises(CopyFailed):
            put_back(second, file)
    assert sorted(file.name for file in (tmp_path / "second").glob("mentat.db*.restoring*")) == []


def test_a_copy_of_a_server_is_told_apart_and_not_put_into_a_file(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dump = tmp_path / "copy.dump"
    dump.write_bytes(b"PGDMP and nothing more")
    with pytest.raises(CopyFailed) as unread:
        check(dump, None, world.now)
    assert "neither a SQLite database" not in str(unread.value)
    label = Label("postgresql", newest_schema(), "an installation", ADDRESS, VERSION, world.now)
    monkeypatch.setattr(copies, "label_of", lambda file: label)
    assert check(dump, None, world.now) == Restoration(label, world.now, None)
    before = world.settings.mentat.database.read_bytes()
    with pytest.raises(CopyFailed) as refused:
        put_back(world, dump)
    assert str(refused.value) == (
        f"{dump} is a copy of a PostgreSQL database, but the settings name a file; name a database on a server under "
        "[database] url, restore it there, and move it into a file with `mentat move`."
    )
    assert world.settings.mentat.database.read_bytes() == before


def test_a_database_of_something_else_is_no_backup(world: World, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "mail.db") as other:
        other.execute("CREATE TABLE mail (id INTEGER)")
    with pytest.raises(CopyFailed, match="not Mentat's"):
        check(tmp_path / "mail.db", None, world.now)


def test_a_copy_of_an_older_schema_is_upgraded_and_one_of_a_newer_is_refused(
    world: World, tmp_path: Path, next_schema: Path
) -> None:
    old = tmp_path / "old.db"
    old.write_bytes(lzma.decompress(OLD.read_bytes()))
    as_it_was = old.read_bytes()
    looked = check(old, None, world.now)
    assert (looked.label.schema, looked.label.copied_at) == ("0012", None)
    assert looked.copy_at is not None  # the last time the original was seen alive
    found = put_back(world, old)
    assert found.verified is not None
    assert found.verified.checked == 2
    assert old.read_bytes() == as_it_was
    with pytest.raises(Held), writing(open_database(world.settings.database_place)):
        pass
    with sqlite3.connect(old) as changed:
        changed.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(CopyFailed, match="newer Mentat"):
        check(old, None, world.now)


def test_nothing_is_put_back_below_a_service_that_is_at_work(world: World, tmp_path: Path) -> None:
    saved(world, tmp_path / "copy.db")
    other = world.another_process()
    with only_one(other.engine, "running"), pytest.raises(AlreadyRunning):
        put_back(world, tmp_path / "copy.db")


def test_a_game_that_does_not_hold_is_copied_and_told(world: World, tmp_path: Path) -> None:
    world.new_game()
    with writing(world.engine) as conn:
        conn.exec_driver_sql("UPDATE game SET seed = 'another'")
    made = saved(world, tmp_path / "copy.db")
    assert [proof.id for proof in made.verified.broken] == [GAME]
    assert (tmp_path / "copy.db").exists()


_ON_A_FULL_DISK = """
import resource, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from bot.service.backup import back_up
from bot.store.copies import CopyFailed
from bot.store.database import open_database
engine = open_database(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
try:
    back_up(engine, "mentat@arrakis.example", Path(sys.argv[2]), 0, datetime.now(UTC), force=True)
except CopyFailed as problem:
    print(problem)
"""


def test_a_disk_that_is_full_leaves_no_half_backup_and_the_old_one_whole(world: World, tmp_path: Path) -> None:
    world.new_game()
    saved(world, tmp_path / "copy.db")
    before = (tmp_path / "copy.db").read_bytes()
    world.engine.dispose()
    command = [sys.executable, "-c", _ON_A_FULL_DISK, str(world.settings.mentat.database), str(tmp_path / "copy.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=os.getcwd())
    assert "cannot take the copy" in done.stdout
    assert (tmp_path / "copy.db").read_bytes() == before
    assert [file.name for file in tmp_path.glob("*part*")] == []
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


_RESTORED_ON_A_FULL_DISK = """
import resource, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from bot.service.restoration import restore
from bot.config import load_settings
from bot.store.copies import CopyFailed
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
settings = load_settings(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
try:
    restore(Path(sys.argv[2]), settings, 0, datetime.now(UTC), replace=True, from_another=False)
except CopyFailed as problem:
    print(problem)
"""


def test_a_disk_that_is_full_keeps_the_database_that_was_to_be_replaced(world: World, tmp_path: Path) -> None:
    world.new_game()
    saved(world, tmp_path / "copy.db")
    world.new_game(game="later")
    world.engine.dispose()
    command = [sys.executable, "-c", _RESTORED_ON_A_FULL_DISK, str(tmp_path / "config.toml"), str(tmp_path / "copy.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=os.getcwd())
    assert "make room there" in done.stdout
    with reading(open_database(world.settings.database_place)) as conn:
        assert set(games.every(conn)) == {GAME, "later"}
    assert list(tmp_path.glob("*.restoring*")) == []


def test_what_a_killed_backup_left_is_cleared_away_by_the_next(world: World, tmp_path: Path) -> None:
    left = tmp_path / ".copy.db.part-abc"
    left.write_bytes(b"half")
    saved(world, tmp_path / "copy.db")
    assert not left.exists()
