"""Tests that a server's database of any schema is upgraded when opened, and that its games stay valid and go on.

An upgrade is first tried in a separate schema and changes nothing. Databases older than version 1.0.0 are refused.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import make_url

from bot.games import proof
from bot.games.proof import check_running_games, rules_digest
from bot.service.backup import back_up, move
from bot.service.restoration import check, restore
from bot.service.upgrade import UpgradeRefused, try_upgrade, upgrade
from bot.store import games, installation
from bot.store.copies import CopyFailed, copied
from bot.store.database import (
    DatabaseUnavailable,
    OlderSchema,
    open_database,
    reading,
    renew,
    schema_of,
    unopened,
    why_held,
    writing,
)
from bot.store.glance import newest_schema
from bot.store.installation import AlreadyRunning, ProcessLocks, only_one
from bot.store.rows import METADATA
from tests.moderator.table import START, World, make_settings
from tests.moderator.test_migrations import declared_in_part, made_in_part
from tests.old_databases.make import RUNNING
from tests.old_databases.next_schema import next_schema as next_schema
from tests.old_databases.test_old_databases import KEPT
from tests.old_databases.test_side_by_side import AT_0012, STILL_AT_WORK, see_one_desk
from tests.postgresql import old_databases
from tests.postgresql.test_database import ON_A_SERVER
from tests.postgresql_server import PostgresqlServer

Empty = Callable[[], str]
Fresh = Callable[[], str]
OLD = "0012"
CONTENT = "SELECT count(*), sum(hashtext(l::text)) FROM letter l"
SCHEMAS = "SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' ORDER BY 1"


@pytest.fixture
def old(empty: Empty, tmp_path: Path, next_schema: Path) -> str:
    """Return the URL of a database with the schema before this Mentat's."""
    url = empty()
    old_databases.put(OLD, url, tmp_path)
    return url


def name_of(url: str) -> str:
    return str(make_url(url).database)


def schema_in(url: str) -> str:
    engine = unopened(url)
    try:
        return schema_of(engine)
    finally:
        engine.dispose()


@pytest.mark.parametrize("schema", KEPT)
def test_a_database_of_each_schema_is_renewed_and_its_games_hold_and_go_on(
    schema: str, empty: Empty, tmp_path: Path
) -> None:
    url = empty()
    old_databases.put(schema, url, tmp_path)
    world = World.at(tmp_path, ON_A_SERVER.format(url=url))
    with reading(world.engine) as conn:
        assert compare_metadata(MigrationContext.configure(conn), METADATA) == []
        assert made_in_part(conn) == declared_in_part()
        proofs = [proof.verify(proof.full_record(conn, game)) for game in games.every(conn)]
        before = games.game_start(conn, RUNNING).entries
        last = conn.exec_driver_sql("SELECT max(received_at) FROM message").scalar_one()
    assert [(found.id, found.difference) for found in proofs] == [("finished", ""), (RUNNING, "")]
    world.now = datetime.fromisoformat(last)
    assert check_running_games(world.moderator.open_games, world.now) == []
    world.wait(24)
    with reading(world.engine) as conn:
        assert games.game_start(conn, RUNNING).entries > before
        assert proof.verify(proof.full_record(conn, RUNNING)).difference == ""
    world.engine.dispose()


def test_acts_and_rights_of_games_and_tournaments_become_one_and_an_older_mentat_writes_them(
    empty: Empty, tmp_path: Path
) -> None:
    url = empty()
    old_databases.put(OLD, url, tmp_path)
    engine = unopened(url)
    with writing(engine) as conn:
        for statement in AT_0012:
            conn.exec_driver_sql(statement)
    assert renew(engine)
    with writing(engine) as conn:
        for statement in STILL_AT_WORK:
            conn.exec_driver_sql(statement)
    see_one_desk(engine)
    engine.dispose()


@pytest.mark.parametrize("schema", [KEPT[0], KEPT[-1]])
def test_a_trial_plays_the_running_game_in_a_schema_that_is_gone_afterwards(
    schema: str, empty: Empty, tmp_path: Path, server: PostgresqlServer, next_schema: Path
) -> None:
    url = empty()
    old_databases.put(schema, url, tmp_path)
    before = server.run(CONTENT, name_of(url))
    trial = try_upgrade(url, tmp_path)
    assert (trial.schema, trial.games, list(trial.changed)) == (schema[:4], 1, [])
    assert trial.steps[-1].schema == newest_schema()
    assert (server.run(CONTENT, name_of(url)), schema_in(url)) == (before, schema[:4])
    assert server.run(SCHEMAS, name_of(url)) == [("information_schema",), ("public",)]


def test_what_a_killed_trial_left_is_removed_by_the_next(old: str, tmp_path: Path, server: PostgresqlServer) -> None:
    server.run("CREATE SCHEMA mentat_trial", name_of(old))
    server.run("CREATE TABLE mentat_trial.game (id text)", name_of(old))
    assert try_upgrade(old, tmp_path).games == 1
    assert server.run(SCHEMAS, name_of(old)) == [("information_schema",), ("public",)]


def test_a_backup_is_made_without_what_a_killed_trial_left(
    empty: Empty, tmp_path: Path, server: PostgresqlServer
) -> None:
    url = empty()
    world = World.at(tmp_path, ON_A_SERVER.format(url=url))
    server.run("CREATE SCHEMA mentat_trial", name_of(url))
    server.run("CREATE TABLE mentat_trial.game (id text)", name_of(url))
    made = back_up(world.engine, world.settings.mentat.address, tmp_path / "copy", 0, START, force=False)
    listed = subprocess.run(["pg_restore", "--list", made.file], capture_output=True, text=True, check=True).stdout
    assert "public game" in listed
    assert "mentat_trial" not in listed
    world.engine.dispose()


