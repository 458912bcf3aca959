"""The database: a SQLite file, or a PostgreSQL server where several processes and machines work.

Every transaction is durable, and one that writes waits until no other does, so that whoever reads and then writes finds
what they have read. What differs between the two is in ``bot.store.backends``. The schema is made and renewed by
Alembic (``bot/store/migrations``).
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from sqlalchemy import Connection as Connection  # other rooms pass connections and engines on, and know no more of them
from sqlalchemy import Engine as Engine
from sqlalchemy import inspect
from sqlalchemy.exc import DBAPIError

from bot.store.backends.backend import Backend
from bot.store.backends.sqlite import Sqlite
from bot.store.holding import WHILE_HELD, why_held
from bot.store.schema import MIGRATIONS as MIGRATIONS
from bot.store.schema import newest

log = logging.getLogger(__name__)


class DatabaseUnavailable(Exception):
    """The database cannot be used now: locked, full disk, not writable, away. The message says which and what to do."""


class Held(DatabaseUnavailable):
    """The database is held (``bot.store.holding``): nothing in it may be changed. The message says what to do."""


def open_database(place: str | Path, timeout_seconds: float = 5.0) -> Engine:
    """The engine for a database: a file, created (for its owner alone) if need be, or a ``postgresql://`` URL. It is
    migrated to the newest schema.

    ``timeout_seconds``: how long a writer waits for another. DatabaseUnavailable if it cannot be opened or written, or
    was made by a newer Mentat.

    Example: `open_database("postgresql://mentat@db.example.org/mentat")`
    """
    engine = unopened(place, timeout_seconds)
    with explained(engine):
        renewed = _migrate(engine)
    if renewed:
        _give_back_room(engine)
    return engine


def unopened(place: str | Path, timeout_seconds: float = 5.0) -> Engine:
    """The engine for a database that is not looked at yet: it may be there or not, sound or damaged."""
    return _backend("postgresql" if is_url(place) else "sqlite").connect(str(place), timeout_seconds)


def is_url(place: str | Path) -> bool:
    """Whether a database is on a server, and not a file.

    >>> is_url("postgresql://db.example.org/mentat"), is_url(Path("mentat.db"))
    (True, False)
    """
    return isinstance(place, str) and place.startswith("postgresql://")


def backend_of(place: Engine | Connection) -> Backend:
    """What a database does in its own way."""
    return _backend(place.dialect.name)


def name_of(engine: Engine) -> str:
    """A database as people name it, without a password."""
    return backend_of(engine).name(engine)


def size_of(conn: Connection) -> int:
    """The bytes that a database takes on its disk."""
    return backend_of(conn).size(conn)


@cache
def _backend(name: str) -> Backend:
    if name == "postgresql":
        from bot.store.backends.postgresql import Postgresql  # its driver takes long to load

        return Postgresql()
    return Sqlite()


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes: committed as a whole at the end, or not at all if anything is raised. Held, if nothing
    may be changed."""
    backend = backend_of(engine)
    with (
        explained(engine),
        engine.connect().execution_options(**backend.changes) as connection,
        connection.begin(),
    ):
        backend.take_turn(connection)
        if not connection.get_execution_options().get(WHILE_HELD):
            refuse_if_held(connection)
        yield connection


def refuse_if_held(connection: Connection) -> None:
    """Held, if nothing may be changed in the database."""
    if why := why_held(connection):
        raise Held(f"The database {name_of(connection.engine)} {why}.")


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that sees one moment of the database and changes nothing."""
    moments = backend_of(engine).moments
    with explained(engine), engine.connect().execution_options(**moments) as connection, connection.begin():
        yield connection


def rewrite(engine: Engine) -> None:
    """Write the database anew without what was deleted."""
    with explained(engine):
        backend_of(engine).rewrite(engine)


@contextmanager
def explained(engine: Engine) -> Iterator[None]:
    """Turn what its owner can do something about into DatabaseUnavailable."""
    backend = backend_of(engine)
    try:
        yield
    except (DBAPIError, sqlite3.DatabaseError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        advice = backend.advice(cause) if cause else None
        if advice is None:
            raise  # a fault of ours
        raise DatabaseUnavailable(f"The database {backend.name(engine)} {advice}.") from error


def _give_back_room(engine: Engine) -> None:
    """A renewed database may be a fraction of what it was. Where it cannot be written anew now (another program reads
    it, there is no room for a second one) its free pages are used again, and retention writes it anew."""
    try:
        rewrite(engine)
    except (DatabaseUnavailable, DBAPIError) as error:
        log.warning("the renewed database keeps its size for now: %s", error)


def _migrate(engine: Engine) -> bool:
    """Bring the schema up to date; Alembic, which takes long to load, is asked only if it is not. Whether one that was
    there before was renewed."""
    with engine.connect() as connection:
        if _schema(connection) == newest():
            return False
    from alembic import command
    from alembic.config import Config

    backend = backend_of(engine)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.connect().execution_options(**backend.changes) as connection, connection.begin():
        backend.take_turn_to_migrate(connection)
        current = _schema(connection)
        if current > newest():
            name = backend.name(engine)
            raise DatabaseUnavailable(f"The database {name} was made by a newer Mentat; install that one.")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    return bool(current)


def _schema(connection: Connection) -> str:
    """The number of the schema of a database, "" if it has none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    rows = connection.exec_driver_sql("SELECT version_num FROM alembic_version").all()
    return str(rows[0][0]) if rows else ""
