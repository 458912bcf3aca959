"""The two kinds of database: the interface to both, SQLite, and the guards of a PostgreSQL database.

``bot.store.postgresql``, the other kind, loads the driver of a server. ``bot.store.database`` chooses between them.

SQLite is one file with one writer at a time. Every transaction is durable: in WAL mode with ``synchronous=FULL`` a
committed order survives a power failure. Writing transactions begin with ``BEGIN IMMEDIATE``, so two processes wait for
each other instead of failing halfway.

*Guards* let a transaction in a PostgreSQL database change only what it holds, whatever its code believes. A transaction
that holds one game names that game in the setting ``mentat.game``. A trigger on each table then refuses
rows of other games, and every row of tables that belong to no game. Only transactions that hold everything change those
common tables. They leave the setting empty. The tables in ``UNGUARDED`` take rows from all transactions: each of their
rows is written by one process at a time, or only once.

Source: PostgreSQL 15, CREATE TRIGGER and 9.27.1 (configuration settings functions).
"""

from __future__ import annotations

import fcntl
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from sqlalchemy import Connection, Engine, MetaData, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from bot.store import glance


class Backend(Protocol):
    """One kind of database. ``moments`` are the execution options of a transaction that reads one consistent snapshot,
    ``changes`` those of one that writes. ``several`` is true if several processes may use the database at once.
    ``errors`` are the exceptions of its driver. ``damaged`` are the pieces of advice after which waiting is no use."""

    several: bool
    damaged: tuple[str, ...]
    errors: tuple[type[Exception], ...]

    moments: Mapping[str, Any]
    changes: Mapping[str, Any]

    def connect(self, place: str, timeout_seconds: float, direct: str = "") -> Engine:
        """Return the engine for a database. ``timeout_seconds`` is how long a writer waits for a lock. ``direct`` is a
        second URL for work that needs its own session."""

    def look(self, engine: Engine) -> AbstractContextManager[Connection | None]:
        """Open a connection that changes nothing, not even the journal mode of the file. Yield None if there is no
        database yet."""

    def take_turn(self, conn: Connection, game_id: str | None) -> bool:
        """Wait in a writing transaction for the lock that it needs: on everything, on one game, or on no game ("").
        Return False if there is no such game."""

    def try_turn(self, conn: Connection, work: str) -> bool:
        """Try to take the lock on some work until the end of a transaction. Return False if another transaction has the
        lock."""

    def met_another(self, error: BaseException) -> bool:
        """Return whether an error comes from concurrent writers, or from changing rows that the transaction does not
        hold."""

    def guard(self, conn: Connection, tables: MetaData) -> None: ...

    def direct(self, engine: Engine, program: str) -> DirectConnection:
        """Return a separate connection for the locks and hints of a process. The server knows it as ``program``. Raise
        ValueError if the database allows one process only."""

    def take_turn_to_migrate(self, conn: Connection) -> None: ...

    def advice(self, error: BaseException, engine: Engine) -> str | None:
        """Return the rest of the sentence "The database X …" for an error that its owner can fix, else None. A query
        to ``engine`` may supply what the error alone does not say."""

    def name(self, engine: Engine) -> str: ...

    def start(self, conn: Connection) -> str:
        """Return a name for the time since the server last started, or "". A restart releases all earlier locks,
        though the processes that held them may live on."""

    def damage(self, conn: Connection) -> str:
        """Return what is damaged in the database, or "" if no damage is known."""

    def size(self, conn: Connection) -> int: ...

    def tidy(self, engine: Engine) -> None:
        """Free the space of deleted rows for new ones. No other transaction waits for long."""

    def rewrite(self, engine: Engine) -> None: ...

    def only_one(self, engine: Engine, work: str) -> AbstractContextManager[bool]:
        """Hold the lock on some work for the length of a block. Yield False if another process has it. The lock ends
        with the process."""


class DirectConnection(Protocol):
    """A connection outside all transactions. If it breaks, it loses all its locks, and the next use connects again.
    All methods but ``close`` may raise an error of the database (``bot.store.installation``)."""

    def reach(self) -> None:
        """Connect, if not connected yet. Raise an error if session locks do not work here."""

    def holds(self, work: str) -> bool:
        """Ask the server whether this connection still has the lock."""

    def take(self, work: str) -> bool:
        """Try to take the lock on some work. Return whether this process has it now, including from an earlier call."""

    def share(self, work: str) -> bool:
        """Try to take a shared lock on some work. Return False if another process holds an exclusive one."""

    def give_back(self, work: str) -> None: ...

    def claim(self, statement: str, work: str, done: str, **given: object) -> Sequence[Any] | None:
        """Run a statement that waits for its ``turn`` as transactions do. It takes the lock on some work (``lock``) and
        releases that of finished work (``done``). Return its row, or None if it changed neither lock."""

    def is_taken(self, work: str) -> bool: ...

    def call_out(self, hint: str) -> None: ...

    def wait(self, seconds: float, wanted: Callable[[str], bool]) -> bool:
        """Wait up to ``seconds`` for a wanted hint (``call_out``). Return whether one came. Hints are not stored: a
        hint sent while nobody listens is lost."""

    def silent_seconds(self) -> dict[str, float]:
        """Return for how many seconds each connected process has sent the server no query, over any of its connections.
        The server's clock counts."""

    def end_sessions(self, program: str) -> None:
        """End all connections of a frozen process, so that it holds no locks any more."""

    def close(self) -> None: ...


