"""Copies of a whole database: making them while the database is in use, checking and restoring them, trying things out
on them, and transferring them to another database.

``VACUUM INTO`` copies a SQLite database. The copy is one consistent snapshot even if others are writing, contains no
deleted rows, and is one file without a journal.

``pg_dump -Fc`` copies a PostgreSQL database into a file. The server's own programs do the work (``pg_dump``,
``pg_restore``, ``psql``). They get the password in their environment, never on a command line, where other users of the
machine could read it. A copy is restored in one transaction, which also runs the statements that mark the database as
held.

A ``Label`` describes a copy. It is stored inside the copy, so there is no second file that could get lost.

A *trial* is a copy, with the same schema, on which an operation is tried before it is done to the real database. A
SQLite file is copied into a folder. A database on a server is copied into a separate schema on that server
(``mentat_trial``). The statements that created the original tables also create them there, so a trial needs neither the
server's programs nor another database. The copy is removed afterwards. If a process was killed during a trial, the next
trial removes what it left behind.

A *transfer* copies all rows, table by table, into another database, which may be of the other kind. Column values are
copied as stored, not as the code reads them, so no value changes on the way. There is one exception: PostgreSQL cannot
store NUL and lone surrogates in text, and old databases may contain some. A transfer replaces them with U+FFFD, the
replacement character.

Sources: https://www.sqlite.org/lang_vacuum.html#vacuuminto; PostgreSQL 15, "pg_dump", "pg_restore", chapter 5.9
(schemas), 9.17 (setval), 9.27.5 (snapshot synchronization functions).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator, TypeEngine

from bot.store import backends, games, glance
from bot.store.database import INCOMPLETE, explained, renew, schema_of, unopened, while_held, writing
from bot.store.installation import INBOX, INSTALLATION, LEADER, WORKER, only_one


def copied(engine: sa.Engine, file: Path) -> AbstractContextManager[sa.Connection]:
    if engine.dialect.name == "postgresql":
        return copied_postgresql(engine, file)
    return copied_sqlite(engine, file)


def label_of(file: Path) -> Label:
    try:
        with file.open("rb") as copy:
            begins = copy.read(len(SQLITE_BEGINS))
    except OSError as error:
        raise CopyFailed(f"{file} cannot be read: {error.strerror}.") from error
    if begins == SQLITE_BEGINS:
        return sqlite_label(file)
    if begins.startswith(POSTGRESQL_BEGINS):
        return postgresql_label(file)
    raise CopyFailed(f"{file} is not a backup: neither a SQLite database nor a file of pg_dump -Fc.")


DatabaseKind = Literal["sqlite", "postgresql"]


class CopyFailed(Exception):
    """A copy cannot be made, read or restored. The message says what failed and what to do."""


@dataclass(frozen=True, slots=True)
class Label:
    """A copy's description of itself: the ``kind`` of database, its ``schema``, when the copy was made (``copied_at``),
    and the ``version`` and ``address`` of the Mentat that made it. A copy that was not made by `mentat backup` has only
    ``kind`` and ``schema``."""

    kind: DatabaseKind
    schema: str
    installation: str = ""
    address: str = ""
    version: str = ""
    copied_at: datetime | None = None


SQLITE_BEGINS = b"SQLite format 3\0"
_JOURNALS = ("-wal", "-shm", "-journal")


@contextmanager
def copied_sqlite(engine: sa.Engine, file: Path) -> Iterator[sa.Connection]:
    """Copy a database into an empty file and yield a connection to the copy. Raise CopyFailed if the disk is full or
    the copy is damaged."""
    with engine.connect() as connection:
        try:
            connection.connection.cursor().execute("VACUUM INTO ?", (str(file),))
        except sqlite3.OperationalError as error:
            raise CopyFailed(f"{file.parent} cannot take the copy: {error}; make room there.") from error
    flush(file)
    with opened_sqlite(file) as copy:
        if damage := damage_of(copy):
            raise CopyFailed(f"The copy is damaged ({damage}) and was deleted. Check the disk.")
        yield copy


@contextmanager
def opened_sqlite(file: Path) -> Iterator[sa.Connection]:
    place = f"sqlite:///file:{quote(str(file.resolve()))}?mode=ro&immutable=1&uri=true"
    engine = sa.create_engine(place)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def damage_of(conn: sa.Connection) -> str:
    try:
        found = conn.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
    except Exception as error:  # the file may be broken in any way
        return str(getattr(error, "orig", error))
    return "" if found == "ok" else str(found)


def sqlite_label(file: Path) -> Label:
    with opened_sqlite(file) as conn:
        if damage := damage_of(conn):
            raise CopyFailed(f"{file} is damaged ({damage}); use another copy.")
        tables = set(conn.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars())
        if "alembic_version" not in tables or "game" not in tables:
            raise CopyFailed(f"{file} is a database, but not Mentat's; name the right file.")
        schema = str(conn.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one())
        if "installation" not in tables:
            return Label("sqlite", schema)
        row = conn.exec_driver_sql("SELECT id, address, copied_by, copied_at FROM installation").first()
    if row is None:
        return Label("sqlite", schema)
    copied_at = datetime.fromisoformat(row.copied_at) if row.copied_at else None
    return Label("sqlite", schema, row.id, row.address, row.copied_by, copied_at)


def take(file: Path, target: Path) -> None:
    remove(target)
    try:
        glance.create_private_file(target)
        shutil.copyfile(file, target)
    except OSError as error:
        remove(target)
        raise CopyFailed(f"{target.parent} cannot take the copy: {error.strerror}; make room there.") from error


def put_in_place(made: Path, target: Path, aside: Path | None) -> None:
    """Move a finished database, which no process has open, into place in one step. If ``aside`` is given, keep the old
    database under that name."""
    with closing(sqlite3.connect(made, isolation_level=None)) as connection:
        _without_journal(connection)
    flush(made)
    if target.exists():
        with contextlib.suppress(sqlite3.DatabaseError), closing(sqlite3.connect(target, isolation_level=None)) as old:
            _without_journal(old)
        for journal in _JOURNALS:  # SQLite would apply a leftover journal to the new database
            with contextlib.suppress(FileNotFoundError):
                if aside:
                    os.replace(f"{target}{journal}", f"{aside}{journal}")
                else:
                    os.unlink(f"{target}{journal}")
        if aside:
            try:
                os.link(target, aside)
            except OSError:  # some file systems have no hard links
                take(target, aside)
                flush(aside)
    rename(made, target)


def _without_journal(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("PRAGMA journal_mode=DELETE")


def remove(file: Path) -> None:
    for name in (str(file), *(f"{file}{journal}" for journal in _JOURNALS)):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def flush(file: Path) -> None:
    with file.open("rb") as written:
        os.fsync(written.fileno())


def rename(made: Path, file: Path) -> None:
    os.replace(made, file)
    _flush_folder(file.parent)


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


TRIAL_SCHEMA = "mentat_trial"
_FOLDER = ".mentat-trial-"
_VERSION = "alembic_version"


@contextmanager
def copied_to_try(engine: sa.Engine, folder: Path) -> Iterator[sa.Engine]:
    """Make a copy for a trial, and remove it after the block. A SQLite file is copied into ``folder``. Raise CopyFailed
    or DatabaseUnavailable if the copy cannot be made, and AlreadyRunning while another trial is running."""
    make = _of_server if engine.dialect.name == "postgresql" else _of_file
    with only_one(engine, "trying an upgrade"), make(engine, folder) as copy:
        yield copy


@contextmanager
def _of_file(engine: sa.Engine, folder: Path) -> Iterator[sa.Engine]:
    own = _folder_of(engine)
    for left in folder.glob(f"{own}*"):
        shutil.rmtree(left, ignore_errors=True)
    try:
        place = tempfile.TemporaryDirectory(prefix=own, dir=folder)
    except OSError as error:
        raise CopyFailed(f"{folder} cannot be written: {error.strerror}; name another folder.") from error
    with place:
        file = Path(place.name) / "copy.db"
        glance.create_private_file(file)
        with explained(engine), copied_sqlite(engine, file):
            pass
        copy = unopened(file)
        try:
            yield copy
        finally:
            copy.dispose()


def _folder_of(engine: sa.Engine) -> str:
    file = Path(engine.url.database or "").resolve()
    return f"{_FOLDER}{hashlib.sha256(str(file).encode()).hexdigest()[:8]}-"


@contextmanager
def _of_server(engine: sa.Engine, _folder: Path) -> Iterator[sa.Engine]:
    _drop(engine)
    copy = unopened(engine.url.set(drivername="postgresql").render_as_string(hide_password=False))
    sa.event.listen(copy, "connect", _look_there, insert=True)  # before the connection asks for its schema
    try:
        with explained(engine), engine.begin() as connection:
            connection.execute(sa.text(f"CREATE SCHEMA {TRIAL_SCHEMA}"))
        renew(copy, schema_of(engine))
        with explained(engine):
            _copy_rows(engine)
        yield copy
    finally:
        copy.dispose()
        _drop(engine)


def _look_there(connection: Any, _record: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET search_path TO {TRIAL_SCHEMA}")
    connection.commit()


def _copy_rows(engine: sa.Engine) -> None:
    """Copy all rows from one snapshot. The same statements created the tables on both sides, so their columns are the
    same."""
    with engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection, connection.begin():
        there, here = sa.MetaData(), sa.MetaData()
        there.reflect(connection, schema=TRIAL_SCHEMA)
        here.reflect(connection)
        tables = [table for table in there.sorted_tables if table.name != _VERSION]
        for table in reversed(tables):  # some of the statements also wrote rows
            connection.execute(table.delete())
        for table in tables:
            columns = [column.name for column in table.columns]
            source = here.tables[table.name]
            rows = sa.select(*(source.columns[name] for name in columns))
            connection.execute(sa.insert(table).from_select(columns, rows))
            for column in _numbered(table):
                numbers = f"pg_get_serial_sequence('{TRIAL_SCHEMA}.{table.name}', '{column}')"
                last = f'SELECT max("{column}") FROM "{TRIAL_SCHEMA}"."{table.name}"'
                connection.execute(sa.text(f"SELECT setval({numbers}, coalesce(({last}), 1))"))


def _numbered(table: sa.Table) -> list[str]:
    return [column.name for column in table.columns if "nextval" in str(getattr(column.server_default, "arg", ""))]


def _drop(engine: sa.Engine) -> None:
    with explained(engine), engine.begin() as connection:
        connection.execute(sa.text(f"DROP SCHEMA IF EXISTS {TRIAL_SCHEMA} CASCADE"))


POSTGRESQL_BEGINS = b"PGDMP"
_HOW = ("-Fc", "--no-owner", "--no-privileges", f"--exclude-schema={TRIAL_SCHEMA}")
_INSTALL = "install the programs of PostgreSQL (in Debian: apt-get install postgresql-client)"
_ROW = re.compile(r"^COPY public\.(\w+) \(([^)]*)\) FROM stdin;\n(.*?)^\\\.$", re.MULTILINE | re.DOTALL)


@contextmanager
def copied_postgresql(engine: sa.Engine, file: Path) -> Iterator[sa.Connection]:
    options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with engine.connect().execution_options(**options) as connection, connection.begin():
        _require("pg_dump", connection)
        connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")  # a dump may take a long time
        snapshot = connection.exec_driver_sql("SELECT pg_export_snapshot()").scalar_one()
        _run(engine, "pg_dump", *_HOW, f"--snapshot={snapshot}", f"--file={file}")
        _read_through(file)
        yield connection


def postgresql_label(file: Path) -> Label:
    _read_through(file)
    told = _text(file, "--data-only", "--table=alembic_version", "--table=installation")
    rows = {name: (columns.split(", "), data) for name, columns, data in _ROW.findall(told)}
    if "alembic_version" not in rows:
        raise CopyFailed(f"{file} is a copy of a database, but not of Mentat's; name the right file.")
    schema = rows["alembic_version"][1].strip()
    columns, data = rows.get("installation", ([], ""))
    if not data.strip():
        return Label("postgresql", schema)
    row = dict(zip(columns, data.rstrip("\n").split("\t"), strict=True))
    copied_at = None if row["copied_at"] == r"\N" else datetime.fromisoformat(row["copied_at"])
    return Label("postgresql", schema, row["id"], row["address"], row["copied_by"], copied_at)


def put_back_postgresql(file: Path, engine: sa.Engine, and_then: Sequence[str]) -> None:
    """In one transaction, drop all tables of the database, restore a copy, and run the statements ``and_then``. If this
    fails, roll everything back and raise CopyFailed."""
    with engine.connect() as connection:
        _require("pg_restore", connection)
        _require("psql", connection)
        tables = sa.inspect(connection).get_table_names()
    before = "".join(f'DROP TABLE "{table}" CASCADE;\n' for table in tables) + f"{backends.TAKE_DOWN_GUARDS};\n"
    after = "".join(f"{statement};\n" for statement in and_then)
    reading = subprocess.Popen(
        ["pg_restore", "--no-owner", "--no-privileges", "--file=-", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(),
    )
    writing = subprocess.Popen(
        ["psql", "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", _place(engine)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=_environment(engine),
    )
    assert reading.stdout is not None
    assert reading.stderr is not None
    assert writing.stdin is not None
    assert writing.stderr is not None
    try:
        with writing.stdin as script:
            script.write(before.encode())
            shutil.copyfileobj(reading.stdout, script)
            if reading.wait():
                writing.kill()  # the received data is not committed
                raise CopyFailed(f"{file} is incomplete ({_said(reading.stderr.read())}); nothing was changed.")
            script.write(b"RESET search_path;\n" + after.encode())
    except BrokenPipeError:
        reading.kill()
    finally:
        reading.wait()
        told = _said(writing.stderr.read())
        failed = writing.wait()
    if failed:
        raise CopyFailed(f"{file} cannot be restored ({told}); nothing was changed.")


@contextmanager
def tried_postgresql(file: Path, server: sa.Engine) -> Iterator[sa.Engine]:
    """Restore a copy into a new database on the same server, and drop the new database after the block. Raise
    DatabaseUnavailable if we are not allowed to create a database on the server, and CopyFailed if the copy cannot be
    restored."""
    name = f"mentat_check_{secrets.token_hex(4)}"
    with explained(server), _outside_of_transactions(server) as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
    url = server.url.set(drivername="postgresql", database=name)
    copy = unopened(url.render_as_string(hide_password=False))
    try:
        put_back_postgresql(file, copy, [])
        yield copy
    finally:
        copy.dispose()
        with explained(server), _outside_of_transactions(server) as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")


def _outside_of_transactions(engine: sa.Engine) -> sa.Connection:
    return engine.connect().execution_options(isolation_level="AUTOCOMMIT")


def _read_through(file: Path) -> None:
    _call(["pg_restore", "--file=/dev/null", str(file)], f"{file} is incomplete")


def _text(file: Path, *words: str) -> str:
    return _call(["pg_restore", "--file=-", *words, str(file)], f"{file} cannot be read")


def _run(engine: sa.Engine, program: str, *words: str) -> None:
    _call([program, *words, _place(engine)], f"{program} failed", _environment(engine))


def _call(command: Sequence[str], trouble: str, environment: dict[str, str] | None = None) -> str:
    try:
        done = subprocess.run(command, capture_output=True, env=environment or _environment(), check=False)
    except FileNotFoundError as error:
        raise CopyFailed(f"There is no {command[0]} on this machine; {_INSTALL}.") from error
    if done.returncode:
        raise CopyFailed(f"{trouble} ({_said(done.stderr)}).")
    return done.stdout.decode(errors="replace")


def _require(program: str, conn: sa.Connection) -> None:
    """Raise CopyFailed if a program is missing or older than the server. An older program would refuse to run, or would
    lose data that only newer servers have."""
    if shutil.which(program) is None:
        raise CopyFailed(f"There is no {program} on this machine; {_INSTALL}.")
    told = _call([program, "--version"], f"{program} cannot be started")
    version = re.search(r"(\d+)(?:\.\d+)?", told)
    own, server = int(version[1]) if version else 0, int(conn.exec_driver_sql("SHOW server_version_num").scalar_one())
    if own < server // 10_000:
        raise CopyFailed(
            f"{program} has version {own}, but the server has {server // 10_000}; {_INSTALL} of the server's version."
        )


def _place(engine: sa.Engine) -> str:
    url = engine.url._replace(drivername="postgresql", password=None)  # `set` would keep the password
    return url.render_as_string(hide_password=False)


def _environment(engine: sa.Engine | None = None) -> dict[str, str]:
    password = str(engine.url.password) if engine is not None and engine.url.password else ""
    return {**os.environ, "LC_ALL": "C", "PGCLIENTENCODING": "UTF8"} | ({"PGPASSWORD": password} if password else {})


def _said(complaint: bytes) -> str:
    lines = [line for line in complaint.decode(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no message"


CHUNK = 500
"""The number of rows copied per transaction."""

_NOT_CARRIED = frozenset({INBOX.name, LEADER.name, WORKER.name})
"""Tables with the state of running processes are not transferred. Mail in the inbox table is still in the mailbox."""
_UNFIT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Carried:
    """The content of a table: the number of rows, and a digest of all their values that is independent of row order."""

    rows: int
    digest: int


def is_empty(conn: sa.Connection) -> bool:
    return all(
        conn.execute(sa.select(table).limit(1)).first() is None for table in _plain() if table.name != INSTALLATION.name
    )


def begin_transfer(target: sa.Engine, now: str) -> None:
    """Empty a database, and mark it as held and incomplete until ``complete_transfer`` is called."""
    with writing(while_held(target)) as conn:
        conn.execute(sa.update(_table(INSTALLATION.name)).values(held_since=now, held_why=INCOMPLETE))
        for table in reversed(_plain()):
            if table.name != INSTALLATION.name:
                conn.execute(sa.delete(table))


def carry(source: sa.Connection, target: sa.Engine, tell: Callable[[str, int], None]) -> dict[str, Carried]:
    """Transfer all rows except the one that describes the installation. Return what was read from each table. Call
    ``tell`` after each table. Raise CopyFailed if the source has tables that this Mentat does not know."""
    known = {table.name for table in _plain()} | _NOT_CARRIED | {"alembic_version"}
    if strange := set(sa.inspect(source).get_table_names()) - known:
        raise CopyFailed(f"There are tables here that this Mentat does not know: {', '.join(sorted(strange))}.")
    done = {}
    for table in _plain():
        if table.name == INSTALLATION.name:
            continue
        rows = digest = 0
        found = _rows(source, table, target.dialect.name)
        while chunk := list(islice(found, CHUNK)):
            with writing(while_held(target)) as conn:
                conn.execute(sa.insert(table), chunk)
            rows += len(chunk)
            digest = (digest + sum(_digest(table, row) for row in chunk)) % _MODULUS
        done[table.name] = Carried(rows, digest)
        tell(table.name, rows)
    return done


def transfer_difference(carried: dict[str, Carried], target: sa.Connection) -> str:
    for name, there in contents(target).items():
        if (was := carried[name]) != there:
            return f"{name} has {there.rows} rows where {was.rows} were copied, or values differ."
    return ""


def contents(conn: sa.Connection) -> dict[str, Carried]:
    found = {}
    for table in _plain():
        if table.name != INSTALLATION.name:
            rows = digest = 0
            for row in _rows(conn, table, conn.dialect.name):
                rows += 1
                digest = (digest + _digest(table, row)) % _MODULUS
            found[table.name] = Carried(rows, digest)
    return found


def complete_transfer(target: sa.Engine, installation: dict[str, Any]) -> None:
    """Finish a transfer: set each sequence above the highest number in use, write the row that describes the
    installation, and release the target database."""
    with writing(while_held(target)) as conn:
        if target.dialect.name == "postgresql":
            for table in _plain():
                for column in table.primary_key.columns:
                    if len(table.primary_key.columns) == 1 and isinstance(column.type, sa.Integer):
                        _go_on_numbering(conn, table, column)
        there = _table(INSTALLATION.name)
        conn.execute(sa.delete(there))
        conn.execute(sa.insert(there), {**installation, "held_since": None, "held_why": ""})


def installation_of(source: sa.Connection) -> dict[str, Any]:
    return dict(source.execute(sa.select(_table(INSTALLATION.name))).mappings().one())


def _go_on_numbering(conn: sa.Connection, table: sa.Table, column: sa.Column[Any]) -> None:
    """Set a sequence above the numbers of the inserted rows. Otherwise the next new row would get number 1."""
    sequence = sa.text("SELECT pg_get_serial_sequence(:table, :column)")
    name = conn.execute(sequence, {"table": f'"{table.name}"', "column": column.name}).scalar_one()
    highest = conn.execute(sa.select(sa.func.max(column))).scalar_one()
    if name and highest:
        conn.execute(sa.text("SELECT setval(:name, :highest)"), {"name": name, "highest": highest})


def _plain() -> Sequence[sa.Table]:
    if not _TABLES:
        plain = sa.MetaData()
        for table in games.every_table()[::-1]:
            table.to_metadata(plain)
        for table in plain.sorted_tables:
            for column in table.columns:
                column.type = _as_stored(column.type)
            if table.name not in _NOT_CARRIED:
                _TABLES.append(table)
    return _TABLES


_TABLES: list[sa.Table] = []


def _table(name: str) -> sa.Table:
    return next(table for table in _plain() if table.name == name)


def _as_stored(kind: TypeEngine[Any]) -> TypeEngine[Any]:
    return kind.impl_instance if isinstance(kind, TypeDecorator) else kind


def _rows(conn: sa.Connection, table: sa.Table, for_dialect: str) -> Iterator[dict[str, Any]]:
    ordered = sa.select(table).order_by(*table.primary_key.columns)
    fit = for_dialect == "postgresql"
    for row in conn.execution_options(yield_per=CHUNK).execute(ordered).mappings():
        yield {name: _fit(value) if fit and isinstance(value, str) else value for name, value in row.items()}


def _fit(value: str) -> str:
    return value if value.isascii() and "\0" not in value else _UNFIT.sub("\ufffd", value)


_MODULUS = 1 << 256


def _digest(table: sa.Table, row: dict[str, Any]) -> int:
    told = hashlib.sha256(table.name.encode())
    for column in table.columns:
        value = row[column.name]
        data = bytes(value) if isinstance(value, bytes | memoryview) else repr(value).encode("utf-8", "surrogatepass")
        told.update(f"{column.name}:{len(data)}:".encode() + data)
    return int.from_bytes(told.digest(), "big")
