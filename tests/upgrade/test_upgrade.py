"""Tests that `mentat upgrade` tries a copy first, makes a backup, and holds games that the new rules would change.

The databases are stored ones (``tests/old_databases``), and this Mentat is one that has the next schema.
"""

from __future__ import annotations

import hashlib
import lzma
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bot.games import proof
from bot.games.proof import Proof, Record
from bot.service.restoration import check
from bot.service.upgrade import Trial, Upgrade, UpgradeRefused, try_upgrade, upgrade
from bot.store.copies import CopyFailed
from bot.store.database import Held, NewerSchema, open_database, reading, schema_of, unopened, writing
from bot.store.games import going_on
from bot.store.glance import newest_schema, schema_steps
from bot.store.installation import AlreadyRunning, only_one
from tests.cli.conftest import Mentat
from tests.cli.conftest import mentat as mentat
from tests.cli.conftest import place as place
from tests.moderator.table import GAME_MASTER, START, World
from tests.old_databases.make import RUNNING
from tests.old_databases.next_schema import NEXT, migrations_with_next
from tests.old_databases.next_schema import next_schema as next_schema
from tests.old_databases.test_old_databases import HERE, KEPT

pytestmark = pytest.mark.sqlite_only
OLD = "0012"


def put(schema: str, file: Path) -> None:
    """Turn a database into one from an older Mentat with other rules."""
    for journal in file.parent.glob(f"{file.name}*"):
        journal.unlink()
    file.write_bytes(lzma.decompress((HERE / f"{schema}.db.xz").read_bytes()))
    with closing(sqlite3.connect(file)) as conn:
        conn.execute("PRAGMA journal_mode=WAL")  # as in Mentat's own databases
        conn.execute("UPDATE game SET rules_digest = 'of other rules'")
        conn.commit()


def spoil(file: Path) -> None:
    """Delete the last event of an older database's running game, so that the installed rules add one event."""
    with closing(sqlite3.connect(file)) as conn, conn:
        conn.execute("DELETE FROM event WHERE game_id = 'running' AND number = "
                     "(SELECT max(number) FROM event WHERE game_id = 'running')")  # fmt: skip


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def schema_in(file: Path) -> str:
    engine = unopened(file)
    try:
        return schema_of(engine)
    finally:
        engine.dispose()


@pytest.fixture
def world(place: World, next_schema: Path) -> World:
    """Return a Mentat that is newer than its database, which nobody has open."""
    place.engine.dispose()
    put(OLD, place.settings.mentat.database)
    return place


@pytest.fixture
def old(world: World) -> Path:
    return world.settings.mentat.database


def tried(world: World) -> Trial:
    return try_upgrade(world.settings.database_place, world.settings.mentat.database.parent)


def upgraded(world: World) -> Upgrade:
    return upgrade(world.settings, None, world.settings.mentat.database.parent, START)


@pytest.mark.parametrize("schema", KEPT)
def test_a_trial_of_any_older_schema_plays_its_running_game_and_changes_nothing(
    schema: str, world: World, old: Path
) -> None:
    put(schema, old)
    before = digest(old)
    trial = tried(world)
    assert (trial.schema, [step.schema for step in trial.steps][-1]) == (schema_in(old), newest_schema())
    assert (trial.games, trial.other_rules, list(trial.changed)) == (1, 1, [])
    assert trial.seconds["renewing"] > 0
    assert digest(old) == before
    assert list(old.parent.glob(".mentat-trial-*")) == []


def test_each_step_says_what_it_brings(next_schema: Path) -> None:
    assert [step.schema for step in schema_steps(OLD)][-1] == NEXT
    assert all(len(step.brings) > 10 for step in schema_steps(""))


def test_a_game_that_would_go_otherwise_is_named_then_held_with_a_notice_and_stays_so(
    world: World, old: Path, mentat: Mentat
) -> None:
    spoil(old)
    before = digest(old)
    dry = mentat("upgrade", "--dry-run")
    assert (dry.code, f"{RUNNING} would be held" in dry.err, digest(old)) == (1, True, before)
    done = mentat("upgrade")
    assert (done.code, f"{RUNNING} is held now" in done.err) == (1, True)
    now = World.at(old.parent)
    with reading(now.engine) as conn:
        assert going_on(conn) == {RUNNING: "held"}
    assert f"{RUNNING} is stopped" in now.newest(GAME_MASTER).text
    again = mentat("upgrade", "--dry-run", "--json")
    assert (again.code, again.json["changed"], again.json["held"]) == (0, [], [RUNNING])


