"""PostgreSQL: a database server that several processes and machines may use.

A writing transaction is READ COMMITTED and waits for an advisory lock. The lock is exclusive if the transaction holds
everything, so that nobody else writes, as in SQLite. It is shared if the transaction holds one game, whose row it locks
next. A reading transaction sees one consistent snapshot (REPEATABLE READ, READ ONLY). Work that only one process may do
at a time is protected by a session-level advisory lock, which the server releases when the connection ends.

A PgBouncer that pools transactions may run each of them in a different server session, so a session lock would be
passed on to the next client. Such a pooler is recognised by process numbers: its number differs from the server
session's number, or one connection gets several sessions in turn, or a second connection gets the first one's session.

This module loads the server's driver, which takes a long time. ``bot.store.database`` imports it only if a server is
used.

Sources: PostgreSQL 15, chapters 13.2 (transaction isolation), 13.3 (explicit locking), 13.3.5 (advisory locks), 9.27.10
(advisory lock functions), LISTEN and NOTIFY, appendix A (error codes); PgBouncer, "Features" (SQL feature map for
pooling modes).
"""

from __future__ import annotations

import hashlib
import select
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import Error as PsycopgError
from psycopg import InterfaceError, OperationalError
from sqlalchemy import URL, Connection, Engine, MetaData, create_engine, event, make_url, text
from sqlalchemy.exc import DBAPIError, InvalidatePoolError

from bot.store import backends, glance
from bot.store.backends import DirectConnection

_KEEPALIVES: Mapping[str, Any] = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
_CONNECT_SECONDS = 10
_IDLE_SECONDS = 300
"""The server ends a transaction that has been idle for this many seconds, so a hanging process does not block others
for longer."""

_CONNECTIONS = 8
"""How many connections a process keeps open. It may temporarily open as many again."""

_READ_ONLY, _NOT_SUPPORTED = "25006", "0A000"
"""A replica answers a change with the first error, and BEGIN READ WRITE with the second. The second error can also have
other causes."""

_ADVICE = {
    "08": "cannot be reached",
    _READ_ONLY: "can only be read (a replica, or a server in recovery); name the server that accepts changes",
    "3D000": "does not exist on its server; create it first, as docs/operating.md describes",
    "40001": "was changed by another process at the same moment; Mentat will try again",
    "40P01": "was changed by another process at the same moment; Mentat will try again",
    "42501": "cannot be changed by this user; make them the owner of the database",
    "53100": "has no room because its server's disk is full; make room: nothing was lost",
    "53200": "has a server that is out of memory; see its log",
    "53300": "has no free connection; allow its server more connections",
    "55P03": "is held by another program; stop that or try again",
    "57": "was stopped or is just starting; Mentat will try again",
    "58": "cannot be used because its server reports a system error; see its log",
    "XX": "is damaged or its server has a fault; see its log",
}
"""Keys are SQLSTATE codes, or their classes (the first two letters)."""

_POOLS_TRANSACTIONS = (
    "is behind a PgBouncer that pools transactions, where session locks do not work; let it pool sessions "
    "(pool_mode = session), or also name the server itself, under [database] direct_url"
)


