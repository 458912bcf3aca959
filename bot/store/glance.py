"""A database from outside, without SQLAlchemy: what waits in it, what was last known to work, its schema, its files.

`mentat health` and `mentat metrics` take a glance every minute and on small machines. So the database's own driver (PEP
249) reads it, in statements that both databases understand: SQLAlchemy and the tables take longer to load than all of
this takes to answer. A look makes no file, renews no schema and waits for no writer. Whoever has a connection already
gives its way to read to ``take_glance``.

The schema is a number: ``newest_schema`` is the one that this Mentat makes.

libpq gives no code of an error where there is no connection to a server (PostgreSQL 15, chapter 34). Its words are one
line, or one for each address that was tried, each followed by hints that are set in by a tab; what the server itself
has said stands behind "FATAL:".

Files that hold secrets (seeds, hands, tokens, mail) are made for their owner alone, whatever the umask says. SQLite
gives its journals (``-wal``, ``-shm``) the permissions of the database that they belong to.
"""

from __future__ import annotations

import ast
import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bot.table.calendar import stamp

Rows = Callable[[str], Sequence[Sequence[Any]]]
"""Gives the rows that a statement without parameters finds."""

_SECONDS = 5
A_DAY = timedelta(days=1)


class CannotLook(Exception):
    """The database cannot be read, or is not one of this Mentat. The message says which and why, without a password.
    ``reachable``: it answers, but has another schema."""

    def __init__(self, sentence: str, *, reachable: bool = False) -> None:
        super().__init__(sentence)
        self.reachable = reachable


@dataclass(frozen=True, slots=True)
class Beat:
    """``at``: when it was last known to work; ``failing_since``: since when it has not, None while it works."""

    at: datetime
    failing_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Queue:
    """How many wait, and since when the oldest does."""

    waiting: int = 0
    oldest: datetime | None = None


@dataclass(frozen=True, slots=True)
class Glance:
    """What was seen.

    ``beats``: the heartbeats by name (``bot.store.installation``). ``forums``: since when each forum fails, None while
    it works. ``letters`` wait in the outbox and ``mail`` for a worker; ``last_sent`` is when a letter last went out.
    ``overdue_since``: since when the longest overdue question waits for its silence. ``faults``: the mails of the last
    day that were put aside through a fault of the program. ``measured``: the numbers of ``bot.store.installation`` by
    name and label. ``leaders``: who does each work that one process does at a time. ``workers``: when each process was
    last seen. ``held_since`` and ``held_why``: the whole database is held.
    """

    beats: Mapping[str, Beat] = field(default_factory=dict)
    forums: Mapping[str, datetime | None] = field(default_factory=dict)
    games: Mapping[str, int] = field(default_factory=dict)
    letters: Queue = Queue()
    mail: Queue = Queue()
    last_sent: datetime | None = None
    overdue_since: datetime | None = None
    faults: int = 0
    measured: Mapping[tuple[str, str], float] = field(default_factory=dict)
    leaders: Mapping[str, str] = field(default_factory=dict)
    workers: Mapping[str, datetime] = field(default_factory=dict)
    held_since: datetime | None = None
    held_why: str = ""


def look(place: Path | str, now: datetime) -> Glance:
    """Look at a database, a file or a ``postgresql://`` URL. CannotLook if it cannot be read, or has another schema."""
    with opened_read_only(place) as rows:
        return take_glance(rows, now)


def take_glance(rows: Rows, now: datetime) -> Glance:
    """What is seen by a way to read a database."""
    held_since, held_why = next(iter(rows("SELECT held_since, held_why FROM installation")), (None, ""))
    return Glance(
        beats={name: Beat(_known_instant(at), _instant(failing)) for name, at, failing in rows(_BEATS)},
        forums={name: _instant(failing) for name, failing in rows(_FORUMS)},
        games={str(status): int(count) for status, count in rows("SELECT status, count(*) FROM game GROUP BY status")},
        letters=_queue(rows, _LETTERS),
        mail=_queue(rows, "SELECT count(*), min(arrived_at) FROM inbox WHERE disposition = ''"),
        last_sent=_instant(rows(_LAST_SENT)[0][0]),
        overdue_since=_overdue_since(rows, now),
        faults=int(rows(_FAULTS.format(since=stamp(now - A_DAY)))[0][0]),
        measured={(name, label): float(value) for name, label, value in rows(_MEASURED)},
        leaders={str(work): str(holder) for work, holder in rows("SELECT work, holder FROM leader")},
        workers={name: _known_instant(seen) for name, seen in rows("SELECT name, seen_at FROM worker")},
        held_since=_instant(held_since),
        held_why=held_why,
    )


