"""A PostgreSQL database as a file of ``pg_dump -Fc``: made of one moment while it is used, looked at, and put back.

The server's own programs do it (``pg_dump``, ``pg_restore``, ``psql``). A password goes to them by their environment,
never on a command line, where other users of the machine could read it. What is put back comes in one transaction,
together with the statements that hold it.

Sources: PostgreSQL 15, "pg_dump", "pg_restore", 9.27.5 (snapshot synchronization functions).
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect

from bot.store.backends import guards
from bot.store.copies.label import CopyFailed, Label
from bot.store.copies.trial import SCHEMA as TRIAL
from bot.store.database import explained, unopened

BEGINS = b"PGDMP"
_HOW = ("-Fc", "--no-owner", "--no-privileges", f"--exclude-schema={TRIAL}")
_INSTALL = "install the programs of PostgreSQL (in Debian: apt-get install postgresql-client)"
_ROW = re.compile(r"^COPY public\.(\w+) \(([^)]*)\) FROM stdin;\n(.*?)^\\\.$", re.MULTILINE | re.DOTALL)


@contextmanager
def copied(engine: Engine, file: Path) -> Iterator[Connection]:
    """Copy a database into a file; the connection sees the moment that was copied. CopyFailed if it cannot be done."""
    options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with engine.connect().execution_options(**options) as connection, connection.begin():
        _require("pg_dump", connection)
        connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")  # a dump may take its time
        snapshot = connection.exec_driver_sql("SELECT pg_export_snapshot()").scalar_one()
        _run(engine, "pg_dump", *_HOW, f"--snapshot={snapshot}", f"--file={file}")
        _read_through(file)
        yield connection


def label_of(file: Path) -> Label:
    """What a copy says of itself. CopyFailed if it is not whole, or no copy of a Mentat."""
    _read_through(file)
    told = _text(file, "--data-only", "--table=alembic_version", "--table=installation")
    rows = {name: (columns.split(", "), data) for name, columns, data in _ROW.findall(told)}
    if "alembic_version" not in rows:
        raise CopyFailed(f"{file} is the copy of a database, but none of a Mentat; name the right file.")
    schema = rows["alembic_version"][1].strip()
    columns, data = rows.get("installation", ([], ""))
    if not data.strip():
        return Label("postgresql", schema)
    row = dict(zip(columns, data.rstrip("\n").split("\t"), strict=True))
    copied_at = None if row["copied_at"] == r"\N" else datetime.fromisoformat(row["copied_at"])
    return Label("postgresql", schema, row["id"], row["address"], row["copied_by"], copied_at)


def put_back(file: Path, engine: Engine, and_then: Sequence[str]) -> None:
    """Let a database be as the copy has it, in one transaction, in which statements follow. All its tables are dropped.
    CopyFailed if anything fails; then it is as it was."""
    with engine.connect() as connection:
        _require("pg_restore", connection)
        _require("psql", connection)
        tables = inspect(connection).get_table_names()
    before = "".join(f'DROP TABLE "{table}" CASCADE;\n' for table in tables) + f"{guards.TAKE_DOWN};\n"
    after = "".join(f"{statement};\n" for statement in and_then)
    reading = subprocess.Popen(
        ["pg_restore", "--no-owner", "--no-privileges", "--file=-", str(file)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_environment(),
    )  # fmt: skip
    writing = subprocess.Popen(
        ["psql", "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", _place(engine)],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=_environment(engine),
    )  # fmt: skip
    assert reading.stdout is not None
    assert reading.stderr is not None
    assert writing.stdin is not None
    assert writing.stderr is not None
    try:
        with writing.stdin as script:
            script.write(before.encode())
            shutil.copyfileobj(reading.stdout, script)
            if reading.wait():
                writing.kill()  # whatever came is not committed
                raise CopyFailed(f"{file} is not whole ({_said(reading.stderr.read())}); nothing was changed.")
            script.write(b"RESET search_path;\n" + after.encode())
    except BrokenPipeError:
        reading.kill()
    finally:
        reading.wait()
        told = _said(writing.stderr.read())
        failed = writing.wait()
    if failed:
        raise CopyFailed(f"{file} cannot be put back ({told}); nothing was changed.")


@contextmanager
def tried(file: Path, server: Engine) -> Iterator[Engine]:
    """A copy put back into a new database beside one of a server, which is gone after the block. DatabaseUnavailable
    if none can be made there, CopyFailed if the copy cannot be put back."""
    name = f"mentat_check_{secrets.token_hex(4)}"
    with explained(server), _outside_of_transactions(server) as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
    url = server.url.set(drivername="postgresql", database=name)
    copy = unopened(url.render_as_string(hide_password=False))
    try:
        put_back(file, copy, [])
        yield copy
    finally:
        copy.dispose()
        with explained(server), _outside_of_transactions(server) as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")


def _outside_of_transactions(engine: Engine) -> Connection:
    return engine.connect().execution_options(isolation_level="AUTOCOMMIT")


def _read_through(file: Path) -> None:
    """Read all of a copy, packed as it is."""
    _call(["pg_restore", "--file=/dev/null", str(file)], f"{file} is not whole")


def _text(file: Path, *words: str) -> str:
    return _call(["pg_restore", "--file=-", *words, str(file)], f"{file} cannot be read")


def _run(engine: Engine, program: str, *words: str) -> None:
    _call([program, *words, _place(engine)], f"{program} failed", _environment(engine))


def _call(command: Sequence[str], trouble: str, environment: dict[str, str] | None = None) -> str:
    try:
        done = subprocess.run(command, capture_output=True, env=environment or _environment(), check=False)
    except FileNotFoundError as error:
        raise CopyFailed(f"There is no {command[0]} on this machine; {_INSTALL}.") from error
    if done.returncode:
        raise CopyFailed(f"{trouble} ({_said(done.stderr)}).")
    return done.stdout.decode(errors="replace")


def _require(program: str, conn: Connection) -> None:
    """CopyFailed, if a program is missing or older than the server: it would refuse, or lose what is new."""
    if shutil.which(program) is None:
        raise CopyFailed(f"There is no {program} on this machine; {_INSTALL}.")
    told = _call([program, "--version"], f"{program} cannot be started")
    version = re.search(r"(\d+)(?:\.\d+)?", told)
    own, server = int(version[1]) if version else 0, int(conn.exec_driver_sql("SHOW server_version_num").scalar_one())
    if own < server // 10_000:
        raise CopyFailed(
            f"{program} is of version {own} and the server of {server // 10_000}; {_INSTALL}, as new as it."
        )


def _place(engine: Engine) -> str:
    """The URL for the server's programs, without the password."""
    url = engine.url._replace(drivername="postgresql", password=None)  # `set` would leave the password as it is
    return url.render_as_string(hide_password=False)


def _environment(engine: Engine | None = None) -> dict[str, str]:
    password = str(engine.url.password) if engine is not None and engine.url.password else ""
    return {**os.environ, "LC_ALL": "C", "PGCLIENTENCODING": "UTF8"} | ({"PGPASSWORD": password} if password else {})


def _said(complaint: bytes) -> str:
    """The last thing that a program complained of."""
    lines = [line for line in complaint.decode(errors="replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else "without a word"
