"""A copy of a whole database, with the schema that it has, on which something is tried before it is done.

A file is copied into a folder; a database of a server into a schema of its own there (``mentat_trial``), by the
statements that once made the tables, so neither a program of the server nor another database is wanted. Either is gone
afterwards; what a process that was killed has left, the next trial removes.

Sources: PostgreSQL 15, chapter 5.9 (schemas), 9.17 (setval).
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, MetaData, Table, event, insert, select, text

from bot.store import owner_only
from bot.store.copies import sqlite_file
from bot.store.copies.label import CopyFailed
from bot.store.database import explained, renew, schema_of, unopened
from bot.store.only_one import only_one

SCHEMA = "mentat_trial"
_FOLDER = ".mentat-trial-"
_VERSION = "alembic_version"


@contextmanager
def copied_to_try(engine: Engine, folder: Path) -> Iterator[Engine]:
    """A copy that may be changed; it is gone after the block. ``folder``: where that of a file is written. CopyFailed
    or DatabaseUnavailable if it cannot be made, AlreadyRunning while another one is in use."""
    make = _of_server if engine.dialect.name == "postgresql" else _of_file
    with only_one(engine, "trying an upgrade"), make(engine, folder) as copy:
        yield copy


@contextmanager
def _of_file(engine: Engine, folder: Path) -> Iterator[Engine]:
    own = _folder_of(engine)
    for left in folder.glob(f"{own}*"):
        shutil.rmtree(left, ignore_errors=True)
    try:
        place = tempfile.TemporaryDirectory(prefix=own, dir=folder)
    except OSError as error:
        raise CopyFailed(f"{folder} cannot be written: {error.strerror}; name another folder.") from error
    with place:
        file = Path(place.name) / "copy.db"
        owner_only.create(file)
        with explained(engine), sqlite_file.copied(engine, file):
            pass
        copy = unopened(file)
        try:
            yield copy
        finally:
            copy.dispose()


def _folder_of(engine: Engine) -> str:
    """How the folders of a database's trials begin; those of another database may lie beside them."""
    file = Path(engine.url.database or "").resolve()
    return f"{_FOLDER}{hashlib.sha256(str(file).encode()).hexdigest()[:8]}-"


@contextmanager
def _of_server(engine: Engine, _folder: Path) -> Iterator[Engine]:
    _drop(engine)
    copy = unopened(engine.url.set(drivername="postgresql").render_as_string(hide_password=False))
    event.listen(copy, "connect", _look_there, insert=True)  # before it is asked which schema is its own
    try:
        with explained(engine), engine.begin() as connection:
            connection.execute(text(f"CREATE SCHEMA {SCHEMA}"))
        renew(copy, schema_of(engine))
        with explained(engine):
            _copy_rows(engine)
        yield copy
    finally:
        copy.dispose()
        _drop(engine)


def _look_there(connection: Any, _record: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET search_path TO {SCHEMA}")
    connection.commit()


def _copy_rows(engine: Engine) -> None:
    """All rows of one moment. A table has the same columns there as here: the same statements made both."""
    with engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection, connection.begin():
        there, here = MetaData(), MetaData()
        there.reflect(connection, schema=SCHEMA)
        here.reflect(connection)
        tables = [table for table in there.sorted_tables if table.name != _VERSION]
        for table in reversed(tables):  # some of the statements wrote rows too
            connection.execute(table.delete())
        for table in tables:
            columns = [column.name for column in table.columns]
            source = here.tables[table.name]
            rows = select(*(source.columns[name] for name in columns))
            connection.execute(insert(table).from_select(columns, rows))
            for column in _numbered(table):
                numbers = f"pg_get_serial_sequence('{SCHEMA}.{table.name}', '{column}')"
                last = f'SELECT max("{column}") FROM "{SCHEMA}"."{table.name}"'
                connection.execute(text(f"SELECT setval({numbers}, coalesce(({last}), 1))"))


def _numbered(table: Table) -> list[str]:
    """The columns that the server numbers."""
    return [column.name for column in table.columns if "nextval" in str(getattr(column.server_default, "arg", ""))]


def _drop(engine: Engine) -> None:
    with explained(engine), engine.begin() as connection:
        connection.execute(text(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE"))
