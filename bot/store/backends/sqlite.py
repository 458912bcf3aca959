"""SQLite: one file, one writer at a time, every transaction durable.

In WAL mode with ``synchronous=FULL`` a committed order survives the power going off. Writing transactions begin with
``BEGIN IMMEDIATE``, so two processes wait for each other instead of failing in the middle.
"""

from __future__ import annotations

import fcntl
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, MetaData, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool
from sqlmodel import create_engine

from bot.store import owner_only
from bot.store.backends.direct import Direct

_FULL, _DISK_ERROR = "database or disk is full", "disk I/O error"
"""Whoever opens a file on a full disk meets the second: there is no room for the memory that its users share (-shm)."""

_ADVICE = {
    "database is locked": "is held by another program; stop that or try again",
    _FULL: "has no room, the disk is full; make room and start again: nothing was lost",
    "attempt to write a readonly database": "cannot be written; check its owner and permissions",
    "unable to open database file": "cannot be opened; check that the folder exists and can be written",
    _DISK_ERROR: "cannot be written, the disk reports an error; check it: what was committed is kept",
    "file is not a database": "is another kind of file; name the right one under [mentat] database",
    "database disk image is malformed": "is damaged; put back a copy of it",
}


_SHARED_MEMORY = 32_768


class Sqlite:
    """A file of this machine."""

    errors: tuple[type[Exception], ...] = (DBAPIError, sqlite3.DatabaseError)
    several = False
    moments: Mapping[str, Any] = {}
    changes: Mapping[str, Any] = {"write": True}

    def connect(self, place: str, timeout_seconds: float, direct: str = "") -> Engine:
        engine = create_engine(
            f"sqlite:///{place}", connect_args={"timeout": timeout_seconds, "check_same_thread": False}
        )
        event.listen(engine, "do_connect", lambda *_: owner_only.create(Path(place)))
        event.listen(engine, "connect", _configure)
        event.listen(engine, "begin", _begin)
        return engine

    @contextmanager
    def look(self, engine: Engine) -> Iterator[Connection | None]:
        """Whoever closes a file last writes its journal into it, unless they can only read it."""
        file = Path(engine.url.database or "")
        if not file.exists():
            yield None
            return
        mode = "ro" if file.with_name(f"{file.name}-wal").exists() else "rw"
        place = f"sqlite:///file:{quote(str(file.absolute()))}?mode={mode}&uri=true"
        looking = create_engine(place, poolclass=NullPool)
        with looking.connect() as connection:
            yield connection

    def take_turn(self, conn: Connection, game_id: str | None) -> bool:
        """It has its turn since it began, and holds everything."""
        return True

    def try_turn(self, conn: Connection, work: str) -> bool:
        """Nobody else writes."""
        return True

    def met_another(self, error: BaseException) -> bool:
        """Nobody else writes."""
        return False

    def guard(self, conn: Connection, tables: MetaData) -> None:
        """Who writes holds everything."""

    def direct(self, engine: Engine, program: str) -> Direct:
        raise ValueError("a SQLite file is for one process")

    def take_turn_to_migrate(self, conn: Connection) -> None:
        """It has its turn since it began."""

    def advice(self, error: BaseException, engine: Engine) -> str | None:
        sign = next((sign for sign in _ADVICE if sign in str(error)), "")
        if sign == _DISK_ERROR and _is_full(Path(engine.url.database or "").parent):
            sign = _FULL
        return _ADVICE.get(sign)

    def name(self, engine: Engine) -> str:
        return engine.url.database or ""

    def start(self, conn: Connection) -> str:
        return ""

    def damage(self, conn: Connection) -> str:
        found = conn.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
        return "" if found == "ok" else str(found)

    def size(self, conn: Connection) -> int:
        file = Path(conn.engine.url.database or "")
        return sum(path.stat().st_size for path in (file, file.with_name(f"{file.name}-wal")) if path.exists())

    def tidy(self, engine: Engine) -> None:
        """A club's file is written anew in a second or so."""
        self.rewrite(engine)

    def rewrite(self, engine: Engine) -> None:
        """It takes about a second for each 100 MB, and nobody else writes meanwhile; the journal is emptied too."""
        with engine.connect() as connection:
            raw = connection.connection.cursor()
            raw.execute("VACUUM")
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def only_one(self, engine: Engine, work: str) -> Iterator[bool]:
        """The lock of a file beside the database. OSError if none can be made there."""
        file = Path(engine.url.database or "")
        with file.with_name(f"{file.name}.{work.replace(' ', '-')}.lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield False
            else:
                yield True


def _is_full(folder: Path) -> bool:
    """Whether a disk has no room for the memory that the users of a file share (sqlite.org, "WAL-mode File Format")."""
    return shutil.disk_usage(folder).free < _SHARED_MEMORY


def _configure(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None  # transactions are begun below, not by the driver
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")


def _begin(connection: Connection) -> None:
    begin = "BEGIN IMMEDIATE" if connection.get_execution_options().get("write") else "BEGIN"
    connection.connection.cursor().execute(begin)  # the driver's own: there is nothing to compile and no result
