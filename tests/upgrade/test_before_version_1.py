"""Tests that every command refuses a database or backup older than version 1.0.0 by name and leaves it unchanged."""

from __future__ import annotations

import lzma
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.service.backup import back_up
from bot.store.database import OlderSchema, open_database, reading, schema_of, unopened, why_held
from bot.store.glance import newest_schema
from tests.cli.conftest import Mentat
from tests.cli.conftest import mentat as mentat
from tests.cli.conftest import place as place
from tests.moderator.table import ADDRESS, START, World
from tests.old_databases.test_old_databases import HERE

pytestmark = pytest.mark.sqlite_only

REFUSED = (
    "is from before version 1.0.0 (schema 0011): upgrade it first with version 0.1.0, the last before that, "
    "then with this one"
)


def put_old(file: Path, journal: str = "WAL") -> None:
    """Turn a database into one from before 1.0.0, with no installation, workers or waiting mail."""
    for left in file.parent.glob(f"{file.name}*"):
        left.unlink()
    file.write_bytes(lzma.decompress((HERE / "0012.db.xz").read_bytes()))
    with closing(sqlite3.connect(file)) as conn:
        conn.execute(f"PRAGMA journal_mode={journal}")
        for table in ("inbox", "leader", "worker", "installation", "measurement"):
            conn.execute(f"DROP TABLE {table}")
        conn.execute("UPDATE alembic_version SET version_num = '0011'")
        conn.commit()


@pytest.fixture
def old(place: World) -> Path:
    """Replace the configured database with one from before version 1.0.0, and return its path."""
    place.engine.dispose()
    put_old(place.settings.mentat.database)
    return place.settings.mentat.database


@pytest.fixture
def copy(place: World, tmp_path: Path) -> Path:
    """Return a backup from this version."""
    back_up(place.engine, ADDRESS, tmp_path / "copy.db", 0, START, force=False)
    place.engine.dispose()
    return tmp_path / "copy.db"


@pytest.mark.parametrize(
    "words",
    [
        "run", "poll", "tick", "send", "game list", "game verify running", "mail list", "tournament list", "desk",
        "stats players", "archive build site", "init", "doctor --wait 0", "health", "upgrade", "upgrade --dry-run",
        "backup new.db", "move --to new.db", "move --back", "restore copy.db", "restore copy.db --replace",
        "restore --resume",
    ],
)  # fmt: skip
def test_every_command_refuses_an_old_database_in_one_sentence_and_leaves_it(
    words: str, copy: Path, old: Path, mentat: Mentat
) -> None:
    before = old.read_bytes()
    ran = mentat(*words.split())
    assert ran.code == 1
    assert (ran.out + ran.err).count(f"database {old.name} {REFUSED}") == 1
    assert old.read_bytes() == before
    assert not (old.parent / "new.db").exists()


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_nothing_is_written_beside_it(journal: str, old: Path) -> None:
    put_old(old, journal)
    before = {file.name: file.read_bytes() for file in old.parent.iterdir() if file.is_file()}
    with pytest.raises(OlderSchema):
        open_database(old)
    assert {file.name: file.read_bytes() for file in old.parent.iterdir() if file.is_file()} == before


def test_what_an_older_mentat_that_was_killed_left_in_the_journal_stays_there(old: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed.db"
    with closing(sqlite3.connect(old)) as conn:
        conn.execute("UPDATE game SET turn = turn + 1")
        conn.commit()
        for ending in ("", "-wal"):
            shutil.copyfile(f"{old}{ending}", f"{killed}{ending}")
    before = [Path(f"{killed}{ending}").read_bytes() for ending in ("", "-wal")]
    assert len(before[1]) > 0
    with pytest.raises(OlderSchema):
        open_database(killed)
    assert [Path(f"{killed}{ending}").read_bytes() for ending in ("", "-wal")] == before


@pytest.mark.parametrize("words", ["restore", "restore --replace", "restore --check"])
def test_an_old_backup_is_refused_and_the_database_stays(
    words: str, place: World, mentat: Mentat, tmp_path: Path
) -> None:
    place.engine.dispose()
    put_old(tmp_path / "old.db", "DELETE")
    files = (tmp_path / "old.db", place.settings.mentat.database)
    before = [file.read_bytes() for file in files]
    ran = mentat(*words.split(), "old.db")
    assert (ran.code, ran.err) == (1, f"old.db {REFUSED}.\n")
    assert [file.read_bytes() for file in files] == before


def test_nothing_is_moved_into_an_old_database(place: World, mentat: Mentat, tmp_path: Path) -> None:
    target = tmp_path / "old.db"
    put_old(target)
    before = target.read_bytes()
    ran = mentat("move", "--to", "old.db")
    assert ran.code == 1
    assert REFUSED in ran.err
    assert target.read_bytes() == before
    with reading(place.engine) as conn:
        assert why_held(conn) == ""


def test_a_database_that_the_last_version_before_has_upgraded_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "mentat.db"
    file.write_bytes(lzma.decompress((HERE / "0012-grown.db.xz").read_bytes()))
    open_database(file).dispose()
    assert schema_of(unopened(file)) == newest_schema()


def test_a_look_at_a_file_that_cannot_be_written_changes_nothing(old: Path) -> None:
    os.chmod(old, 0o400)
    with pytest.raises(OlderSchema):
        open_database(old)
