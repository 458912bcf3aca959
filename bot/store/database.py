"""The database, a SQLite file or a PostgreSQL server: transactions, what may be changed, and how values become rows.

Every transaction is durable, and one that writes holds what it may change, so that whoever reads and then writes finds
what they have read:

- ``writing(engine)`` holds everything: nobody else writes meanwhile;
- ``writing(engine, game_id)`` holds one game, and others may write in other games meanwhile;
- ``writing_no_game(engine)`` holds no game: letters that are claimed, mail that is stored, heartbeats.

A transaction that would change what it does not hold fails with NotHeld, is undone, and can be done again with
everything held. On a server the database itself sees to that (``bot.store.backends``); in a file everybody who writes
holds everything. Alembic makes and renews the schema (``bot/store/migrations``).

A leader's transactions are *fenced* (``fenced``): each looks first whether its process still leads. One that was frozen
and goes on later changes nothing any more.

Nothing in a *held database* is changed, and so nothing is sent, posted, taken or decided from it. A database that was
put back from a backup is held until what has happened since the backup is taken in again (``bot.service.resumption``):
without that, letters would go out twice, and orders that were taken would be missing. One that was moved is held for
good, so that no two answer one mailbox. ``writing`` refuses to begin in a held database, so no piece of work has to
think of it, and none can forget it.

Instants are aware datetimes in UTC, held as ISO text with microseconds, which sorts as it is. No instant is None in the
code: NULL in the columns of ``Instant``, an empty text in those of ``InstantOrEmpty``.

Entries, events and snapshots take a sixth of their JSON when packed, mails a tenth. A row is small, and most of it
stands in every row of its kind; so each is compressed by itself (raw deflate) with a preset dictionary of 32 KB at
most. ``packing-1.txt`` holds pieces of entries and events of random games, ``packing-2.txt`` of letters and of what
quotes them; the most frequent stand last. A row that was packed with one dictionary can be unpacked with nothing else,
so these files never change: better pieces are a file more, with a mark of its own (``tests/packing/make.py`` makes
one). Packed data begins with the mark and a check of the rest. JSON never begins like that: rows that are plain are
read as they are.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection as Connection
from sqlalchemy import CursorResult, Dialect, LargeBinary, String, Table, inspect, text
from sqlalchemy import Engine as Engine
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.types import TypeDecorator
from sqlmodel import SQLModel

from bot.store import glance as schemas
from bot.store.backends import Backend, Sqlite
from bot.store.glance import before_version_1, newest_schema
from bot.table.calendar import stamp

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
    """The database is held (``bot.store.database``): nothing in it may be changed. The message says what to do."""


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
        from bot.store.postgresql import Postgresql  # its driver takes long to load

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
    return found if found > newest_schema() else ""


WHILE_HELD = "while_held"
"""The execution option of those who may change a held database."""


def while_held(engine: Engine) -> Engine:
    """The same database for one who may change it while it is held: to take in what has come since, and release it."""
    return engine.execution_options(**{WHILE_HELD: True})


def why_held(conn: Connection) -> str:
    """Why the database is held, as the end of a sentence about it; "" if it is not.

    Example: `was put back from a backup of 2026-11-23 20:00 UTC and is held: …; see mentat restore --resume`
    """
    row = conn.execute(_HELD).first()
    if row is None or not row.held_since:
        return ""
    if row.held_why == RESTORED:
        made = f"{row.restored_copy_at[:16].replace('T', ' ')} UTC" if row.restored_copy_at else "an unknown time"
        return (
            f"was put back from a backup of {made} and is held: nothing is read, sent or posted; "
            "`mentat restore --resume` takes in what has come since then and lets it go on"
        )
    if row.held_why == INCOMPLETE:
        return "is what a move that did not come to its end has left; begin `mentat move` anew"
    return f"was {row.held_why} and is held; name that database in config.toml, or take it back by `mentat move --back`"


RESTORED, INCOMPLETE = "restored", "incomplete"
"""``held_why`` of a database that was put back from a backup, and of one that is the target of a move that goes on;
that of one that was moved says whither."""

_HELD = text("SELECT held_since, held_why, restored_copy_at FROM installation")


Upsert = postgresql.Insert | sqlite.Insert


def upsert(conn: Connection, table: Table) -> Upsert:
    """``INSERT ... ON CONFLICT``: a statement with ``on_conflict_do_update`` and ``on_conflict_do_nothing``."""
    return _insert_of(conn.dialect.name, table)


def insert_or_replace(conn: Connection, table: Table) -> Upsert:
    """A statement that inserts rows, each in the place of the one that has its primary key."""
    return _replacing(conn.dialect.name, table)


def insert_or_add(conn: Connection, table: Table, *counted: str) -> Upsert:
    """A statement that inserts rows; where one has the same primary key, what is ``counted`` in both is summed."""
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
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


def inserted_number(made: CursorResult[Any]) -> int:
    """The number that the database gave to the row that a statement has inserted."""
    key = made.inserted_primary_key
    assert key is not None  # one row was inserted, and its table numbers its rows
    return int(key[0])


NO_INSTANT: datetime | None = None
"""What a column of ``InstantOrEmpty`` is compared with to find the rows without an instant."""


class Instant(TypeDecorator[datetime]):
    """A column of instants; NULL is None."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        return None if value is None else stamp(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        return datetime.fromisoformat(value) if value else None