def count_messages(rows: Rows) -> dict[str, int]:
    """How many messages were kept, by what became of them. It takes the longer the more there are."""
    return {str(name): int(count) for name, count in rows(_MESSAGES)}


def _queue(rows: Rows, sql: str) -> Queue:
    waiting, oldest = rows(sql)[0]
    return Queue(int(waiting), _instant(oldest))


def _overdue_since(rows: Rows, now: datetime) -> datetime | None:
    """Since when silence should have answered a question. A game waits with its mail, where that waits to be proved."""
    overdue = rows(_OVERDUE.format(now=stamp(now)))
    waits = {game for (game,) in rows(_WAITING)} if overdue else set()
    return min((_known_instant(until) for game, until in overdue if game not in waits), default=None)


_LETTERS = "SELECT count(*), min(created_at) FROM letter WHERE next_try_at > ''"  # by its index; NULL is none
_BEATS = "SELECT name, at, failing_since FROM pulse"
_FORUMS = "SELECT forum, max(failing_since) FROM forum_state GROUP BY forum"
_MEASURED = "SELECT name, label, value FROM measurement"
_MESSAGES = "SELECT disposition, count(*) FROM message GROUP BY disposition"
_NEWEST = "id > (SELECT coalesce(max(id), 0) FROM {table}) - 5000"
_LAST_SENT = f"SELECT max(sent_at) FROM letter WHERE {_NEWEST.format(table='letter')}"
_FAULTS = (
    f"SELECT count(*) FROM message WHERE {_NEWEST.format(table='message')}"
    " AND disposition = 'fault' AND received_at > '{since}'"
)
_WAITING = (
    f"SELECT DISTINCT game_id FROM message WHERE {_NEWEST.format(table='message')}"
    " AND disposition = 'waiting' AND game_id IS NOT NULL"
)
_OVERDUE = (
    "SELECT game_id, min(until) FROM deadline JOIN game ON game.id = game_id WHERE state = 'open'"
    " AND until <= '{now}' AND status = 'running' AND stopped_at = '' AND on_hold = '' GROUP BY game_id"
)


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _known_instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


# --- the ways to read -----------------------------------------------------------------------------------------------


@contextmanager
def opened_read_only(place: Path | str) -> Iterator[Rows]:
    """A way to read a database, in one moment of it. CannotLook if it cannot be read, or has another schema."""
    with _postgresql(place) if isinstance(place, str) else _sqlite(place) as rows:
        yield rows


@contextmanager
def _sqlite(file: Path) -> Iterator[Rows]:
    if not file.exists():
        raise CannotLook(f"there is no database {file}")
    try:
        place = f"file:{quote(str(file.absolute()))}?mode=ro"
        with closing(sqlite3.connect(place, uri=True, timeout=_SECONDS, isolation_level=None)) as connection:
            connection.execute("BEGIN")
            tables = connection.execute("SELECT name FROM sqlite_master WHERE name = 'alembic_version'").fetchall()
            yield _of_this_schema(lambda sql: connection.execute(sql).fetchall(), bool(tables), str(file))
    except sqlite3.Error as error:
        raise CannotLook(f"the database {file} cannot be read ({error})") from None


@contextmanager
def _postgresql(url: str) -> Iterator[Rows]:
    import psycopg  # it takes longer to load than all the rest
    from psycopg.sql import SQL

    try:
        with psycopg.connect(
            url, connect_timeout=_SECONDS, application_name="mentat", prepare_threshold=None
        ) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            connection.execute(f"SET LOCAL statement_timeout = {_SECONDS * 1000}")

            def rows(sql: str) -> Sequence[Sequence[Any]]:
                return connection.execute(SQL(sql)).fetchall()

            name = f"{connection.info.dbname} on {connection.info.host}"
            if rows(_READ_ONLY)[0][0]:
                told = "can only be read (a replica, or a server in recovery); name the one that takes changes"
                raise CannotLook(f"the database {name} {told}", reachable=True)
            tables = rows("SELECT to_regclass('alembic_version')")[0][0]
            yield _of_this_schema(rows, tables is not None, name)
    except psycopg.Error as error:
        words, _ = connection_failure(error)
        raise CannotLook(f"the database cannot be read ({words or type(error).__name__})") from None


