"""A session at a PostgreSQL server: its advisory locks, which go with it, and notifications.

A PgBouncer that pools transactions gives each to another session of the server, so that a lock would stay with whoever
comes next. It is known by that: the process number that it tells is not that of the server's session, and a connection
gets now one session and now another, or a second connection gets that of the first.

Sources: PostgreSQL 15, 13.3.5 (advisory locks), 9.27.10 (advisory lock functions), LISTEN and NOTIFY; PgBouncer,
"Features" (SQL feature map for pooling modes).
"""

from __future__ import annotations

import hashlib
import threading
from typing import Any

import psycopg
from sqlalchemy import URL, make_url

CHANNEL = "mentat"
_END_SESSIONS = """
SELECT bool_and(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE application_name = %s AND datname = current_database() AND pid <> pg_backend_pid()
"""
_SILENT_SECONDS = """
SELECT extract(epoch FROM clock_timestamp() - max(greatest(query_start, state_change))) FROM pg_stat_activity
WHERE application_name = %s AND datname = current_database() AND pid <> pg_backend_pid()
"""
_CONNECT_SECONDS = 10
_LOOKS = 3


class PoolsTransactions(psycopg.OperationalError):
    """What is connected to has no session for longer than a transaction."""


class Session:
    """One connection, used by one thread at a time. ``psycopg.Error`` where the server is away, PoolsTransactions where
    it cannot have locks."""

    def __init__(self, url: URL | str, program: str) -> None:
        named = make_url(url)
        self._place: dict[str, Any] = {
            **named.translate_connect_args(username="user", database="dbname"),
            **named.query,
        }
        self._program = program
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

    def is_taken(self, work: str) -> bool:
        """A lock that is taken to see whether it is free is given back at once."""
        with self._using:
            if work in self._held:
                return True
            return not self._ask("SELECT pg_try_advisory_lock(%s) AND pg_advisory_unlock(%s)", *[key_of(work)] * 2)

    def wait(self, seconds: float) -> bool:
        with self._using:
            if not self._listens or self._connection is None or self._connection.closed:
                self._ask(f"LISTEN {CHANNEL}")
                self._listens = True
            assert self._connection is not None
            try:
                heard = list(self._connection.notifies(timeout=seconds, stop_after=1))
                return bool(heard + list(self._connection.notifies(timeout=0)))  # one answer to all that have come
            except psycopg.Error:
                self._drop()
                raise

    def silent_seconds(self, program: str) -> float:
        with self._using:
            return float(self._value(_SILENT_SECONDS, program) or 0)

    def end_sessions(self, program: str) -> None:
        with self._using:
            self._ask(_END_SESSIONS, program)

    def close(self) -> None:
        with self._using:
            self._drop()

    def _ask(self, statement: str, *given: object) -> bool:
        return bool(self._value(statement, *given))

    def _value(self, statement: str, *given: object) -> Any:
        """The first value of the answer. A connection that is found broken is made anew once, without its locks."""
        for attempt in (1, 2):
            try:
                row = self._connected().execute(statement.encode(), given or None)
                return (row.fetchone() or (None,))[0] if row.description else None
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
        return psycopg.connect(
            autocommit=True, prepare_threshold=None, **self._place,
            connect_timeout=_CONNECT_SECONDS, application_name=self._program,
            keepalives_idle=30, keepalives_interval=10, keepalives_count=3,
        )  # fmt: skip

    def _refuse_pooled_transactions(self, connection: psycopg.Connection[Any]) -> None:
        """A look at the session that was had just now: another program may have it, so it is done several times."""
        if _session_of(connection) == connection.info.backend_pid:
            return
        for _ in range(_LOOKS):
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
    """The process of the server that answers now."""
    (process,) = connection.execute("SELECT pg_backend_pid()").fetchone() or (0,)
    return int(process)


def key_of(work: str) -> int:
    """The number of a lock: 63 bits of a hash, the same in every process."""
    return int.from_bytes(hashlib.sha256(f"mentat {work}".encode()).digest()[:8], "big") >> 1
