"""A private PostgreSQL server: a real server with its own socket and folder, which runs only as long as it is needed.

Benchmarks, simulations and tests use it, so nobody needs an account on another server. It does not run as root, because
PostgreSQL refuses to, and it ends together with the process that started it. Benchmarks run with each kind of database
that this machine offers: a file, and a private server if one can be started.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO, Any, Self

import psycopg

from bot.lab.workbench import cpu_seconds

_START_SECONDS = 30.0
_SERVER_SETTINGS: Mapping[str, str] = {
    "listen_addresses": "",
    "max_connections": "400",
    "shared_buffers": "64MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}
_NOT_DURABLE: Mapping[str, str] = {"fsync": "off", "full_page_writes": "off"}


class NoServer(Exception):
    pass


def why_not_here() -> str:
    if _programs() is None:
        return "PostgreSQL is not installed (apt-get install postgresql)"
    if os.getuid() == 0 and _user_for_server() is None:
        return "PostgreSQL does not run as root, and this machine has no user postgres or nobody"
    return ""


class PrivateServer:
    """A server in its own folder; its data survives ``stop`` and ``start``.

    If ``durable`` is set, a commit waits for the disk, as on a server with real games. Otherwise the server is faster,
    and still safe enough for tests. ``below`` is the folder in which the server's own folder is created, by default the
    one for temporary files. Raise NoServer if no server can be started.

    >>> with PrivateServer() as server:  # doctest: +SKIP
    ...     server.run("SELECT 1")
    [(1,)]
    """

    def __init__(
        self, collation: Sequence[str] = ("--locale=C.UTF-8",), *, durable: bool = False, below: Path | None = None
    ) -> None:
        if why := why_not_here():
            raise NoServer(why)
        programs = _programs()
        assert programs is not None
        self._programs = programs
        self._user = _user_for_server() if os.getuid() == 0 else None
        self._settings = {**_SERVER_SETTINGS, **({} if durable else _NOT_DURABLE)}
        self.folder = Path(tempfile.mkdtemp(prefix="mentat-pg-", dir=below))
        if self._user:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        self._data = self.folder / "data"
        self._process: subprocess.Popen[bytes] | None = None
        self._starter = ThreadPoolExecutor(1, "private-server")
        """The thread that starts the server, whichever thread asks for the start. The server ends together with this
        thread (prctl(2), PR_SET_PDEATHSIG)."""
        made = f"-D {self._data} -U mentat -A trust --no-sync -E UTF8".split()
        self._run("initdb", *made, *collation)

    def start(self) -> None:
        settings = [word for name, value in self._settings.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            words: list[str | Path] = [self._programs / "postgres", "-D", self._data, "-k", self.folder, *settings]
            self._process = self._starter.submit(self._popen, words, log).result()
        until = time.monotonic() + _START_SECONDS
        while True:
            try:
                self.run("SELECT 1")
                return
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise NoServer((self.folder / "log").read_text()) from None
                time.sleep(0.02)

    def stop(self, mode: str = "immediate") -> None:
        if self._process is not None:
            self._run("pg_ctl", "-D", str(self._data), "-m", mode, "-w", "stop")
            self._process.wait()
            self._process = None

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://mentat@/{database}?host={self.folder}"

    def run(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            found = connection.execute(statement.encode())
            return found.fetchall() if found.description else []

    def empty(self, name: str) -> str:
        self.run(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def cpu_seconds(self) -> float:
        return cpu_seconds(self._process.pid) if self._process else 0.0

    def _popen(self, words: Sequence[str | Path], log: IO[bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(words, stdout=log, stderr=log, preexec_fn=_ends_with_its_starter, **self._as_user())

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
        self._starter.shutdown()
        shutil.rmtree(self.folder, ignore_errors=True)


def _ends_with_its_starter() -> None:
    # Linux, prctl(2)
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)


_PR_SET_PDEATHSIG = 1


def _programs() -> Path | None:
    on_path = shutil.which("initdb")  # the newest server's; Debian keeps such programs out of the path
    if on_path:
        return Path(on_path).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("[0-9]*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return found[-1].parent if found else None


def _user_for_server() -> pwd.struct_passwd | None:
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    return None


@dataclass(frozen=True, slots=True)
class DatabaseKind:
    """A kind of database. ``new_url`` creates an empty database and returns its URL, or "" for a file in the folder
    that also holds the settings."""

    name: str
    new_url: Callable[[], str]


@contextmanager
def database_kinds() -> Iterator[list[DatabaseKind]]:
    """Yield the kinds of database available on this machine. The server waits for its disk at each commit, as a server
    with real games does, and stops at the end of the `with` block."""
    kinds = [DatabaseKind("SQLite", lambda: "")]
    if why_not_here():
        yield kinds
        return
    numbers = count(1)
    with PrivateServer(durable=True) as server:
        yield [*kinds, DatabaseKind("PostgreSQL", lambda: server.empty(f"bench_{next(numbers)}"))]
