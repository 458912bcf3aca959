"""The database, a SQLite file or a PostgreSQL server: transactions, locks, and how values are stored in rows.

Every transaction is durable, except for ``noting`` on a server. A writing transaction locks everything that it may
change, so that what it has read is still true when it writes:

- ``writing(engine)`` locks everything: nobody else can write until it ends,
- ``writing(engine, game_id)`` locks one game, while others may write to other games,
- ``writing_no_game(engine)`` locks no game,
- ``noting(engine)`` locks no game and does not wait for the disk: it claims letters, stores mail and writes heartbeats.

A transaction that tries to change rows that it does not hold fails with NotHeld and is rolled back. It can then be
repeated with everything locked. On a server the database itself enforces this (``bot.store.backends``). In a file every
writer locks everything. Alembic creates and migrates the schema (``bot/store/migrations``).

A leader's transactions are *fenced* (``fenced``): each of them first checks that its process still leads. So a process
that was frozen, and wakes up after losing the lead, cannot change anything.

Nothing changes in a *held database*: Mentat sends no letters, publishes no posts, fetches no mail and makes no
decisions. A database that was restored from a backup is held until everything that happened since the backup has been
recovered (``bot.service.resumption``). Otherwise letters would go out twice, and accepted orders would be missing. A
database that was moved is held permanently, so that no two databases answer the mail in one mailbox. ``writing``
refuses to begin in a held database, so no other code has to check.

Instants are aware datetimes in UTC, stored as ISO text with microseconds, which sorts correctly. In the code, None
means that there is no instant. It is stored as NULL in columns of type ``Instant``, and as an empty string in columns
of type ``InstantOrEmpty``.

Packing shrinks entries, events and snapshots to a sixth of their JSON size, and mails to a tenth. A row is small, and
most of its text occurs in every row of its kind. So each row is compressed separately (raw deflate) with a preset
dictionary of at most 32 KB. ``packing-1.txt`` contains pieces of entries and events from random games,
``packing-2.txt`` pieces of letters and of mails that quote them. The most frequent pieces come last. A row can be
unpacked only with the dictionary that packed it, so these files must never change: better pieces go into a new file
with a different mark (``tests/packing/make.py`` makes one). Packed data begins with the mark, followed by a checksum of
the rest. JSON never begins like that, so unpacked rows are recognised and read unchanged.
"""

from __future__ import annotations

import json
import logging
import traceback
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec
from sqlalchemy import Connection as Connection
from sqlalchemy import CursorResult, Dialect, LargeBinary, String, Table, inspect, text
from sqlalchemy import Engine as Engine
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import TypeDecorator

from bot.store import glance as schemas
from bot.store.backends import DAMAGED, Backend, Sqlite
from bot.store.glance import before_version_1, newest_schema
from bot.table.calendar import stamp

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql

log = logging.getLogger(__name__)


class DatabaseUnavailable(Exception):
    """The database cannot be used now, because it is locked or unreachable, its disk is full, or writing is not
    allowed. The message says what is wrong and what to do."""


class DamagedDatabase(DatabaseUnavailable):  # trying again does not help
    pass


class NewerSchema(DatabaseUnavailable):
    """A newer Mentat created or migrated the database, and this version cannot use it."""


class OlderSchema(DatabaseUnavailable):
    """The database is from before version 1.0.0, and was left unchanged. The message says how to upgrade it."""


class LostLead(DatabaseUnavailable):
    pass


class NotHeld(Exception):
    """A transaction tried to change rows that it does not hold, or conflicted with another transaction. It was rolled
    back, and can be repeated with everything locked."""


@dataclass(frozen=True, slots=True)
class Fence:
    """The number under which a process leads a piece of work. Each new leader gets a higher number."""

    work: str
    number: int


class Held(DatabaseUnavailable):
    """The database is held (see ``bot.store.database``), so it must not be changed. The message says what to do."""


