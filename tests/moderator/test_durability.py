"""Committed data survives a power cut: each connection waits until the disk has stored it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from bot.store.database import open_database, reading, rewrite, writing

FULL = 2  # https://www.sqlite.org/pragma.html#pragma_synchronous


@pytest.mark.sqlite_only
def test_every_connection_is_durable_checks_keys_and_keeps_a_journal_beside_the_file(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "mentat.db")
    rewrite(engine)
    with ExitStack() as held:  # several at once, so that the pool opens new ones
        connections = [held.enter_context(reading(engine)) for _ in range(3)]
        connections.append(held.enter_context(writing(engine)))
        for connection in connections:
            asked = {
                name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
                for name in ("synchronous", "foreign_keys", "journal_mode")
            }
            assert asked == {"synchronous": FULL, "foreign_keys": 1, "journal_mode": "wal"}
    engine.dispose()