def test_of_a_blind_game_nobody_at_the_desk_reads_what_differs(world: World, old: Path, mentat: Mentat) -> None:
    with closing(sqlite3.connect(old)) as conn, conn:
        conn.execute("UPDATE game SET blind = 1")
        conn.execute("UPDATE event SET data = (SELECT data FROM event AS other WHERE other.game_id = event.game_id "
                     "ORDER BY number LIMIT 1) WHERE game_id = 'running' AND number = 40")  # fmt: skip
    told = [mentat("upgrade", "--dry-run").err, mentat("upgrade").err, mentat("game", "verify", RUNNING).err]
    told.append(" ".join(World.at(old.parent).newest(GAME_MASTER).text.split()))
    for words in told:
        assert "Event 40 (turn 1, collection) differs." in words
        assert "The difference is sealed, because the game is played blind." in words
        assert " should be " not in words
        assert "{" not in words


def test_a_held_game_that_holds_again_goes_on(world: World, old: Path) -> None:
    with closing(sqlite3.connect(old)) as conn, conn:
        conn.execute("UPDATE game SET status = 'held' WHERE id = 'running'")
    assert tried(world).released == [RUNNING]
    upgraded(world)
    now = World.at(old.parent)
    with reading(now.engine) as found:
        assert going_on(found) == {RUNNING: "running"}


def test_an_upgrade_leaves_a_backup_of_the_database_as_it_was_and_the_next_has_nothing_to_do(
    world: World, old: Path, mentat: Mentat
) -> None:
    done = mentat("upgrade", "--json")
    assert done.code == 0
    backup = Path(done.json["backup"])
    assert (backup.parent, backup.stat().st_mode & 0o777) == (old.parent, 0o600)
    found = check(backup, None, START)
    assert (found.label.schema, schema_in(old)) == (OLD, newest_schema())
    assert found.verified is not None
    assert (found.verified.checked, found.verified.broken) == (2, [])
    assert mentat("upgrade", "--json").json["backup"] is None
    assert list(old.parent.glob("*.before-upgrade-*")) == [backup]
    assert mentat("tick", "--now", "2024-12-21").code == 0


def test_other_rules_alone_are_an_upgrade_too(world: World, old: Path) -> None:
    open_database(old).dispose()
    with closing(sqlite3.connect(old)) as conn, conn:
        conn.execute("UPDATE game SET rules_digest = 'of other rules'")
    done = upgraded(world)
    assert (list(done.trial.steps), done.trial.other_rules) == ([], 1)
    assert done.backup is not None
    assert done.backup.verified.checked == 0
    assert upgraded(world).backup is None


