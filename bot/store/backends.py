"""What differs between the two kinds of database: the interface, SQLite, and the guards of a PostgreSQL database.

``bot.store.postgresql``, the other kind, loads the driver of a server; ``bot.store.database`` chooses between them.

SQLite is one file with one writer at a time, every transaction durable. In WAL mode with ``synchronous=FULL`` a
committed order survives the power going off. Writing transactions begin with ``BEGIN IMMEDIATE``, so two processes wait
for each other instead of failing in the middle.

*Guards* in a PostgreSQL database let a transaction change only what it holds, whatever its code believes. A transaction
that holds one game says so in a setting of its own (``mentat.game``). A trigger on each table then refuses rows of
other games, and every row of tables that have none: what games have in common is changed by those who hold everything,
who set nothing. Only the tables in ``UNGUARDED`` take rows from all: each of their rows is written by one process at a
time, or only once.

Source: PostgreSQL 15, CREATE TRIGGER and 9.27.1 (configuration settings functions).
"""

from __future__ import annotations

import fcntl
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from sqlalchemy import Connection, Engine, MetaData, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool
from sqlmodel import create_engine

from bot.store import glance


class Backend(Protocol):
    """One kind of database. ``moments`` are the execution options of a transaction that sees one moment of it, and
    ``changes`` those of one that writes. ``several``: several processes may work on it at once. ``errors`` are
    those of its driver."""

    several: bool
    errors: tuple[type[Exception], ...]

    moments: Mapping[str, Any]
    changes: Mapping[str, Any]

    def connect(self, place: str, timeout_seconds: float, direct: str = "") -> Engine:
        """The engine for a database. ``timeout_seconds``: how long a writer waits for another. ``direct``: another way
        to it, for what belongs to a session."""

    def look(self, engine: Engine) -> AbstractContextManager[Connection | None]:
        """A connection that changes nothing, not even how the database is kept; None where there is no database yet."""

    def take_turn(self, conn: Connection, game_id: str | None) -> bool:
        """Wait, in a transaction that writes, until no other one does; or none that holds this game ("" for no game).
        Whether there is such a game."""

    def try_turn(self, conn: Connection, work: str) -> bool:
        """Take the lock of some work for the rest of a transaction, unless another one has it; returns whether it was
        to be had."""

    def met_another(self, error: BaseException) -> bool:
        """Whether an error is due to others who write at the same time, or to a change of what the transaction does not
        hold."""

    def guard(self, conn: Connection, tables: MetaData) -> None:
        """Let the database refuse changes of what a transaction does not hold."""

    def direct(self, engine: Engine, program: str) -> DirectConnection:
        """A connection of its own for the locks and hints of a process. ``program`` names that to its owner. ValueError
        where several processes cannot work at once."""

    def take_turn_to_migrate(self, conn: Connection) -> None:
        """Wait until no other process renews the schema."""

    def advice(self, error: BaseException, engine: Engine) -> str | None:
        """What goes on after "The database X" for an error that its owner can do something about, else None. The
        ``engine`` that it came from may be asked what the error alone does not say."""

    def name(self, engine: Engine) -> str:
        """The database as messages name it, without a password."""

    def start(self, conn: Connection) -> str:
        """What names the time since the server was last started, "" where there is none: locks that were had before
        are gone, though their holders may live."""

    def damage(self, conn: Connection) -> str:
        """What is broken in it, "" if nothing is known to be."""

    def size(self, conn: Connection) -> int:
        """The bytes that it takes on its disk."""

    def tidy(self, engine: Engine) -> None:
        """Let the room of what was deleted be used again; nobody at work waits for long."""

    def rewrite(self, engine: Engine) -> None:
        """Write it anew without what was deleted."""

    def only_one(self, engine: Engine, work: str) -> AbstractContextManager[bool]:
        """Hold the lock of some work for the length of a block; gives whether it was to be had. It ends with the
        process."""


class DirectConnection(Protocol):
    """A connection outside of all transactions. Where it breaks all its locks are gone, and it is made anew when it is
    next used. All methods but ``close`` may raise an error of the database (``bot.store.installation``)."""

    def reach(self) -> None:
        """Connect, if it is not yet: what stands against locks of a session is an error."""

    def holds(self, work: str) -> bool:
        """Whether it has the lock of some work, and its server still says so."""

    def take(self, work: str) -> bool:
        """Take the lock of some work; returns whether this process has it now, also if it had it before."""

    def share(self, work: str) -> bool:
        """Take the lock of some work together with others who share it, unless somebody holds it alone; returns whether
        it was to be had."""

    def give_back(self, work: str) -> None:
        """Let go of a lock."""

    def is_taken(self, work: str) -> bool:
        """Whether any process has the lock of some work."""

    def wait(self, seconds: float) -> bool:
        """Wait until something was called out (``call_out``), or so many seconds; which of both. A hint only: what was
        called out while nobody listened is not heard."""

    def silent_seconds(self, program: str) -> float:
        """How long no connection of a process has asked the server anything, by the clock of the server; 0 where it has
        no connection."""

    def end_sessions(self, program: str) -> None:
        """End all connections of a process that is frozen, so that it holds nothing any more."""

    def close(self) -> None:
        """Let go of everything."""