def open_database(place: str | Path, timeout_seconds: float = 5.0, *, direct: str = "") -> Engine:
    """Open a database, which is a file or a ``postgresql://`` URL, and migrate it to the newest schema. If the file
    does not exist, it is created, and only its owner may read it.

    ``timeout_seconds`` is how long a writer waits for a lock. If ``place`` is a PgBouncer that pools transactions,
    ``direct`` is the URL of the server itself, which is needed for session locks. Raise DatabaseUnavailable if the
    database cannot be opened or written, NewerSchema if a newer Mentat made it, and OlderSchema if it is from before
    version 1.0.0.

    Example: `open_database("postgresql://mentat@db.example.org/mentat")`
    """
    engine = unopened(place, timeout_seconds, direct)
    if renew(engine):
        _give_back_room(engine)
    return engine


def existing_database(place: str | Path, *, direct: str = "") -> Engine:
    # Only `mentat init` creates a file.
    if isinstance(place, Path) and not (place.exists() and place.stat().st_size):
        told = "is empty" if place.exists() else "does not exist"
        raise DatabaseUnavailable(
            f"The database {place} {told}; check [mentat] database, or create one with `mentat init`."
        )
    return open_database(place, direct=direct)


def unopened(place: str | Path, timeout_seconds: float = 5.0, direct: str = "") -> Engine:
    """Return an engine for a database without connecting to it: the database may be missing or damaged."""
    return _backend("postgresql" if is_url(place) else "sqlite").connect(str(place), timeout_seconds, direct)


def renew(engine: Engine, schema: str = "head") -> bool:
    """Migrate a database and its rows to a schema. Return True if it had an older schema. Raise DatabaseUnavailable if
    the database cannot be written, and NewerSchema or OlderSchema if no migration leads to that schema."""
    with explained(engine):
        return _migrate(engine, schema)


def schema_of(engine: Engine) -> str:
    """Return the schema number of a database, or "" if it has none yet, without changing anything. Raise
    DatabaseUnavailable if the database cannot be read, and OlderSchema if it is from before version 1.0.0."""
    with explained(engine), backend_of(engine).look(engine) as connection:
        found = _schema(connection) if connection else ""
    if why := before_version_1(found):
        raise OlderSchema(f"The database {name_of(engine)} {why}.")
    return found


def is_url(place: str | Path) -> bool:
    return isinstance(place, str) and place.startswith("postgresql://")


def backend_of(place: Engine | Connection) -> Backend:
    return _backend(place.dialect.name)


def name_of(engine: Engine) -> str:
    return backend_of(engine).name(engine)


def size_of(conn: Connection) -> int:
    return backend_of(conn).size(conn)


@cache
def _backend(name: str) -> Backend:
    if name == "postgresql":
        from bot.store.postgresql import Postgresql  # its driver is slow to load

        return Postgresql()
    return Sqlite()


@contextmanager
def writing(engine: Engine, game_id: str | None = None) -> Iterator[Connection]:
    """Begin a writing transaction, which is committed as a whole at the end of the block, or rolled back if an
    exception is raised. It holds the named game, or everything if no game is named. Raise NotHeld if the transaction
    tries to change another game or if the named game does not exist, and Held if the database is held."""
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
    if why := why_held(connection):
        raise Held(f"The database {name_of(connection.engine)} {why}.")


def refuse_if_read_only(connection: Connection) -> None:
    """In a writing transaction, raise the error that a change would cause if the server is a read-only replica."""
    if backend_of(connection).several:
        connection.execute(_TO_BE_CHANGED)


_TO_BE_CHANGED = text("SELECT FROM installation FOR UPDATE")


@contextmanager
def writing_no_game(engine: Engine) -> Iterator[Connection]:
    with writing(engine, NO_GAME) as connection:
        yield connection


