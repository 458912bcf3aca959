"""Tests that on a real replica every command says in one line that the database is read-only."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy.exc import NotSupportedError

from bot.store.database import DatabaseUnavailable, reading
from tests.cli.conftest import Mentat, mentat  # noqa: F401 - a fixture
from tests.moderator.table import World
from tests.postgresql.place import CONFIG
from tests.postgresql_server import PostgresqlServer, why_not_here


class Replicated(PostgresqlServer):
    """A server that replicas can follow."""

    def __init__(self) -> None:
        super().__init__()
        self._settings |= {"wal_level": "replica", "max_wal_senders": "4", "hot_standby": "on"}

    def follow(self, primary: PostgresqlServer) -> None:
        """Become a replica of a running server."""
        shutil.rmtree(self._data)
        self._run("pg_basebackup", "-h", str(primary.folder), "-U", "mentat", "-D", str(self._data), "-R", "-c", "fast")
        self.start()


@pytest.fixture(scope="module")
def replica() -> Iterator[PostgresqlServer]:
    """Yield a replica of a server with a Mentat in its database "mentat"."""
    if why_not_here():
        pytest.skip(why_not_here())
    with Replicated() as primary:
        url = primary.empty("mentat")
        folder = primary.folder / "settings"
        folder.mkdir()
        world = World.at(folder, CONFIG.format(url=url))
        world.new_game()
        world.engine.dispose()
        following = Replicated()
        following.follow(primary)
        try:
            yield following
        finally:
            following.__exit__()


@pytest.fixture
def place(replica: PostgresqlServer, tmp_path: Path) -> Iterator[World]:
    """Yield a Mentat whose settings name the replica."""
    made = World.at(tmp_path, CONFIG.format(url=replica.url("mentat")))
    (tmp_path / "Maildir").mkdir(exist_ok=True)
    yield made
    made.engine.dispose()


def test_what_writes_says_in_one_line_that_a_replica_can_only_be_read(mentat: Mentat, tmp_path: Path) -> None:  # noqa: F811
    writes = (
        ("run",), ("poll",), ("tick",), ("send",), ("game", "pause", "sietch-12"), ("backup", str(tmp_path / "copy")),
    )  # fmt: skip
    for words in writes:
        ran = mentat(*words)
        assert (ran.code, ran.out) == (1, ""), words
        assert "can only be read (a replica" in ran.err, words
        assert len(ran.err.splitlines()) == 1, words
    assert "sietch-12" in mentat("game", "list").out


def test_health_and_doctor_say_that_a_replica_can_only_be_read(mentat: Mentat) -> None:  # noqa: F811
    for words in (("health",), ("doctor", "--wait", "0")):
        ran = mentat(*words)
        assert ran.code == 1
        told = [line for line in ran.out.splitlines() if "can only be read (a replica" in line]
        assert len(told) == 1, words


def test_what_a_replica_does_not_support_is_told_by_what_the_server_is_and_not_by_its_words(
    place: World, empty: Callable[[], str], tmp_path: Path
) -> None:
    refused = "DO $$ BEGIN RAISE '%s' USING ERRCODE = 'feature_not_supported'; END $$"
    with pytest.raises(DatabaseUnavailable, match=r"can only be read \(a replica"), reading(place.engine) as conn:
        conn.exec_driver_sql(refused % "nicht im Lese-Schreib-Modus")
    (tmp_path / "primary").mkdir()
    primary = World.at(tmp_path / "primary", CONFIG.format(url=empty()))
    with pytest.raises(NotSupportedError), reading(primary.engine) as conn:
        conn.exec_driver_sql(refused % "not supported during recovery")
    primary.engine.dispose()
