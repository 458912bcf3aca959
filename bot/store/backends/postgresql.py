"""PostgreSQL: a server that several processes and machines use.

A transaction that writes is READ COMMITTED and takes its turn by an advisory lock: exclusive where it holds everything,
so that nobody else writes, as in SQLite; shared where it holds one game, whose row it locks next. One that reads sees
one moment of the database (REPEATABLE READ, READ ONLY). The work of one process at a time is held by a session's
advisory lock, which the server drops with the connection.

Sources: PostgreSQL 15, chapters 13.2 (transaction isolation), 13.3 (explicit locking) and appendix A (error codes).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from psycopg import Error as PsycopgError
from psycopg import InterfaceError, OperationalError
from sqlalchemy import URL, Connection, Engine, MetaData, event, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import create_engine

from bot.store import no_connection
from bot.store.backends import guards
from bot.store.backends.direct import Direct
from bot.store.backends.postgresql_session import PoolsTransactions, Session, key_of

_KEEPALIVES: Mapping[str, Any] = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
_CONNECT_SECONDS = 10
_IDLE_SECONDS = 300
"""How long a transaction may stand idle before the server ends it: a process that hangs keeps nobody waiting longer."""

_CONNECTIONS = 8
"""How many connections of a process stay open; as many again may be opened for a while."""

_READ_ONLY, _NOT_SUPPORTED = "25006", "0A000"
"""A replica refuses a change by the first, and to begin READ WRITE by the second, which others are told too."""

_ADVICE = {
    "08": "cannot be reached",
    _READ_ONLY: "can only be read (a replica, or a server in recovery); name the one that takes changes",
    "3D000": "does not exist on its server; make it first, as docs/operating.md says",
    "40001": "was changed by another process in the same moment; it is tried again",
    "40P01": "was changed by another process in the same moment; it is tried again",
    "42501": "cannot be changed by this user; make them the owner of the database",
    "53100": "has no room, the disk of its server is full; make room: nothing was lost",
    "53200": "has a server without memory left; see its log",
    "53300": "has no connection free; allow its server more of them",
    "55P03": "is held by another program; stop that or try again",
    "57": "was stopped or is starting just now; it is tried again",
    "58": "cannot be used, its server reports an error of its system; see its log",
    "XX": "is damaged or its server has a fault; see its log",
}
"""By the code of an error (SQLSTATE) or of its class, its first two letters."""

_POOLS_TRANSACTIONS = (
    "is behind a PgBouncer that pools transactions, where the locks of a session do not hold; let it pool sessions "
    "(pool_mode = session), or name the server itself too, under [database] direct_url"
)


class Postgresql:
    """A database of a server."""

    errors: tuple[type[Exception], ...] = (DBAPIError, PsycopgError)
    several = True
    moments: Mapping[str, Any] = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    changes: Mapping[str, Any] = {"isolation_level": "READ COMMITTED"}

    def connect(self, place: str, timeout_seconds: float, direct: str = "") -> Engine:
        engine = create_engine(
            make_url(place).set(drivername="postgresql+psycopg"),
            pool_size=_CONNECTIONS,
            max_overflow=_CONNECTIONS,
            pool_pre_ping=True,  # a server may have been started anew since
            connect_args={
                "connect_timeout": _CONNECT_SECONDS, "fallback_application_name": "mentat", **_KEEPALIVES,
                **({"prepare_threshold": None} if direct else {}),  # what is prepared belongs to a session
            },
        )  # fmt: skip
        _limit_waiting(engine, timeout_seconds, each_transaction=bool(direct))
        engine.update_execution_options(direct=direct)
        return engine

    @contextmanager
    def look(self, engine: Engine) -> Iterator[Connection | None]:
        with engine.connect() as connection:
            yield connection

    def take_turn(self, conn: Connection, game_id: str | None) -> bool:
        if game_id is None:
            conn.execute(_TAKE, {"key": key_of("writing")})
            return True
        conn.execute(_TAKE_BESIDE_OTHERS, {"key": key_of("writing"), "game": game_id or guards.NO_GAME})
        return not game_id or conn.execute(_TAKE_GAME, {"game": game_id}).first() is not None

    def try_turn(self, conn: Connection, work: str) -> bool:
        return bool(conn.execute(_TRY_TURN, {"key": key_of(work)}).scalar_one())

    def met_another(self, error: BaseException) -> bool:
        return getattr(error, "sqlstate", None) in _MET_ANOTHER

    def guard(self, conn: Connection, tables: MetaData) -> None:
        guards.put_up(conn, tables)

    def direct(self, engine: Engine, program: str) -> Direct:
        return Session(engine.get_execution_options().get("direct") or engine.url, program)

    def take_turn_to_migrate(self, conn: Connection) -> None:
        conn.exec_driver_sql("SET LOCAL lock_timeout = 0")  # a renewal may take minutes
        conn.execute(_TAKE, {"key": key_of("migrating")})

    def advice(self, error: BaseException, engine: Engine) -> str | None:
        code = getattr(error, "sqlstate", None)
        if code is None:  # there is no server to give one
            if isinstance(error, PoolsTransactions):
                return _POOLS_TRANSACTIONS
            if not isinstance(error, OperationalError | InterfaceError):
                return None
            why, refused = no_connection.why(error)
            if refused:
                return f"does not let Mentat in ({why}); check [database] url, MENTAT_DATABASE_PASSWORD and its server"
            return f"cannot be reached ({why}); check [database] url and its server"
        if code == _NOT_SUPPORTED and _is_in_recovery(engine):
            code = _READ_ONLY
        return _ADVICE.get(code) or _ADVICE.get(code[:2])

    def name(self, engine: Engine) -> str:
        """Without user and password: what is before an @ would be taken for an address."""
        place = engine.url
        return str(
            URL.create("postgresql", host=place.host, port=place.port, database=place.database, query=place.query)
        )

    def start(self, conn: Connection) -> str:
        return str(conn.execute(_STARTED).scalar_one())

    def damage(self, conn: Connection) -> str:
        """A server looks after its files itself."""
        return ""

    def size(self, conn: Connection) -> int:
        return int(conn.execute(text("SELECT pg_database_size(current_database())")).scalar_one())

    def tidy(self, engine: Engine) -> None:
        """Others read and write meanwhile; pieces of what was deleted may stay until their room is used again."""
        _outside_of_transactions(engine, "VACUUM")

    def rewrite(self, engine: Engine) -> None:
        """Each table waits until nobody uses it, and nobody uses it meanwhile."""
        _outside_of_transactions(engine, "VACUUM FULL")

    @contextmanager
    def only_one(self, engine: Engine, work: str) -> Iterator[bool]:
        session = self.direct(engine, "mentat")
        try:
            yield session.take(work)
            session.give_back(work)  # at once, and not only when the server notices that the session is over
        finally:
            session.close()


def _is_in_recovery(engine: Engine) -> bool:
    """Whether a server is a replica; the words of its errors are in the language of its lc_messages."""
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            return bool(connection.exec_driver_sql("SELECT pg_is_in_recovery()").scalar_one())
    except DBAPIError:  # it has gone meanwhile
        return False


def _outside_of_transactions(engine: Engine, statement: str) -> None:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(statement)


def _limit_waiting(engine: Engine, lock_seconds: float, *, each_transaction: bool) -> None:
    """Limit how long a statement waits for a lock, and how long a transaction stands idle: for the session, or in
    each transaction where a PgBouncer gives each to another session. Not by the options of a connection, which a
    PgBouncer refuses, or ignores where it is told to."""
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
_TAKE_BESIDE_OTHERS = text(f"SELECT pg_advisory_xact_lock_shared(:key), set_config('{guards.SETTING}', :game, true)")
_TAKE_GAME = text("SELECT id FROM game WHERE id = :game FOR NO KEY UPDATE")
_STARTED = text("SELECT floor(extract(epoch FROM pg_postmaster_start_time()) * 1000)::bigint")
_TRY_TURN = text("SELECT pg_try_advisory_xact_lock(:key)")
_MET_ANOTHER = (guards.NOT_HELD, "23505", "25P02", "40001", "40P01")
"""A change of what is not held, two of one key, what follows a statement that failed, two that wait for each other."""
