"""The database: a SQLite file, or a PostgreSQL server where several processes and machines work.

Every transaction is durable, and one that writes holds what it may change, so that whoever reads and then writes finds
what they have read:

- ``writing(engine)`` holds everything: nobody else writes meanwhile;
- ``writing(engine, game_id)`` holds one game, and others may write in other games meanwhile;
- ``writing_no_game(engine)`` holds no game: letters that are claimed, mail that is stored, heartbeats.

A transaction that would change what it does not hold fails with NotHeld, is undone, and can be done again with
everything held. On a server the database itself sees to that (``bot.store.backends.guards``); in a file everybody who
writes holds everything. What differs between the two is in ``bot.store.backends``. The schema is made and renewed by
Alembic (``bot/store/migrations``).

A leader's transactions are *fenced* (``fenced``): each looks first whether its process still leads. One that was frozen
and goes on later changes nothing any more.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sqlalchemy import Connection as Connection  # other rooms pass connections and engines on, and know no more of them
from sqlalchemy import Engine as Engine
from sqlalchemy import inspect, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel

from bot.store import schema as schemas
from bot.store.backends.backend import Backend
from bot.store.backends.sqlite import Sqlite
from bot.store.holding import WHILE_HELD, why_held
from bot.store.schema import before_version_1, newest

log = logging.getLogger(__name__)


class DatabaseUnavailable(Exception):
    """The database cannot be used now: locked, full disk, not writable, away. The message says which and what to do."""


class NewerSchema(DatabaseUnavailable):
    """A newer Mentat has made the database, or renewed it: this one cannot use it any more."""


class OlderSchema(DatabaseUnavailable):
    """The database is from before version 1.0.0, and was left as it is. The message says how to upgrade it."""


class LostLead(DatabaseUnavailable):
    """Another process does this work now."""


class NotHeld(Exception):
    """A transaction that holds one game, or none, would change something else, or met another one there. Nothing of it
    was done; it is to be done again with everything held."""


@dataclass(frozen=True, slots=True)
class Fence:
    """Under which number a process leads a piece of work; each new leader has a higher one."""

    work: str
    number: int


class Held(DatabaseUnavailable):
    """The database is held (``bot.store.holding``): nothing in it may be changed. The message says what to do."""


def open_database(place: str | Path, timeout_seconds: float = 5.0, *, direct: str = "") -> Engine:
    """The engine for a database: a file, created (for its owner alone) if need be, or a ``postgresql://`` URL. It is
    migrated to the newest schema.

    ``timeout_seconds``: how long a writer waits for another. ``direct``: the URL of the server itself, where
    ``place`` is a PgBouncer that pools transactions; the locks of a session need it. DatabaseUnavailable if it cannot
    be opened or written, NewerSchema if it was made by a newer Mentat, OlderSchema if it is from before version 1.0.0.

    Example: `open_database("postgresql://mentat@db.example.org/mentat")`
    """
    engine = unopened(place, timeout_seconds, direct)
    if renew(engine):
        _give_back_room(engine)
    return engine


def unopened(place: str | Path, timeout_seconds: float = 5.0, direct: str = "") -> Engine:
    """The engine for a database that is not looked at yet: it may be there or not, sound or damaged."""
    return _backend("postgresql" if is_url(place) else "sqlite").connect(str(place), timeout_seconds, direct)


def renew(engine: Engine, schema: str = "head") -> bool:
    """Bring a database to a schema, the newest if none is named, with everything in it; whether there was an older one.
    DatabaseUnavailable if it cannot be written, NewerSchema or OlderSchema if it cannot be brought there."""
    with explained(engine):
        return _migrate(engine, schema)


def schema_of(engine: Engine) -> str:
    """The number of the schema of a database, "" if it has none yet; nothing is changed. DatabaseUnavailable if it
    cannot be read, OlderSchema if it is from before version 1.0.0."""
    with explained(engine), backend_of(engine).look(engine) as connection:
        found = _schema(connection) if connection else ""
    if why := before_version_1(found):
        raise OlderSchema(f"The database {name_of(engine)} {why}.")
    return found


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
def writing(engine: Engine, game_id: str | None = None) -> Iterator[Connection]:
    """A transaction that writes: committed as a whole at the end, or not at all if anything is raised. It holds the
    game of that name, or everything where none is named. NotHeld if it would change another, or there is no such
    game; Held if nothing may be changed."""
    backend = backend_of(engine)
    with (
        explained(engine, alone=game_id is None),
        engine.connect().execution_options(**backend.changes, game=game_id) as connection,
        connection.begin(),
    ):
        if not backend.take_turn(connection, game_id):
            raise NotHeld(f"There is no game {game_id!r} to hold.")
        _look_at_fence(connection)
        if not connection.get_execution_options().get(WHILE_HELD):
            refuse_if_held(connection)
        yield connection


def refuse_if_held(connection: Connection) -> None:
    """Held, if nothing may be changed in the database."""
    if why := why_held(connection):
        raise Held(f"The database {name_of(connection.engine)} {why}.")


def refuse_if_read_only(connection: Connection) -> None:
    """Fail as a change would, in a transaction that writes, where a server can only be read (a replica)."""
    if backend_of(connection).several:
        connection.execute(_TO_BE_CHANGED)


_TO_BE_CHANGED = text("SELECT FROM installation FOR UPDATE")


@contextmanager
def writing_no_game(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes and changes no game, nor anything else that games have in common."""
    with writing(engine, NO_GAME) as connection:
        yield connection