_FULL, _DISK_ERROR = "database or disk is full", "disk I/O error"
"""Whoever opens a file on a full disk meets the second: there is no room for the memory that its users share (-shm)."""

_ADVICE = {
    "database is locked": "is held by another program; stop that or try again",
    _FULL: "has no room, the disk is full; make room and start again: nothing was lost",
    "attempt to write a readonly database": "cannot be written; check its owner and permissions",
    "unable to open database file": "cannot be opened; check that the folder exists and can be written",
    _DISK_ERROR: "cannot be written, the disk reports an error; check it: what was committed is kept",
    "file is not a database": "is another kind of file; name the right one under [mentat] database",
    "database disk image is malformed": "is damaged; put back a copy of it",
}


_SHARED_MEMORY = 32_768


class Sqlite:
    """A file of this machine."""

    errors: tuple[type[Exception], ...] = (DBAPIError, sqlite3.DatabaseError)
    several = False
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
        """Whoever closes a file last writes its journal into it, unless they can only read it."""
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
        """It has its turn since it began, and holds everything."""
        return True

    def try_turn(self, conn: Connection, work: str) -> bool:
        """Nobody else writes."""
        return True

    def met_another(self, error: BaseException) -> bool:
        """Nobody else writes."""
        return False

    def guard(self, conn: Connection, tables: MetaData) -> None:
        """Who writes holds everything."""

    def direct(self, engine: Engine, program: str) -> DirectConnection:
        raise ValueError("a SQLite file is for one process")

    def take_turn_to_migrate(self, conn: Connection) -> None:
        """It has its turn since it began."""

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
        """A club's file is written anew in a second or so."""
        self.rewrite(engine)

    def rewrite(self, engine: Engine) -> None:
        """It takes about a second for each 100 MB, and nobody else writes meanwhile; the journal is emptied too."""
        with engine.connect() as connection:
            raw = connection.connection.cursor()
            raw.execute("VACUUM")
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def only_one(self, engine: Engine, work: str) -> Iterator[bool]:
        """The lock of a file beside the database. OSError if none can be made there."""
        file = Path(engine.url.database or "")
        with file.with_name(f"{file.name}.{work.replace(' ', '-')}.lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield False
            else:
                yield True


def _is_full(folder: Path) -> bool:
    """Whether a disk has no room for the memory that the users of a file share (sqlite.org, "WAL-mode File Format")."""
    return shutil.disk_usage(folder).free < _SHARED_MEMORY


def _configure(connection: sqlite3.Connection, _record: Any) -> None:
    connection.isolation_level = None  # transactions are begun below, not by the driver
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")


def _begin(connection: Connection) -> None:
    begin = "BEGIN IMMEDIATE" if connection.get_execution_options().get("write") else "BEGIN"
    connection.connection.cursor().execute(begin)  # the driver's own: there is nothing to compile and no result


HELD_GAME_SETTING = "mentat.game"
NO_GAME = "-"
"""The setting of a transaction that holds no game; no game has this name."""

NOT_HELD = "ME001"
"""The code of the error (SQLSTATE; the classes from I to Z are for programs)."""

UNGUARDED = frozenset(
    {"message", "letter", "picture", "inbox", "leader", "worker", "pulse", "measurement", "installation"}
)
"""Mail and letters are added, and then changed by whoever has claimed them; pictures are the same whoever adds them."""

_REFUSE = f"""
CREATE OR REPLACE FUNCTION mentat_not_held() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the transaction holds %% and would change another row of %%',
        current_setting('{HELD_GAME_SETTING}'), TG_TABLE_NAME USING ERRCODE = '{NOT_HELD}';
END $$
"""
TAKE_DOWN_GUARDS = "DROP FUNCTION IF EXISTS mentat_not_held CASCADE"
"""The statement that takes all guards away."""

_NOT_ALONE = f"coalesce(current_setting('{HELD_GAME_SETTING}', true), '') <> ''"


def put_up_guards(conn: Connection, tables: MetaData) -> None:
    """Guard every table, those that are guarded already as well."""
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