class Postgresql:
    errors: tuple[type[Exception], ...] = (DBAPIError, PsycopgError)
    damaged: tuple[str, ...] = ()
    several = True
    moments: Mapping[str, Any] = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    changes: Mapping[str, Any] = {"isolation_level": "READ COMMITTED"}

    def connect(self, place: str, timeout_seconds: float, direct: str = "") -> Engine:
        engine = create_engine(
            make_url(place).set(drivername="postgresql+psycopg"),
            pool_size=_CONNECTIONS,
            max_overflow=_CONNECTIONS,
            pool_use_lifo=True,  # few connections do all the work, with prepared statements
            connect_args={
                "connect_timeout": _CONNECT_SECONDS,
                "fallback_application_name": "mentat",
                **_KEEPALIVES,
                **({"prepare_threshold": None} if direct else {}),  # a prepared statement belongs to one session
            },
        )
        event.listen(engine, "checkout", _refuse_broken)
        _limit_waiting(engine, timeout_seconds, each_transaction=bool(direct))
        engine.update_execution_options(direct=direct, lock_seconds=timeout_seconds)
        return engine

    @contextmanager
    def look(self, engine: Engine) -> Iterator[Connection | None]:
        with engine.connect() as connection:
            yield connection

    def take_turn(self, conn: Connection, game_id: str | None) -> bool:
        if game_id is None:
            conn.execute(_TAKE, {"key": key_of("writing")})
            return True
        take = _TAKE_FOR_NOTE if conn.get_execution_options().get("note") else _TAKE_BESIDE_OTHERS
        conn.execute(take, {"key": key_of("writing"), "game": game_id or backends.NO_GAME})
        return not game_id or conn.execute(_TAKE_GAME, {"game": game_id}).first() is not None

    def try_turn(self, conn: Connection, work: str) -> bool:
        return bool(conn.execute(_TRY_TURN, {"key": key_of(work)}).scalar_one())

    def met_another(self, error: BaseException) -> bool:
        return getattr(error, "sqlstate", None) in _MET_ANOTHER

    def guard(self, conn: Connection, tables: MetaData) -> None:
        backends.put_up_guards(conn, tables)

    def direct(self, engine: Engine, program: str) -> DirectConnection:
        options = engine.get_execution_options()
        return ServerSession(options.get("direct") or engine.url, program, options["lock_seconds"])

    def take_turn_to_migrate(self, conn: Connection) -> None:
        conn.exec_driver_sql("SET LOCAL lock_timeout = 0")  # a schema upgrade may take minutes
        conn.execute(_TAKE, {"key": key_of("migrating")})

    def advice(self, error: BaseException, engine: Engine) -> str | None:
        code = getattr(error, "sqlstate", None)
        if code is None:  # without a server there is no code
            if isinstance(error, PoolsTransactions):
                return _POOLS_TRANSACTIONS
            if not isinstance(error, OperationalError | InterfaceError):
                return None
            why, refused = glance.connection_failure(error)
            if refused:
                return f"does not let Mentat in ({why}); check [database] url, MENTAT_DATABASE_PASSWORD and its server"
            return f"cannot be reached ({why}); check [database] url and its server"
        if code == _NOT_SUPPORTED and _is_in_recovery(engine):
            code = _READ_ONLY
        return _ADVICE.get(code) or _ADVICE.get(code[:2])

    def name(self, engine: Engine) -> str:
        """Return the name of the database without user and password, because a name with an @ would look like a mail
        address."""
        place = engine.url
        return str(
            URL.create("postgresql", host=place.host, port=place.port, database=place.database, query=place.query)
        )

    def start(self, conn: Connection) -> str:
        return str(conn.execute(_STARTED).scalar_one())

    def damage(self, conn: Connection) -> str:
        return ""

    def size(self, conn: Connection) -> int:
        return int(conn.execute(text("SELECT pg_database_size(current_database())")).scalar_one())

    def tidy(self, engine: Engine) -> None:
        """Free space while others read and write. Deleted data may stay on disk until its space is reused."""
        _outside_of_transactions(engine, "VACUUM")

    def rewrite(self, engine: Engine) -> None:
        """Rewrite each table under an exclusive lock. The lock waits for all users of the table, and new users wait for
        the lock."""
        _outside_of_transactions(engine, "VACUUM FULL")

    @contextmanager
    def only_one(self, engine: Engine, work: str) -> Iterator[bool]:
        session = self.direct(engine, "mentat")
        try:
            yield session.take(work)
            session.give_back(work)  # release it now, before the server notices the end of the session
        finally:
            session.close()


def _refuse_broken(connection: Any, _record: Any, _proxy: Any) -> None:
    """Refuse a connection that the server has ended, for example by restarting, so that the pool opens new ones. Such a
    connection has data to read although no query was sent. Asking the server instead would cost a transaction each
    time."""
    if connection.closed or select.select([connection.fileno()], [], [], 0)[0]:
        raise InvalidatePoolError


def _is_in_recovery(engine: Engine) -> bool:
    """Return True if the server is a replica. Ask the server, because its error messages depend on the language set by
    lc_messages."""
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            return bool(connection.exec_driver_sql("SELECT pg_is_in_recovery()").scalar_one())
    except DBAPIError:  # the session has ended in the meantime
        return False