@contextmanager
def noting(engine: Engine) -> Iterator[Connection]:
    """Begin a transaction as ``writing_no_game`` does, but do not wait for the disk. If the server crashes within a
    second of the commit, the changes may be lost, unless a durable transaction was committed after them. Use it for
    work that can safely be done twice."""
    with writing(engine.execution_options(**{NOTE: True}), NO_GAME) as connection:
        yield connection


NOTE = "note"
"""The execution option of a transaction whose commit does not wait for the disk."""

NO_GAME = ""
"""The argument that means "no game" in functions that take the game to hold."""


def held_game(connection: Connection) -> str | None:
    """Return the game that a transaction holds, NO_GAME if it holds none, or None if it holds everything or only
    reads."""
    held = connection.get_execution_options().get("game")
    return None if held is None or not backend_of(connection).several else str(held)


@contextmanager
def fenced(fence: Fence) -> Iterator[None]:
    """Within the block, let this thread's writing transactions take effect only while its process leads the work of
    ``fence``. If another process has taken the lead, such a transaction writes nothing and raises LostLead."""
    before = _FENCE.set(fence)
    try:
        yield
    finally:
        _FENCE.reset(before)


_FENCE: ContextVar[Fence | None] = ContextVar("fence", default=None)
_STILL_LEADS = text("SELECT number FROM leader WHERE work = :work FOR SHARE")
"""The row lock makes a process that takes over the lead wait until the transaction is over."""


