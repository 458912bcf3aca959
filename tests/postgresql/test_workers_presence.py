"""Tests for which processes may use a database together: one release, one set of rules, and nobody during sole use."""

from __future__ import annotations

import threading
import time

import pytest

from bot.games.proof import rules_digest
from bot.monitoring.checks import Finding
from bot.service import doctor as doctor_of_workers
from bot.service import workers
from bot.service.backup import move
from bot.service.presence import MayNotWork
from bot.service.upgrade import upgrade
from bot.store import installation
from bot.store.database import DatabaseUnavailable, writing, writing_no_game
from bot.store.installation import AlreadyRunning, Presence, ProcessLocks, lock_of_process, only_one
from tests.moderator.table import START
from tests.postgresql.place import Begun, Place, reads
from tests.postgresql_server import PostgresqlServer


def test_workers_with_other_rules_do_not_work_beside_each_other(begun: Begun, monkeypatch: pytest.MonkeyPatch) -> None:
    begun("worker-1")
    begun("worker-2")
    monkeypatch.setattr("bot.service.presence.rules_digest", lambda: "other rules")
    with pytest.raises(MayNotWork, match="another version"):
        begun("worker-3")


def test_nobody_has_the_database_for_themselves_beside_workers_nor_workers_beside_them(
    place: Place, begun: Begun
) -> None:
    engine = place.world.engine
    with only_one(engine, "running"), pytest.raises(MayNotWork, match="using the database alone"):
        begun("worker-1")
    begun("worker-2")
    begun("worker-3")
    with pytest.raises(AlreadyRunning), only_one(engine, "running"):
        pass
    settings = place.world.settings
    with pytest.raises(AlreadyRunning, match="stop it first"):
        upgrade(settings, None, place.folder, START)
    with pytest.raises(AlreadyRunning, match="is at work"):
        move(engine, place.folder / "moved.db", START, lambda table, rows: None)
    assert list(place.folder.glob("moved.db*")) == []


def test_who_waits_for_what_a_frozen_process_holds_is_not_taken_for_frozen(
    place: Place, begun: Begun, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bot.service.presence.SEEN_SECONDS", 0.1)
    monkeypatch.setattr("bot.service.presence.FROZEN_SECONDS", 2.5)  # longer than the lock timeout here
    for name in ("worker-1", "worker-2", "worker-3"):
        begun(name)
    monkeypatch.setenv("PGAPPNAME", "worker-4")
    frozen = place.process().engine
    held = ProcessLocks(frozen, "worker-4")
    held.take(lock_of_process("worker-4"))
    with writing_no_game(frozen) as conn:
        installation.note_presence(conn, Presence("worker-4", "vm", rules_digest()[:12], START, START))
    monkeypatch.delenv("PGAPPNAME")

    def hold_everything() -> None:
        with writing(frozen) as conn:
            place.until(lambda: "is frozen" in caplog.text, 20)
            conn.exec_driver_sql("SELECT 1")

    with pytest.raises(DatabaseUnavailable):
        hold_everything()
    time.sleep(1)
    told = {record.getMessage() for record in caplog.records if "is frozen" in record.getMessage()}
    assert told == {"worker-4 on vm is frozen; its connections are ended"}
    held.close()


def test_a_worker_ends_when_a_newer_mentat_has_renewed_the_database(
    place: Place, begun: Begun, server: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.service.presence.SEEN_SECONDS", 0.05)
    told = threading.Event()
    present = begun("worker-1", when_not=told.set)
    server.run("UPDATE alembic_version SET version_num = '9999'", place.url.partition("?")[0].rpartition("/")[2])
    assert told.wait(10)
    assert "newer Mentat" in present.why_not


def test_the_doctor_names_the_processes_at_work(place: Place, begun: Begun) -> None:
    def found() -> Finding:
        return doctor_of_workers.examine_workers(place.world.engine)

    assert found().state == "note"
    begun("worker-1")
    begun("worker-2")
    assert found().state == "wrong"
    assert "none of them reads the mailbox" in found().told
    leading = reads(place, place.process())
    leading.look()
    told = found()
    assert told.state == "well"
    assert told.told.startswith("2 workers on ")
    assert "reader is reading mail" in told.told
    assert told.facts["leads"] == {workers.READING: "reader"}
    leading._lead._direct.close()
