"""The two kinds of database: their common interface, SQLite, and the guards of a PostgreSQL database.

PostgreSQL itself is in ``bot.store.postgresql``, which loads the server's driver. ``bot.store.database`` chooses
between the two kinds.

SQLite is one file, to which one process at a time may write. Every transaction is durable: in WAL mode with
``synchronous=FULL`` a committed order survives a power failure. Writing transactions begin with ``BEGIN IMMEDIATE``, so
that two processes wait for each other instead of failing halfway.

*Guards* let a transaction in a PostgreSQL database change only the rows that it holds, even if its code is wrong about
them. A transaction that holds one game names that game in the setting ``mentat.game``. A trigger on each table then
refuses changes to rows of other games, and to all rows of tables that belong to no game. Only a transaction that holds
everything, which leaves the setting empty, may change those common tables. The tables in ``UNGUARDED`` accept changes
from every transaction, because each of their rows is either written by one process at a time or written only once.

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
    """One kind of database.

    - ``moments`` are the execution options of a transaction that reads one consistent snapshot; ``changes`` are those
      of a transaction that writes.
    - ``several`` is true if several processes may use the database at once.
    - ``errors`` are the exceptions that its driver raises.
    - ``damaged`` are the strings from ``advice`` for problems that waiting cannot solve.
    """

    several: bool
    damaged: tuple[str, ...]
    errors: tuple[type[Exception], ...]

    moments: Mapping[str, Any]
    changes: Mapping[str, Any]

    def connect(self, place: str, timeout_seconds: float, direct: str = "") -> Engine:
        """Return the engine for a database. ``timeout_seconds`` is how long a writer waits for a lock. ``direct`` is a
        second URL, that of the server itself, for work that needs its own session."""

    def look(self, engine: Engine) -> AbstractContextManager[Connection | None]:
        """Open a connection that changes nothing, not even the journal mode of the file. Yield None if the database
        does not exist yet."""

    def take_turn(self, conn: Connection, game_id: str | None) -> bool:
        """In a writing transaction, wait for the required lock: on everything (None), on one game, or on no game ("").
        Return False if there is no such game."""

    def try_turn(self, conn: Connection, work: str) -> bool:
        """Try to take the lock on a piece of work until the end of the transaction. Return False if another transaction
        has it."""

    def met_another(self, error: BaseException) -> bool:
        """Return True if an error was caused by another transaction that was writing at the same time, or by an attempt
        to change rows that this transaction does not hold."""

    def guard(self, conn: Connection, tables: MetaData) -> None: ...

    def direct(self, engine: Engine, program: str) -> DirectConnection:
        """Return a separate connection for the locks and hints of a process, which the server knows as ``program``.
        Raise ValueError if only one process may use the database."""

    def take_turn_to_migrate(self, conn: Connection) -> None: ...

    def advice(self, error: BaseException, engine: Engine) -> str | None:
        """If the database's owner can fix an error, return the rest of a sentence that begins "The database X …" and
        says what is wrong; otherwise return None. Query ``engine`` for details that the error does not contain."""

    def name(self, engine: Engine) -> str: ...

    def start(self, conn: Connection) -> str:
        """Return a string that identifies the server's current run, or "" if there is no server. Locks from before a
        restart are gone, although the processes that held them may still be alive."""

    def damage(self, conn: Connection) -> str:
        """Return a description of the damage in the database, or "" if none is known."""

    def size(self, conn: Connection) -> int: ...

    def tidy(self, engine: Engine) -> None:
        """Make the space of deleted rows available for new rows. No other transaction has to wait for long."""

    def rewrite(self, engine: Engine) -> None: ...

    def only_one(self, engine: Engine, work: str) -> AbstractContextManager[bool]:
        """Hold the lock on a piece of work during a block. Yield False if another process has it. If the process dies,
        the lock is released."""


class DirectConnection(Protocol):
    """A connection outside all transactions. If it breaks, all its locks are lost, and the next use reconnects. All
    methods except ``close`` may raise an error of the database (``bot.store.installation``)."""

    def reach(self) -> None:
        """Connect if there is no connection yet. Raise an error if this connection cannot hold session locks."""

    def holds(self, work: str) -> bool:
        """Ask the server, and return True if this connection still has the lock on a piece of work."""

    def take(self, work: str) -> bool:
        """Try to take the lock on a piece of work. Return True if this process has it now, even if it took it
        earlier."""

    def share(self, work: str) -> bool:
        """Try to take a shared lock on a piece of work. Return False if another process holds an exclusive one."""

    def give_back(self, work: str) -> None: ...

    def claim(self, statement: str, work: str, done: str, **given: object) -> Sequence[Any] | None:
        """Run a statement that waits for its turn like a transaction, then takes the lock on ``work`` and releases the
        lock on ``done``. Return the statement's row, or None if neither lock was changed."""

    def is_taken(self, work: str) -> bool: ...

    def call_out(self, hint: str) -> None: ...

    def wait(self, seconds: float, wanted: Callable[[str], bool]) -> bool:
        """Wait up to ``seconds`` for a hint (``call_out``) that is ``wanted``. Return True if one came. Hints are not
        stored: a hint that is sent while nobody is listening is lost."""

    def silent_seconds(self) -> dict[str, float]:
        """Return for each connected process how many seconds ago it last sent a query, over any of its connections. The
        time is measured by the server's clock."""

    def end_sessions(self, program: str) -> None:
        """End all connections of a process that has stopped responding, so that it loses its locks."""

    def close(self) -> None: ...


_FULL, _DISK_ERROR = "database or disk is full", "disk I/O error"
"""If the disk is full, a program that opens the database gets the second error, because there is no room for the shared
memory file (-shm)."""

ANOTHER_KIND = "is another kind of file; name the right one under [mentat] database"
DAMAGED = "is damaged; restore a copy of it (`mentat restore`)"
_ADVICE = {
    "database is locked": "is held by another program; stop that or try again",
    _FULL: "has no room because the disk is full; make room: nothing was lost, and Mentat will continue on its own",
    "attempt to write a readonly database": "cannot be written; check its owner and permissions",
    "unable to open database file": "cannot be opened; check that the folder exists and can be written",
    _DISK_ERROR: "cannot be written because the disk reports an error; check the disk: committed data is safe",
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
        """Open a read-only connection. A writable connection that closes last would write the journal into the file."""
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
        raise ValueError("only one process can use a SQLite file")

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
        """Rewrite the file and empty the journal. This takes about a second per 100 MB, and no other process can write
        during that time."""
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
    """Return True if the disk is too full for the shared-memory file of a database (sqlite.org, "WAL-mode File
    Format")."""
    return shutil.disk_usage(folder).free < _SHARED_MEMORY


def _configure(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None  # this code, not the driver, begins transactions
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
"""The SQLSTATE of the error that a guard raises. Classes that begin with I to Z are free for programs."""

UNGUARDED = frozenset(
    {"message", "letter", "picture", "inbox", "stuck_mail", "leader", "worker", "pulse", "measurement", "installation"}
)
"""Mail and letters are inserted once, and later changed only by the process that has claimed them. Every process stores
the same rows for the same pictures."""

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
