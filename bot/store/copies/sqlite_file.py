"""A SQLite database as a file: copied while it is used, looked at without being changed, and put in a place.

The copy is made by ``VACUUM INTO``: of one moment, while others write, and without what was deleted. It is one file
without a journal.

Source: https://www.sqlite.org/lang_vacuum.html#vacuuminto
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine

from bot.store import owner_only
from bot.store.copies.label import CopyFailed, Label

BEGINS = b"SQLite format 3\0"
_JOURNALS = ("-wal", "-shm", "-journal")


@contextmanager
def copied(engine: Engine, file: Path) -> Iterator[Connection]:
    """Copy a database into an empty file; the connection sees the copy. CopyFailed if there is no room, or what came
    into the file is not sound."""
    with engine.connect() as connection:
        try:
            connection.connection.cursor().execute("VACUUM INTO ?", (str(file),))
        except sqlite3.OperationalError as error:
            raise CopyFailed(f"{file.parent} cannot take the copy: {error}; make room there.") from error
    flush(file)
    with opened(file) as copy:
        if damage := damage_of(copy):
            raise CopyFailed(f"The copy is not sound ({damage}); nothing was kept of it. Look at the disk.")
        yield copy


@contextmanager
def opened(file: Path) -> Iterator[Connection]:
    """A copy, to be read; nothing of it is changed, and nothing is written beside it."""
    place = f"sqlite:///file:{quote(str(file.resolve()))}?mode=ro&immutable=1&uri=true"
    engine = create_engine(place)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def damage_of(conn: Connection) -> str:
    """What is broken in a file, "" if nothing is known to be."""
    try:
        found = conn.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
    except Exception as error:  # it may be broken in any way
        return str(getattr(error, "orig", error))
    return "" if found == "ok" else str(found)


def label_of(file: Path) -> Label:
    """What a copy says of itself. CopyFailed if it is not sound, or no copy of a Mentat."""
    with opened(file) as conn:
        if damage := damage_of(conn):
            raise CopyFailed(f"{file} is not whole ({damage}); use another copy.")
        tables = set(conn.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars())
        if "alembic_version" not in tables or "game" not in tables:
            raise CopyFailed(f"{file} is a database, but none of a Mentat; name the right file.")
        schema = str(conn.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one())
        if "installation" not in tables:
            return Label("sqlite", schema)
        row = conn.exec_driver_sql("SELECT id, address, copied_by, copied_at FROM installation").first()
    if row is None:
        return Label("sqlite", schema)
    copied_at = datetime.fromisoformat(row.copied_at) if row.copied_at else None
    return Label("sqlite", schema, row.id, row.address, row.copied_by, copied_at)


def take(file: Path, target: Path) -> None:
    """Copy a copy to where it can be worked on. CopyFailed if there is no room."""
    remove(target)
    try:
        owner_only.create(target)
        shutil.copyfile(file, target)
    except OSError as error:
        remove(target)
        raise CopyFailed(f"{target.parent} cannot take the copy: {error.strerror}; make room there.") from error


def put_in_place(made: Path, target: Path, aside: Path | None) -> None:
    """Let a database that nobody has open be the one of a place, in one step. What was there is kept as ``aside``, if a
    name is given."""
    with closing(sqlite3.connect(made, isolation_level=None)) as connection:
        _without_journal(connection)
    flush(made)
    if target.exists():
        with contextlib.suppress(sqlite3.DatabaseError), closing(sqlite3.connect(target, isolation_level=None)) as old:
            _without_journal(old)
        for journal in _JOURNALS:  # one that is left would be taken for one of the new database
            with contextlib.suppress(FileNotFoundError):
                if aside:
                    os.replace(f"{target}{journal}", f"{aside}{journal}")
                else:
                    os.unlink(f"{target}{journal}")
        if aside:
            try:
                os.link(target, aside)
            except OSError:  # not every file system gives a file two names
                take(target, aside)
                flush(aside)
    rename(made, target)


def _without_journal(connection: sqlite3.Connection) -> None:
    """Write what stands in the journal into the file itself, and let there be none."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("PRAGMA journal_mode=DELETE")


def remove(file: Path) -> None:
    """Remove a database and its journals, if there is one."""
    for name in (str(file), *(f"{file}{journal}" for journal in _JOURNALS)):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def flush(file: Path) -> None:
    """Wait until the disk has a file."""
    with file.open("rb") as written:
        os.fsync(written.fileno())


def rename(made: Path, file: Path) -> None:
    """Give a written file its name, in one step that survives the power going off."""
    os.replace(made, file)
    _flush_folder(file.parent)


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