def test_one_trial_at_a_time(old: str, tmp_path: Path) -> None:
    engine = unopened(old)
    with only_one(engine, "trying an upgrade"), pytest.raises(AlreadyRunning):
        try_upgrade(old, tmp_path)
    engine.dispose()


def test_a_trial_is_made_while_an_older_mentat_writes(old: str, tmp_path: Path) -> None:
    engine = unopened(old)
    with engine.begin() as conn:
        conn.exec_driver_sql("UPDATE game SET turn = turn")
        conn.exec_driver_sql("DELETE FROM letter")
        assert try_upgrade(old, tmp_path).games == 1
    engine.dispose()


def test_a_replica_is_told(old: str, tmp_path: Path, server: PostgresqlServer) -> None:
    server.run(f"ALTER DATABASE {name_of(old)} SET default_transaction_read_only = on")
    with pytest.raises(DatabaseUnavailable, match="can only be read"):
        try_upgrade(old, tmp_path)


def test_a_user_who_may_make_no_schema_is_told(old: str, tmp_path: Path, server: PostgresqlServer) -> None:
    server.run("DROP ROLE IF EXISTS visitor")
    server.run("CREATE ROLE visitor LOGIN")
    server.run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO visitor", name_of(old))
    with pytest.raises(DatabaseUnavailable, match="cannot be changed by this user"):
        try_upgrade(old.replace("//mentat@", "//visitor@"), tmp_path)
    server.run("DROP OWNED BY visitor", name_of(old))
    server.run("DROP ROLE visitor")


@pytest.mark.parametrize("version", ["0123456789ab", ""], ids=["by other rules", "by these rules"])
def test_an_upgrade_is_refused_beside_workers_who_play_by_other_rules(
    fresh: Fresh, tmp_path: Path, version: str
) -> None:
    world = World.at(tmp_path, ON_A_SERVER.format(url=fresh()))
    world.new_game()
    direct = ProcessLocks(world.engine, "a test")
    direct.take(installation.lock_of_process("caladan 1"))
    with writing(world.engine) as conn:
        known = version or rules_digest()[:12]
        installation.note_presence(conn, installation.Presence("caladan 1", "caladan", known, START, START))
    try:
        if version:
            with pytest.raises(UpgradeRefused, match="running on caladan, with rules other than those"):
                upgrade(world.settings, None, tmp_path, START)
        else:
            assert upgrade(world.settings, None, tmp_path, START).backup is None
    finally:
        direct.close()
        world.engine.dispose()


def test_an_upgrade_leaves_a_backup_of_the_database_as_it_was(old: str, tmp_path: Path) -> None:
    settings = make_settings(tmp_path, ON_A_SERVER.format(url=old))
    done = upgrade(settings, None, tmp_path, START)
    assert done.backup is not None
    assert check(done.backup.file, None, START).label.schema == OLD
    assert schema_in(old) == newest_schema()
    assert upgrade(settings, None, tmp_path, START).backup is None


@pytest.fixture
def before_version_1(empty: Empty, tmp_path: Path) -> str:
    """Return the URL of a database older than version 1.0.0."""
    url = empty()
    old_databases.put("0012", url, tmp_path)
    engine = unopened(url)
    with engine.begin() as conn:
        for table in ("inbox", "leader", "worker", "installation", "measurement"):
            conn.exec_driver_sql(f"DROP TABLE {table}")
        conn.exec_driver_sql("UPDATE alembic_version SET version_num = '0011'")
    engine.dispose()
    return url


TABLES = "SELECT relname, relfilenode FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1"
REFUSED = r"is from before version 1.0.0 \(schema 0011\): upgrade it first with version 0.1.0"


def test_a_database_of_before_version_1_is_refused_and_stays_as_it_is(
    before_version_1: str, fresh: Fresh, tmp_path: Path, server: PostgresqlServer
) -> None:
    settings = make_settings(tmp_path, ON_A_SERVER.format(url=before_version_1))
    source, dump = unopened(fresh()), tmp_path / "copy.dump"
    back_up(source, settings.mentat.address, dump, 0, START, force=False)
    before = server.run(CONTENT, name_of(before_version_1)), server.run(TABLES, name_of(before_version_1))
    attempts: tuple[Callable[[], object], ...] = (
        lambda: open_database(before_version_1),
        lambda: try_upgrade(before_version_1, tmp_path),
        lambda: upgrade(settings, None, tmp_path, START),
        lambda: restore(dump, settings, 0, START, replace=True, from_another=False),
        lambda: move(source, before_version_1, START, lambda table, rows: None),
    )
    for attempt in attempts:
        with pytest.raises(OlderSchema, match=REFUSED):
            attempt()
    after = server.run(CONTENT, name_of(before_version_1)), server.run(TABLES, name_of(before_version_1))
    assert after == before
    with reading(source) as conn:
        assert why_held(conn) == ""
    source.dispose()


def test_a_backup_of_before_version_1_is_refused(
    before_version_1: str, fresh: Fresh, tmp_path: Path, server: PostgresqlServer
) -> None:
    dump, engine = tmp_path / "old.dump", unopened(before_version_1)
    with copied(engine, dump):
        pass
    engine.dispose()
    url = fresh()
    settings = make_settings(tmp_path, ON_A_SERVER.format(url=url))
    with pytest.raises(CopyFailed, match=REFUSED):
        check(dump, None, START, server.url("postgres"))
    with pytest.raises(CopyFailed, match=REFUSED):
        restore(dump, settings, 0, START, replace=True, from_another=False)
    assert schema_in(url) == newest_schema()