def _outside_of_transactions(engine: Engine, statement: str) -> None:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(statement)


def _limit_waiting(engine: Engine, lock_seconds: float, *, each_transaction: bool) -> None:
    """Limit how long a statement waits for a lock, and how long a transaction may be idle. The limits are set for the
    session, or in each transaction if a PgBouncer pools transactions. They cannot be set as connection options, because
    a PgBouncer refuses or ignores such options."""
    scope = "LOCAL" if each_transaction else "SESSION"
    limits = (
        f"SET {scope} lock_timeout = {lock_seconds * 1000:.0f}; "
        f"SET {scope} idle_in_transaction_session_timeout = {_IDLE_SECONDS * 1000}"
    )

    def limit_session(connection: Any, _record: Any) -> None:
        connection.execute(limits)
        connection.commit()

    def limit_transaction(connection: Connection) -> None:
        connection.exec_driver_sql(limits)

    if each_transaction:
        event.listen(engine, "begin", limit_transaction)
    else:
        event.listen(engine, "connect", limit_session)


_TAKE = text("SELECT pg_advisory_xact_lock(:key)")
_TAKE_BESIDE_OTHERS = text(
    f"SELECT pg_advisory_xact_lock_shared(:key), set_config('{backends.HELD_GAME_SETTING}', :game, true)"
)
_TAKE_FOR_NOTE = text(f"{_TAKE_BESIDE_OTHERS.text}, set_config('synchronous_commit', 'off', true)")
_TAKE_GAME = text("SELECT id FROM game WHERE id = :game FOR NO KEY UPDATE")
_STARTED = text("SELECT floor(extract(epoch FROM pg_postmaster_start_time()) * 1000)::bigint")
_TRY_TURN = text("SELECT pg_try_advisory_xact_lock(:key)")
_MET_ANOTHER = (backends.NOT_HELD, "23505", "25P02", "40001", "40P01")
"""In this order: a change to rows that the transaction does not hold, a duplicate key, a statement after a failed one,
a serialization failure, and a deadlock."""


CHANNEL = "mentat"
_END_SESSIONS = """
SELECT bool_and(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE application_name = %s AND datname = current_database() AND pid <> pg_backend_pid()
"""
_SILENT_SECONDS = """
SELECT json_object_agg(name, seconds) FROM (
    SELECT application_name, extract(epoch FROM clock_timestamp() - max(greatest(query_start, state_change)))
    FROM pg_stat_activity WHERE datname = current_database() AND application_name <> '' GROUP BY 1
) AS program (name, seconds)
"""
_POOL_LOOKS = 3


class PoolsTransactions(psycopg.OperationalError):
    """The connection does not keep its session beyond a transaction."""