def _look_at_fence(connection: Connection) -> None:
    fence = _FENCE.get()
    if fence is None:
        return
    number = connection.execute(_STILL_LEADS, {"work": fence.work}).scalar_one_or_none()
    if number != fence.number:
        raise LostLead(f"Another process is {fence.work} now; this one has written nothing.")


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Begin a transaction that reads one consistent snapshot and changes nothing."""
    moments = backend_of(engine).moments
    with explained(engine), engine.connect().execution_options(**moments) as connection, connection.begin():
        yield connection


def rewrite(engine: Engine) -> None:
    """Rewrite the database without its deleted rows. On a server, other transactions have to wait for each table while
    it is rewritten."""
    with explained(engine):
        backend_of(engine).rewrite(engine)


def tidy(engine: Engine) -> None:
    with explained(engine):
        backend_of(engine).tidy(engine)


@contextmanager
def explained(engine: Engine, *, alone: bool = True) -> Iterator[None]:
    """Turn errors that the owner can fix into DatabaseUnavailable. If the transaction is not ``alone``, because others
    may write at the same time, an error that they caused becomes NotHeld."""
    backend = backend_of(engine)
    try:
        yield
    except backend.errors as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if cause and not alone and backend.met_another(cause):
            raise NotHeld(str(cause).partition("\n")[0]) from error
        advice = backend.advice(cause, engine) if cause else None
        if advice is None:
            raise  # our fault
        unavailable = DamagedDatabase if advice in backend.damaged else DatabaseUnavailable
        raise unavailable(f"The database {backend.name(engine)} {advice}.") from error
    except (UnicodeDecodeError, json.JSONDecodeError, msgspec.MsgspecError) as error:  # no intact row causes this
        if backend.several or not (_is_raised_by_driver(error) or _damage(engine)):
            raise
        raise DamagedDatabase(f"The database {backend.name(engine)} {DAMAGED}.") from error


def _is_raised_by_driver(error: Exception) -> bool:
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__")).startswith("sqlalchemy.")


def _damage(engine: Engine) -> str:
    try:
        with engine.connect() as connection:
            return backend_of(engine).damage(connection)
    except DBAPIError as error:
        return str(error)


def _give_back_room(engine: Engine) -> None:
    """Shrink a migrated database, which may need only a fraction of its present space. If it cannot be rewritten now,
    because another program is reading it or the disk is full, retention will rewrite it later."""
    try:
        rewrite(engine)
    except (DatabaseUnavailable, DBAPIError) as error:
        log.warning("the migrated database keeps its size for now: %s", error)


def _migrate(engine: Engine, schema: str) -> bool:
    """Migrate the schema if necessary. Return True if the database had an older schema. Alembic is slow to load, so it
    is imported only for a migration."""
    found = schema_of(engine)
    with engine.connect():  # fail now if the database cannot be opened
        if found == newest_schema():
            return False
    from alembic import command
    from alembic.config import Config

    backend = backend_of(engine)
    config = Config()
    config.set_main_option("script_location", str(schemas.MIGRATIONS))
    with engine.connect().execution_options(**backend.changes) as connection, connection.begin():
        backend.take_turn_to_migrate(connection)
        current = _schema(connection)
        if current > newest_schema():
            name = backend.name(engine)
            raise NewerSchema(f"The database {name} was made by a newer Mentat; install that one.")
        config.attributes["connection"] = connection
        command.upgrade(config, schema)
        if _schema(connection) == newest_schema():
            backend.guard(connection, config.attributes["tables"])
    return bool(current)


def _schema(connection: Connection) -> str:
    if not inspect(connection).has_table("alembic_version"):
        return ""
    rows = connection.exec_driver_sql("SELECT version_num FROM alembic_version").all()
    return str(rows[0][0]) if rows else ""


def newer_schema(connection: Connection) -> str:
    """If a newer Mentat has migrated the database since it was opened, return the new schema number, else ""."""
    found = _schema(connection)
    return found if found > newest_schema() else ""


WHILE_HELD = "while_held"
"""The execution option that allows changes in a held database."""


def while_held(engine: Engine) -> Engine:
    """Return an engine that may change a held database, to recover what has happened since the backup and to release
    the database."""
    return engine.execution_options(**{WHILE_HELD: True})


def why_held(conn: Connection) -> str:
    """Return why the database is held, as the end of a sentence, or "" if it is not held.

    Example: `was restored from a backup of 2026-11-23 20:00 UTC and is held: nothing is read, sent or posted; …`
    """
    row = conn.execute(_HELD).first()
    if row is None or not row.held_since:
        return ""
    if row.held_why == RESTORED:
        made = f"{row.restored_copy_at[:16].replace('T', ' ')} UTC" if row.restored_copy_at else "an unknown time"
        return (
            f"was restored from a backup of {made} and is held: nothing is read, sent or posted; "
            "`mentat restore --resume` recovers what has happened since then and releases it"
        )
    if row.held_why == INCOMPLETE:
        return "was left behind by an unfinished move; start `mentat move` again"
    return f"was {row.held_why} and is held; name that database in config.toml, or undo it with `mentat move --back`"


RESTORED, INCOMPLETE = "restored", "incomplete"
"""Values of ``held_why`` for a database restored from a backup, and for the target of a transfer in progress. In a
database that was moved, ``held_why`` says where to."""

_HELD = text("SELECT held_since, held_why, restored_copy_at FROM installation")


Upsert: TypeAlias = "postgresql.Insert | sqlite.Insert"


def upsert(conn: Connection, table: Table) -> Upsert:
    return _insert_of(conn.dialect.name, table)


def insert_or_replace(conn: Connection, table: Table) -> Upsert:
    return _replacing(conn.dialect.name, table)


def insert_or_add(conn: Connection, table: Table, *counted: str) -> Upsert:
    """Insert rows. If there is already a row with the same primary key, its ``counted`` columns are increased
    instead."""
    return _adding(conn.dialect.name, table, counted)


@cache
def _adding(dialect: str, table: Table, counted: tuple[str, ...]) -> Upsert:
    new = _insert_of(dialect, table)
    sums = {name: table.c[name] + new.excluded[name] for name in counted}
    return new.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=sums)


@cache
def _replacing(dialect: str, table: Table) -> Upsert:
    new = _insert_of(dialect, table)
    keys = list(table.primary_key.columns)
    values = {column.name: new.excluded[column.name] for column in table.columns if not column.primary_key}
    return new.on_conflict_do_update(index_elements=keys, set_=values)


def _insert_of(dialect: str, table: Table) -> Upsert:
    if dialect != "postgresql":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # slow to load

    return postgresql.insert(table)


def inserted_number(made: CursorResult[Any]) -> int:
    key = made.inserted_primary_key
    assert key is not None  # one row was inserted, and its table numbers its rows
    return int(key[0])


NO_INSTANT: datetime | None = None
"""Compare a column of ``InstantOrEmpty`` with this to find the rows without an instant."""


class Instant(TypeDecorator[datetime]):
    impl = String
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        return None if value is None else stamp(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        return datetime.fromisoformat(value) if value else None


class InstantOrEmpty(Instant):
    """A column of instants that stores None as an empty string, never as NULL. So ``==`` also finds rows without an
    instant."""

    cache_ok = True
    coerce_to_is_types = ()  # without this, SQLAlchemy would ask for NULL

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str:
        return "" if value is None else stamp(value)


class Day(TypeDecorator[date]):
    impl = String
    cache_ok = True

    def process_bind_param(self, value: date | None, dialect: Dialect) -> str | None:
        return None if value is None else value.isoformat()

    def process_result_value(self, value: str | None, dialect: Dialect) -> date | None:
        return None if value is None else date.fromisoformat(value)


Mark = Literal[1, 2]
GAMES: Mark = 1
MAILS: Mark = 2
"""Each kind of data has its own dictionary."""

_MARKS: tuple[Mark, ...] = (GAMES, MAILS)
_PACKED_HEAD = 2
_MOST_UNPACKED = 200_000_000  # bytes, more than any mail; rows in a foreign backup may expand without limit
_RAW_DEFLATE = -15


class Packed(TypeDecorator[bytes]):
    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return pack_mail(value) if value else value

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return unpack(value) if value else value


def pack(data: bytes, mark: Mark = GAMES) -> bytes:
    """Compress data with the dictionary of its kind.

    >>> unpack(pack(b'{"type":"NoMove"}'))
    b'{"type":"NoMove"}'
    """
    packer = _packer(mark).copy()
    packed = packer.compress(data) + packer.flush()
    return bytes((mark, _checksum(packed))) + packed


def unpack(stored: bytes) -> bytes:
    """Return the original data. Data that was never packed, or has been damaged since, is returned unchanged; decoding
    damaged data will then fail.

    >>> unpack(b'{"type":"NoMove"}')
    b'{"type":"NoMove"}'
    """
    if len(stored) < _PACKED_HEAD or stored[0] not in _MARKS or stored[1] != _checksum(stored[_PACKED_HEAD:]):
        return stored
    unpacker = zlib.decompressobj(_RAW_DEFLATE, _dictionary(GAMES if stored[0] == GAMES else MAILS))
    try:
        data = unpacker.decompress(stored[_PACKED_HEAD:], _MOST_UNPACKED)
    except zlib.error:
        return stored
    return data if unpacker.eof and not unpacker.unused_data else stored


def pack_mail(mail: bytes) -> bytes:
    return _pack_large(mail) if len(mail) > _LARGE else pack(mail, MAILS)


_LARGE = 20_000


@lru_cache(maxsize=2)  # a large mail is packed before its transaction begins
def _pack_large(mail: bytes) -> bytes:
    return pack(mail, MAILS)


@cache
def _packer(mark: Mark) -> zlib._Compress:
    """Return a compressor with its dictionary already loaded, because loading takes longer than packing a row."""
    return zlib.compressobj(6, zlib.DEFLATED, _RAW_DEFLATE, 8, zlib.Z_DEFAULT_STRATEGY, _dictionary(mark))


@cache
def _dictionary(mark: Mark) -> bytes:
    return Path(__file__).with_name(f"packing-{mark}.txt").read_bytes()


def _checksum(packed: bytes) -> int:
    """Return a check byte. It also reveals damage that unpacking would not notice, such as a changed bit in the padding
    of the last byte."""
    return zlib.crc32(packed) & 0xFF