class InstantOrEmpty(Instant):
    """A column of instants in which an empty text is None; it is never NULL, and ``==`` asks for the empty text too."""

    cache_ok = True
    coerce_to_is_types = ()  # without this, SQLAlchemy would ask for NULL

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str:
        return "" if value is None else stamp(value)


class Day(TypeDecorator[date]):
    """A column of days, held as ISO text."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: date | None, dialect: Dialect) -> str | None:
        return None if value is None else value.isoformat()

    def process_result_value(self, value: str | None, dialect: Dialect) -> date | None:
        return None if value is None else date.fromisoformat(value)


Mark = Literal[1, 2]
GAMES: Mark = 1
MAILS: Mark = 2
"""Which pieces are for what."""

_MARKS: tuple[Mark, ...] = (GAMES, MAILS)
_PACKED_HEAD = 2
_RAW_DEFLATE = -15


class Packed(TypeDecorator[bytes]):
    """A column of mails, packed; where nothing is kept it is empty."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return pack(value, MAILS) if value else value

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return unpack(value) if value else value


def pack(data: bytes, mark: Mark = GAMES) -> bytes:
    """The data as they are stored.

    >>> unpack(pack(b'{"type":"NoMove"}'))
    b'{"type":"NoMove"}'
    """
    packer = _packer(mark).copy()
    packed = packer.compress(data) + packer.flush()
    return bytes((mark, _checksum(packed))) + packed


def unpack(stored: bytes) -> bytes:
    """The data that were stored. What was never packed, and what was damaged since, is given as it is: who decodes it
    will see.

    >>> unpack(b'{"type":"NoMove"}')
    b'{"type":"NoMove"}'
    """
    if len(stored) < _PACKED_HEAD or stored[0] not in _MARKS or stored[1] != _checksum(stored[_PACKED_HEAD:]):
        return stored
    unpacker = zlib.decompressobj(_RAW_DEFLATE, _dictionary(GAMES if stored[0] == GAMES else MAILS))
    try:
        data = unpacker.decompress(stored[_PACKED_HEAD:])
    except zlib.error:
        return stored
    return data if unpacker.eof and not unpacker.unused_data else stored


@cache
def _packer(mark: Mark) -> zlib._Compress:
    """One that has read its dictionary: to read it takes longer than to pack a row."""
    return zlib.compressobj(6, zlib.DEFLATED, _RAW_DEFLATE, 8, zlib.Z_DEFAULT_STRATEGY, _dictionary(mark))


@cache
def _dictionary(mark: Mark) -> bytes:
    return Path(__file__).with_name(f"packing-{mark}.txt").read_bytes()


def _checksum(packed: bytes) -> int:
    """A byte that shows a changed one, also where it would unpack to the same (a bit that fills up the last byte)."""
    return zlib.crc32(packed) & 0xFF


def column_values(of: Any) -> dict[str, Any]:
    """The fields of a dataclass whose names are those of columns."""
    return {field.name: getattr(of, field.name) for field in fields(of)}