class ServerSession:
    """One connection, used by one thread at a time. Its methods raise psycopg.Error if the server cannot be reached,
    and PoolsTransactions if the connection cannot hold locks."""

    def __init__(self, url: URL | str, program: str, lock_seconds: float) -> None:
        named = make_url(url)
        self._place: dict[str, Any] = {
            **named.translate_connect_args(username="user", database="dbname"),
            **named.query,
        }
        self._program = program
        self._settings = f"SET synchronous_commit = off; SET lock_timeout = {lock_seconds * 1000:.0f}"
        self._using = threading.RLock()
        self._connection: psycopg.Connection[Any] | None = None
        self._held: set[str] = set()
        self._shared: set[str] = set()
        self._listens = False

    def reach(self) -> None:
        with self._using:
            self._connected()

    def holds(self, work: str) -> bool:
        with self._using:
            return work in self._held and bool(self._ask("SELECT 1")) and work in self._held

    def take(self, work: str) -> bool:
        with self._using:
            if not self.holds(work) and self._ask("SELECT pg_try_advisory_lock(%s)", key_of(work)):
                self._held.add(work)
            return work in self._held

    def share(self, work: str) -> bool:
        with self._using:
            if work not in self._shared and self._ask("SELECT pg_try_advisory_lock_shared(%s)", key_of(work)):
                self._shared.add(work)
            return work in self._shared

    def give_back(self, work: str) -> None:
        with self._using:
            if work in self._held:
                self._ask("SELECT pg_advisory_unlock(%s)", key_of(work))
                self._held.discard(work)

    def claim(self, statement: str, work: str, done: str, **given: object) -> Sequence[Any] | None:
        with self._using:
            done_key = key_of(done) if done in self._held else None
            row = self._row(statement, {**given, "turn": key_of("writing"), "lock": key_of(work), "done": done_key})
            if row:
                self._held.discard(done)
                self._held.add(work)
            return row

    def is_taken(self, work: str) -> bool:
        """Return True if some process holds a lock. To find out, try to take the lock, and release it at once if it was
        free."""
        with self._using:
            if work in self._held:
                return True
            return not self._ask("SELECT pg_try_advisory_lock(%s) AND pg_advisory_unlock(%s)", *[key_of(work)] * 2)

    def call_out(self, hint: str) -> None:
        with self._using:
            self._ask(f"SELECT pg_notify('{CHANNEL}', %s) IS NULL", hint)

    def wait(self, seconds: float, wanted: Callable[[str], bool]) -> bool:
        end = time.monotonic() + seconds
        with self._using:
            if not self._listens or self._connection is None or self._connection.closed:
                self._ask(f"LISTEN {CHANNEL}")
                self._listens = True
            assert self._connection is not None
            try:
                while (left := end - time.monotonic()) > 0:
                    heard = list(self._connection.notifies(timeout=left, stop_after=1))
                    heard += self._connection.notifies(timeout=0)  # one answer to all notifications
                    if any(wanted(each.payload) for each in heard):
                        return True
                return False
            except psycopg.Error:
                self._drop()
                raise

    def silent_seconds(self) -> dict[str, float]:
        with self._using:
            return dict(self._value(_SILENT_SECONDS) or {})

    def end_sessions(self, program: str) -> None:
        with self._using:
            self._ask(_END_SESSIONS, program)

    def close(self) -> None:
        with self._using:
            self._drop()

    def _ask(self, statement: str, *given: object) -> bool:
        return bool(self._value(statement, *given))

    def _value(self, statement: str, *given: object) -> Any:
        return (self._row(statement, given or None) or (None,))[0]

    def _row(self, statement: str, given: Mapping[str, object] | Sequence[object] | None) -> Sequence[Any] | None:
        """Return the first row of the result. A broken connection is replaced once; its locks are lost."""
        for attempt in (1, 2):
            try:
                found = self._connected().execute(statement.encode(), given)
                return found.fetchone() if found.description else None
            except psycopg.errors.LockNotAvailable:
                raise
            except psycopg.Error:
                self._drop()
                if attempt == 2:
                    raise
        raise AssertionError("unreachable: the second attempt returns or raises")

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None or self._connection.closed:
            self._drop()
            self._connection = self._connect()
            self._refuse_pooled_transactions(self._connection)
        return self._connection

    def _connect(self) -> psycopg.Connection[Any]:
        connection = psycopg.connect(
            autocommit=True,
            prepare_threshold=None,
            **self._place,
            connect_timeout=_CONNECT_SECONDS,
            application_name=self._program,
            keepalives_idle=30,
            keepalives_interval=10,
            keepalives_count=3,
        )
        connection.execute(self._settings.encode())  # as in a transaction (``database.noting``)
        return connection

    def _refuse_pooled_transactions(self, connection: psycopg.Connection[Any]) -> None:
        """Raise PoolsTransactions if transactions are pooled. Check several times, because one test can pass by
        chance."""
        if _session_of(connection) == connection.info.backend_pid:
            return
        for _ in range(_POOL_LOOKS):
            had = {_session_of(connection), _session_of(connection)}
            with self._connect() as other, other.transaction():
                shared = _session_of(other) in had
            if shared or len(had) > 1:
                raise PoolsTransactions

    def _drop(self) -> None:
        self._held.clear()
        self._shared.clear()
        self._listens = False
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _session_of(connection: psycopg.Connection[Any]) -> int:
    (process,) = connection.execute("SELECT pg_backend_pid()").fetchone() or (0,)
    return int(process)


def key_of(work: str) -> int:
    """Return the number of a lock: 63 bits of a hash of its name, so that it is the same in every process."""
    return int.from_bytes(hashlib.sha256(f"mentat {work}".encode()).digest()[:8], "big") >> 1
