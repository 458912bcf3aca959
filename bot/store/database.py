"""The database: one file, one writer at a time, every transaction durable.

SQLite in WAL mode with ``synchronous=FULL``: a committed order survives the power going off. Writing transactions begin
with ``BEGIN IMMEDIATE``, so two processes wait for each other instead of failing in the middle. The schema is made and
renewed by Alembic (``bot/store/migrations``).
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection as Connection  # other rooms pass connections and engines on, and know no more of them
from sqlalchemy import Engine as Engine
from sqlalchemy import event
from sqlalchemy.exc import DatabaseError, IntegrityError, ProgrammingError
from sqlmodel import create_engine

from bot.store import owner_only

log = logging.getLogger(__name__)
MIGRATIONS = Path(__file__).parent / "migrations"


class DatabaseUnavailable(Exception):
    """The database cannot be used now: locked, full disk, not writable. The message says which and what to do."""


def open_database(path: str | Path, timeout_seconds: float = 5.0) -> Engine:
    """The engine for a database file, created (for its owner alone) and migrated to the newest schema if need be.

    ``timeout_seconds``: how long a writer waits for another. DatabaseUnavailable if the file cannot be opened or
    written, or was made by a newer Mentat.
    """
    owner_only.create(Path(path))
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": timeout_seconds, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("write") else "BEGIN")

    with _explained(path):
        renewed = _migrate(engine, path)
    if renewed:
        _give_back_room(engine)
    return engine


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes: committed as a whole at the end, or not at all if anything is raised."""
    with (
        _explained(engine.url.database or ""),
        engine.connect().execution_options(write=True) as connection,
        connection.begin(),
    ):
        yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that sees one moment of the database and changes nothing."""
    with _explained(engine.url.database or ""), engine.connect() as connection, connection.begin():
        yield connection


def rewrite(engine: Engine) -> None:
    """Write the file anew without what was deleted, and empty the journal beside it. It takes about a second for each
    100 MB, and nobody else writes meanwhile."""
    with _explained(engine.url.database or ""), engine.connect() as connection:
        raw = connection.connection.cursor()
        raw.execute("VACUUM")
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")


ADVICE = {
    "database is locked": "is held by another program; stop that or try again",
    "database or disk is full": "has no room, the disk is full; make room and start again: nothing was lost",
    "attempt to write a readonly database": "cannot be written; check its owner and permissions",
    "unable to open database file": "cannot be opened; check that the folder exists and can be written",
    "disk I/O error": "cannot be written, the disk reports an error; check it: what was committed is kept",
    "file is not a database": "is another kind of file; name the right one under [mentat] database",
    "database disk image is malformed": "is damaged; put back a copy of it",
}


@contextmanager
def _explained(path: str | Path) -> Iterator[None]:
    try:
        yield
    except (IntegrityError, ProgrammingError, sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise  # a fault of ours
    except (DatabaseError, sqlite3.DatabaseError) as error:
        cause = str(error.orig if isinstance(error, DatabaseError) else error)
        advice = next((words for sign, words in ADVICE.items() if sign in cause), None)
        if advice is None:
            raise
        raise DatabaseUnavailable(f"The database {path} {advice}.") from error


def _give_back_room(engine: Engine) -> None:
    """A renewed database may be a fraction of what it was. Where the file cannot be written anew now (another program
    reads it, there is no room for a second one) its free pages are used again, and retention writes it anew."""
    try:
        rewrite(engine)
    except (DatabaseUnavailable, DatabaseError) as error:
        log.warning("the renewed database keeps its size for now: %s", error)


def _migrate(engine: Engine, path: str | Path) -> bool:
    """Bring the schema up to date; Alembic, which takes long to load, is asked only if it is not. Whether one that was
    there before was renewed."""
    newest = max(file.name.partition("_")[0] for file in (MIGRATIONS / "versions").glob("[0-9]*.py"))
    with engine.connect() as connection:
        tables = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE name = 'alembic_version'").all()
        rows = connection.exec_driver_sql("SELECT version_num FROM alembic_version").all() if tables else []
    current = rows[0][0] if rows else ""
    if current == newest:
        return False
    if current > newest:
        raise DatabaseUnavailable(f"The database {path} was made by a newer Mentat; install that one.")
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.connect().execution_options(write=True) as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    return bool(current)