_READ_ONLY = "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean"


def _of_this_schema(rows: Rows, has_tables: bool, name: str) -> Rows:
    found = next((str(row[0]) for row in rows("SELECT version_num FROM alembic_version")), "") if has_tables else ""
    if not found:
        raise CannotLook(f"the database {name} has no tables yet; the first command makes them", reachable=True)
    if why := before_version_1(found):
        raise CannotLook(f"the database {name} {why}", reachable=True)
    if found != newest_schema():
        made = (
            "a newer Mentat; install that one" if found > newest_schema() else "an older Mentat; `mentat run` renews it"
        )
        raise CannotLook(f"the database {name} is that of {made}", reachable=True)
    return rows


MIGRATIONS = Path(__file__).parent / "migrations"
LAST_BEFORE_1 = "0.1.0"
"""The last version before 1.0.0, which upgrades all older schemas to the first that is known here."""


@dataclass(frozen=True, slots=True)
class SchemaStep:
    """A schema, like "0012", and what it brought."""

    schema: str
    brings: str


def newest_schema() -> str:
    """The schema that this Mentat makes, like "0012"."""
    return max(_migration_files())


def before_version_1(schema: str) -> str:
    """What is wrong with a database or backup of before version 1.0.0, as the end of a sentence; "" for any other.

    >>> before_version_1("0012")
    ''
    """
    if not schema or schema >= min(_migration_files()):
        return ""
    return (
        f"is from before version 1.0.0 (schema {schema}): upgrade it first with version {LAST_BEFORE_1}, "
        "the last before that, then with this one"
    )


def schema_steps(schema: str) -> list[SchemaStep]:
    """What is done to a database of this schema, one after the other."""
    return [SchemaStep(number, _brings(file)) for number, file in sorted(_migration_files().items()) if number > schema]


def _brings(file: Path) -> str:
    told = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(told.partition("\n\n")[0].split())


def _migration_files() -> dict[str, Path]:
    """The migrations by the numbers of the schemas that they make."""
    return {file.name.partition("_")[0]: file for file in (MIGRATIONS / "versions").glob("[0-9]*.py")}


def connection_failure(error: BaseException) -> tuple[str, bool]:
    """Why there is no connection, and whether it is the server that refused it.

    >>> connection_failure(OSError('connection to server at "::1" failed: Connection refused\\n\\tIs it running?'))
    ('Connection refused', False)
    >>> connection_failure(OSError('connection to server at "::1" failed: FATAL:  role "chani" does not exist'))
    ('role "chani" does not exist', True)
    """
    *_, last = ("", *(line for line in str(error).splitlines() if line[:1].strip()))
    _, refused, words = last.rpartition("FATAL: ")
    return words.rpartition(" failed: ")[2].strip().rstrip("."), bool(refused)


OWNER_ONLY = 0o600
OTHERS_PERMISSIONS = 0o077
"""The permissions of everybody but the owner."""


def create_private_file(path: Path) -> None:
    """Make an empty file that only its owner may read; one that exists is left as it is. Where it cannot be made
    nothing is raised: opening it will tell why."""
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))


def write_private_file(path: Path, text: str) -> None:
    """Write a file that only its owner may read, also where it existed and others could. OSError if it cannot be."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, OWNER_ONLY), "w", encoding="utf-8") as file:
        with contextlib.suppress(PermissionError):  # another's file, or a device: it was opened for us all the same
            os.fchmod(file.fileno(), OWNER_ONLY)
        file.write(text)


def is_open_to_others(path: Path) -> bool:
    """Whether anybody but its owner may do anything with a file or a folder; False if it is not there."""
    try:
        return bool(path.stat().st_mode & OTHERS_PERMISSIONS)
    except OSError:
        return False