def test_a_game_that_held_in_the_trial_is_not_played_again_unless_it_went_on(
    world: World, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[str] = []

    def noted(record: Record) -> Proof:
        played.append(record.id)
        return verify(record)

    verify = proof.verify
    monkeypatch.setattr(proof, "verify", noted)
    upgraded(world)
    assert played == [RUNNING]
    with closing(sqlite3.connect(old)) as conn, conn:
        conn.execute("UPDATE game SET rules_digest = 'of other rules'")
    trial = tried(world)

    def goes_on(*_: object) -> Trial:
        now = World.at(old.parent)
        now.wait(24 * 365)
        now.engine.dispose()
        return trial

    played.clear()
    monkeypatch.setattr("bot.service.upgrade.try_upgrade", goes_on)
    upgraded(world)
    assert played == [RUNNING]


def test_it_is_refused_while_mentat_runs_and_a_trial_is_not(world: World, old: Path) -> None:
    engine = unopened(old)
    with only_one(engine, "running"):
        assert tried(world).games == 1
        with pytest.raises(AlreadyRunning, match="stop it first"):
            upgraded(world)
    engine.dispose()
    assert schema_in(old) == OLD


def test_a_trial_is_made_while_another_program_writes(world: World, old: Path) -> None:
    engine = unopened(old)
    with engine.connect().execution_options(write=True) as conn, conn.begin():
        conn.exec_driver_sql("UPDATE game SET turn = turn")
        assert tried(world).games == 1
    engine.dispose()


def test_a_newer_schema_a_missing_and_an_empty_database_are_refused(world: World, old: Path) -> None:
    with closing(sqlite3.connect(old)) as conn, conn:
        conn.execute("UPDATE alembic_version SET version_num = '9999'")
    for attempt in (tried, upgraded):
        with pytest.raises(NewerSchema, match="made by a newer Mentat"):
            attempt(world)
    old.write_bytes(b"")
    with pytest.raises(UpgradeRefused, match="has no tables yet"):
        tried(world)
    old.unlink()
    with pytest.raises(UpgradeRefused, match="There is no database"):
        upgraded(world)
    assert not old.exists()


def test_a_file_that_is_no_database_is_told(world: World, old: Path, mentat: Mentat) -> None:
    old.write_bytes(b"the spice must flow" * 1000)
    ran = mentat("upgrade", "--dry-run")
    assert (ran.code, "is another kind of file" in ran.err) == (1, True)


def test_what_fails_on_the_copy_is_not_done(
    world: World, old: Path, mentat: Mentat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> bool:
        raise ValueError("no such column: spice")

    before = digest(old)
    monkeypatch.setattr("bot.service.upgrade.renew", fails)
    ran = mentat("upgrade")
    assert (ran.code, "cannot be upgraded (ValueError: no such column: spice)" in ran.err) == (1, True)
    assert digest(old) == before
    assert list(old.parent.glob("*.before-upgrade-*")) == []


def test_a_renewal_that_fails_half_way_leaves_the_database_as_it_was(
    world: World, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(old)) as conn, conn:  # the migration creates a table with this name later
        conn.execute("CREATE TABLE guest (name TEXT)")
        tables = set(conn.execute("SELECT name, sql FROM sqlite_master"))
    with pytest.raises(Exception, match="guest"):
        open_database(old)
    with closing(sqlite3.connect(old)) as conn:
        assert set(conn.execute("SELECT name, sql FROM sqlite_master")) == tables
    assert schema_in(old) == OLD


_ON_A_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from bot.store import glance
from bot.store.copies import CopyFailed
from bot.store.database import DatabaseUnavailable
from bot.service.upgrade import try_upgrade
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
glance.MIGRATIONS, most = Path(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
try:
    try_upgrade(Path(sys.argv[1]), Path(sys.argv[1]).parent)
except (CopyFailed, DatabaseUnavailable) as problem:
    print(problem)
"""


@pytest.mark.parametrize("most", [300_000, 1_600_000], ids=["for the copy", "to renew the copy"])
def test_no_room_is_told_and_leaves_nothing(world: World, old: Path, tmp_path: Path, most: int) -> None:
    before = digest(old)
    large = "op.execute('INSERT INTO guest (badge) SELECT zeroblob(100000) FROM letter')"
    migrations = migrations_with_next(tmp_path / "large", also=large)
    command = [sys.executable, "-c", _ON_A_FULL_DISK, str(old), str(migrations), str(most)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "cannot take the copy" in ran.stdout or "the disk" in ran.stdout
    assert digest(old) == before
    assert list(old.parent.glob(".mentat-trial-*")) == []


_KILLED = """
import os, signal, sys
from pathlib import Path
from bot.store import glance
from bot.service import upgrade
glance.MIGRATIONS = Path(sys.argv[2])
upgrade.renew = lambda _: os.kill(os.getpid(), signal.SIGKILL)
upgrade.try_upgrade(Path(sys.argv[1]), Path(sys.argv[1]).parent)
"""


def test_what_a_killed_trial_left_is_removed_by_the_next(world: World, old: Path, next_schema: Path) -> None:
    before = digest(old)
    killed = subprocess.run([sys.executable, "-c", _KILLED, str(old), str(next_schema)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(list(old.parent.glob(".mentat-trial-*"))) == 1
    another = old.parent / ".mentat-trial-of-another-database"
    another.mkdir()
    assert tried(world).games == 1
    assert list(old.parent.glob(".mentat-trial-*")) == [another]
    assert digest(old) == before


def test_a_folder_that_cannot_be_written_is_told(world: World, tmp_path: Path) -> None:
    with pytest.raises(CopyFailed, match="cannot be written"):
        try_upgrade(world.settings.database_place, Path("/proc"))


def test_a_held_database_can_be_tried_and_not_upgraded(world: World, old: Path) -> None:
    engine = open_database(old)
    with writing(engine) as conn:
        conn.exec_driver_sql("UPDATE installation SET held_since = made_at, held_why = 'moved to elsewhere'")
    engine.dispose()
    assert tried(world).games == 1
    with pytest.raises(Held, match="was moved to elsewhere"):
        upgraded(world)
    assert list(old.parent.glob("*.before-upgrade-*")) == []