_FULL, _DISK_ERROR = "database or disk is full", "disk I/O error"
"""A program that opens a file on a full disk gets the second error, as there is no room for the shared memory file
(-shm)."""

ANOTHER_KIND = "is another kind of file; name the right one under [mentat] database"
DAMAGED = "is damaged; restore a copy of it (`mentat restore`)"
_ADVICE = {
    "database is locked": "is held by another program; stop that or try again",
    _FULL: "has no room, the disk is full; make room: nothing was lost, and Mentat goes on by itself",
    "attempt to write a readonly database": "cannot be written; check its owner and permissions",
    "unable to open database file": "cannot be opened; check that the folder exists and can be written",
    _DISK_ERROR: "cannot be written, the disk reports an error; check it: what was committed is kept",
    "file is not a database": ANOTHER_KIND,
    "database disk image is malformed": DAMAGED,
    "malformed database schema": DAMAGED,
}


_SHARED_MEMORY = 32_768


class Sqlite:
    errors: tuple[type[Exception], ...] = (DBAPIError, sqlite3.DatabaseError)
    several = False
    damaged: tuple[str, ...] = (ANOTHER_KIND, DAMAGED)
    moments: Mapping[str, Any] = {}
    changes: Mapping[str, Any] = {"write": True}

    def connect(self, place: str, timeout_seconds: float, direct: str = "") -> Engine:
        engine = create_engine(
            f"sqlite:///{place}", connect_args={"timeout": timeout_seconds, "check_same_thread": False}
        )
        event.listen(engine, "do_connect", lambda *_: glance.create_private_file(Path(place)))
        event.listen(engine, "connect", _configure)
        event.listen(engine, "begin", _begin)
        return engine

    @contextmanager
    def look(self, engine: Engine) -> Iterator[Connection | None]:
        """Open a read-only connection. A program with write access would write the journal into the file when it
        closes it last."""
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
        return True

    def try_turn(self, conn: Connection, work: str) -> bool:
        return True

    def met_another(self, error: BaseException) -> bool:
        return False

    def guard(self, conn: Connection, tables: MetaData) -> None: ...

    def direct(self, engine: Engine, program: str) -> DirectConnection:
        raise ValueError("a SQLite file is for one process")

    def take_turn_to_migrate(self, conn: Connection) -> None: ...

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
        self.rewrite(engine)

    def rewrite(self, engine: Engine) -> None:
        """Rewrite the file and empty the journal. It takes about a second for each 100 MB, and blocks all writers
        meanwhile."""
        with engine.connect() as connection:
            raw = connection.connection.cursor()
            raw.execute("VACUUM")
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def only_one(self, engine: Engine, work: str) -> Iterator[bool]:
        file = Path(engine.url.database or "")
        with glance.open_lock(file.with_name(f"{file.name}.{work.replace(' ', '-')}.lock")) as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield False
            else:
                yield True


def _is_full(folder: Path) -> bool:
    """Return whether a disk has no room for the shared memory of a file (sqlite.org, "WAL-mode File Format")."""
    return shutil.disk_usage(folder).free < _SHARED_MEMORY


def _configure(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None  # this code begins transactions, not the driver
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")


def _begin(connection: Connection) -> None:
    begin = "BEGIN IMMEDIATE" if connection.get_execution_options().get("write") else "BEGIN"
    connection.connection.cursor().execute(begin)  # use the driver directly: there is nothing to compile and no result


HELD_GAME_SETTING = "mentat.game"
NO_GAME = "-"
"""The value of ``mentat.game`` in a transaction that holds no game. No game has this name."""

NOT_HELD = "ME001"
"""The SQLSTATE of the error. Classes that begin with I to Z are free for programs."""

UNGUARDED = frozenset(
    {"message", "letter", "picture", "inbox", "stuck_mail", "leader", "worker", "pulse", "measurement", "installation"}
)
"""Mail and letters are inserted once, and later changed only by the process that has claimed them. Pictures are the
same from every process."""

_REFUSE = f"""
CREATE OR REPLACE FUNCTION mentat_not_held() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the transaction holds %% and would change another row of %%',
        current_setting('{HELD_GAME_SETTING}'), TG_TABLE_NAME USING ERRCODE = '{NOT_HELD}';
END $$
"""
TAKE_DOWN_GUARDS = "DROP FUNCTION IF EXISTS mentat_not_held CASCADE"

_NOT_ALONE = f"coalesce(current_setting('{HELD_GAME_SETTING}', true), '') <> ''"


def put_up_guards(conn: Connection, tables: MetaData) -> None:
    conn.exec_driver_sql(_REFUSE)
    for name, table in tables.tables.items():
        if name in UNGUARDED:
            continue
        game = "id" if name == "game" else "game_id" if "game_id" in table.columns else ""
        for when, row in (("INSERT OR UPDATE", "NEW"), ("UPDATE OR DELETE", "OLD")):
            other = f" AND current_setting('{HELD_GAME_SETTING}', true) IS DISTINCT FROM {row}.{game}" if game else ""
            conn.exec_driver_sql(
                f'CREATE OR REPLACE TRIGGER mentat_holds_{row.lower()} BEFORE {when} ON "{name}" '
                f"FOR EACH ROW WHEN ({_NOT_ALONE}{other}) EXECUTE FUNCTION mentat_not_held()"
            )
