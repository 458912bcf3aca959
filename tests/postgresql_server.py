"""A private PostgreSQL for tests: a real server on a socket of its own, as a user who is not root.

Where PostgreSQL is missing, `why_not_here()` says so and tests skip with that sentence. One server serves a whole test
process; each database of a test is a copy of one that was migrated once.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import psycopg
from sqlalchemy import Engine

from bot.store import database
from bot.store.backends.postgresql import Postgresql

_START_SECONDS = 30.0
_SETTINGS = {
    "listen_addresses": "''", "fsync": "off", "full_page_writes": "off",
    "max_connections": "400", "shared_buffers": "64MB", "wal_level": "minimal", "max_wal_senders": "0",
}  # fmt: skip
_TEMPLATE = "mentat_template"


def why_not_here() -> str:
    """Why no server can be started on this machine; empty if one can."""
    if _programs() is None:
        return "PostgreSQL is not installed (apt-get install postgresql)"
    if os.getuid() == 0 and _other_user() is None:
        return "PostgreSQL does not run as root, and this machine has no user postgres or nobody"
    return ""


class PostgresqlServer:
    """A server in a folder of its own. ``stop`` and ``start`` again keep what was in it."""

    def __init__(self, collation: Sequence[str] = ("--locale=C.UTF-8",)) -> None:
        programs = _programs()
        assert programs is not None, why_not_here()
        self._programs = programs
        self._user = _other_user() if os.getuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="mentat-pg-", dir=os.environ.get("PYTEST_DEBUG_TEMPROOT")))
        if self._user:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        self._data = self.folder / "data"
        self._process: subprocess.Popen[bytes] | None = None
        self._known: set[str] = set()
        self._places: dict[str, Path] = {}
        made = f"-D {self._data} -U mentat -A trust --no-sync -E UTF8".split()
        self._run("initdb", *made, *collation)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value.strip(chr(39))}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self._data, "-k", self.folder, *settings],
                stdout=log, stderr=log, preexec_fn=_ends_with_its_parent, **self._as_user(),
            )  # fmt: skip
        until = time.monotonic() + _START_SECONDS
        while True:
            try:
                self.run("SELECT 1")
                return
            except psycopg.OperationalError:
                assert time.monotonic() < until, (self.folder / "log").read_text()
                time.sleep(0.02)

    def stop(self, mode: str = "immediate") -> None:
        """Stop it, by default as if its power went off."""
        if self._process is not None:
            self._run("pg_ctl", "-D", str(self._data), "-m", mode, "-w", "stop")
            self._process.wait()
            self._process = None

    def url(self, database: str = "postgres") -> str:
        """Where a database is."""
        return f"postgresql://mentat@/{database}?host={self.folder}"

    def run(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run a statement outside of any transaction; the rows that it gives."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            found = connection.execute(statement.encode())
            return found.fetchall() if found.description else []

    def empty(self, name: str) -> str:
        """The URL of a new database without tables."""
        self.run(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def database_for(self, place: str | Path) -> str:
        """The URL of the database that stands for a file: always the same one, with a schema and without games when it
        is first asked for."""
        name = self.name_for(place)
        if name not in self._known:
            if _TEMPLATE not in self._known:
                database.open_database(self.empty(_TEMPLATE)).dispose()
                self._known.add(_TEMPLATE)
            self.copy(_TEMPLATE, name)
        return self.url(name)

    def drop_below(self, folder: Path) -> None:
        """Drop the databases that stand for files in a folder."""
        gone = {name for name, place in self._places.items() if folder in place.parents}
        for name in gone:
            self.run(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            del self._places[name]
        self._known -= gone

    def name_for(self, place: str | Path) -> str:
        """The name of the database that stands for a file."""
        file = Path(place).resolve()
        name = "of_" + hashlib.sha256(str(file).encode()).hexdigest()[:16]
        self._places[name] = file
        return name

    def copy(self, there: str, here: str) -> None:
        """Let one database be as another is now. Nobody may have either open."""
        self.run(f'DROP DATABASE IF EXISTS "{here}" WITH (FORCE)')
        self.run(f'CREATE DATABASE "{here}" TEMPLATE "{there}"')
        self._known.add(here)

    def holds(self, words: str) -> bool:
        """Whether some words stand in the files of its tables."""
        self.run("CHECKPOINT")
        files = (path for path in (self._data / "base").rglob("*") if path.is_file())
        return any(words.encode() in path.read_bytes() for path in files)

    def _run(self, program: str, *words: str) -> None:
        made = [str(self._programs / program), *words]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL, **self._as_user())

    def _as_user(self) -> dict[str, Any]:
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        if self._user is None:
            return {"env": environment}
        return {
            "env": environment,
            "user": self._user.pw_uid,
            "group": self._user.pw_gid,
            "cwd": "/",
            "extra_groups": [],
        }

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def in_place_of_files() -> PostgresqlServer | None:
    """The server whose databases stand for the files that tests name; None where these are files."""
    return InPlaceOfFiles.of_this_process


class InPlaceOfFiles(Postgresql):
    """Opens a database of a server wherever a test names a file."""

    of_this_process: ClassVar[PostgresqlServer | None] = None

    def __init__(self, server: PostgresqlServer) -> None:
        self._server = server

    def connect(self, place: str, timeout_seconds: float) -> Engine:
        url = place if database.is_url(place) else self._server.database_for(place)
        return super().connect(url, timeout_seconds)


def _ends_with_its_parent() -> None:
    """Where the tests are killed their server ends too (Linux, prctl(2))."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)


_PR_SET_PDEATHSIG = 1


def _programs() -> Path | None:
    """The folder with the programs of the newest server of this machine; Debian keeps them out of the path."""
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("[0-9]*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return found[-1].parent if found else None


def _other_user() -> pwd.struct_passwd | None:
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    return None