NO_GAME = ""
"""What stands for no game where a game is to be held."""


def held_game(connection: Connection) -> str | None:
    """The game that a transaction holds, NO_GAME for none; None where it holds everything, or only reads."""
    held = connection.get_execution_options().get("game")
    return None if held is None or not backend_of(connection).several else str(held)


@contextmanager
def fenced(fence: Fence) -> Iterator[None]:
    """Every transaction of this thread that writes within the block belongs to a leader's work: LostLead if that is
    done by another meanwhile, and nothing is written."""
    before = _FENCE.set(fence)
    try:
        yield
    finally:
        _FENCE.reset(before)


_FENCE: ContextVar[Fence | None] = ContextVar("fence", default=None)
_STILL_LEADS = text("SELECT number FROM leader WHERE work = :work FOR SHARE")
"""It keeps a successor waiting until the transaction is over."""


def _look_at_fence(connection: Connection) -> None:
    fence = _FENCE.get()
    if fence is None:
        return
    number = connection.execute(_STILL_LEADS, {"work": fence.work}).scalar_one_or_none()
    if number != fence.number:
        raise LostLead(f"Another process is {fence.work} now; this one has written nothing.")


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that sees one moment of the database and changes nothing."""
    moments = backend_of(engine).moments
    with explained(engine), engine.connect().execution_options(**moments) as connection, connection.begin():
        yield connection


def rewrite(engine: Engine) -> None:
    """Write the database anew without what was deleted. On a server others wait for each table meanwhile."""
    with explained(engine):
        backend_of(engine).rewrite(engine)


def tidy(engine: Engine) -> None:
    """Let the room of what was deleted be used again, while others are at work. A file is written anew."""
    with explained(engine):
        backend_of(engine).tidy(engine)


@contextmanager
def explained(engine: Engine, *, alone: bool = True) -> Iterator[None]:
    """Turn what its owner can do something about into DatabaseUnavailable. Where a transaction is not ``alone``, an
    error that is due to others becomes NotHeld."""
    backend = backend_of(engine)
    try:
        yield
    except backend.errors as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if cause and not alone and backend.met_another(cause):
            raise NotHeld(str(cause).partition("\n")[0]) from error
        advice = backend.advice(cause, engine) if cause else None
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


def _migrate(engine: Engine, schema: str) -> bool:
    """Bring the schema up to date; Alembic, which takes long to load, is asked only if it is not. Whether one that was
    there before was renewed."""
    found = schema_of(engine)
    with engine.connect():  # so that it is known now whether it can be opened
        if found == newest():
            return False
    from alembic import command
    from alembic.config import Config

    backend = backend_of(engine)
    config = Config()
    config.set_main_option("script_location", str(schemas.MIGRATIONS))
    with engine.connect().execution_options(**backend.changes) as connection, connection.begin():
        backend.take_turn_to_migrate(connection)
        current = _schema(connection)
        if current > newest():
            name = backend.name(engine)
            raise NewerSchema(f"The database {name} was made by a newer Mentat; install that one.")
        config.attributes["connection"] = connection
        command.upgrade(config, schema)
        if _schema(connection) == newest():
            backend.guard(connection, SQLModel.metadata)
    return bool(current)


def _schema(connection: Connection) -> str:
    """The number of the schema of a database, "" if it has none yet."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    rows = connection.exec_driver_sql("SELECT version_num FROM alembic_version").all()
    return str(rows[0][0]) if rows else ""


def newer_schema(connection: Connection) -> str:
    """The number of the schema where a newer Mentat has renewed it meanwhile, else ""."""
    found = _schema(connection)
    return found if found > newest() else ""
