"""Copying a database and reading a copy, whichever kind it is of."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from sqlalchemy import Connection, Engine

from bot.store.copies import postgresql_dump, sqlite_file
from bot.store.copies.label import CopyFailed, Label


def copied(engine: Engine, file: Path) -> AbstractContextManager[Connection]:
    """Copy a database into a file that is empty; the connection sees what was copied. CopyFailed if it cannot be."""
    if engine.dialect.name == "postgresql":
        return postgresql_dump.copied(engine, file)
    return sqlite_file.copied(engine, file)


def label_of(file: Path) -> Label:
    """What a copy says of itself. CopyFailed if it is none, or not whole."""
    try:
        with file.open("rb") as copy:
            begins = copy.read(len(sqlite_file.BEGINS))
    except OSError as error:
        raise CopyFailed(f"{file} cannot be read: {error.strerror}.") from error
    if begins == sqlite_file.BEGINS:
        return sqlite_file.label_of(file)
    if begins.startswith(postgresql_dump.BEGINS):
        return postgresql_dump.label_of(file)
    raise CopyFailed(f"{file} is no backup: neither a SQLite database nor a file of pg_dump -Fc.")
