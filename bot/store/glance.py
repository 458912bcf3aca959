"""A read-only look at a database, without SQLAlchemy: its queues, heartbeats, schema and files.

`mentat health` and `mentat metrics` are run every minute, even on small machines. Loading SQLAlchemy and the tables
would take longer than the look itself, so the database's own driver (PEP 249) runs statements that both kinds of
database understand. A look does not create a file, migrate a schema or wait for a writer. A caller that already has a
connection passes its own query function to ``take_glance``.

Schemas are numbered. ``newest_schema`` is the number of the schema that this Mentat creates.

If libpq cannot connect to a server, it gives no error code (PostgreSQL 15, chapter 34), only a message. The message has
one line for each address that it tried. Each line may be followed by hints, which are indented with a tab. If the
server itself has answered, its words follow "FATAL:".

Files that contain secrets (seeds, hands, tokens, mail) are created for their owner only, whatever the umask is. SQLite
gives its journals (``-wal``, ``-shm``) the permissions of their database.
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
from typing import Any, BinaryIO
from urllib.parse import quote

from bot.table.calendar import stamp

Rows = Callable[[str], Sequence[Sequence[Any]]]
"""A function that runs a statement without parameters and returns its rows."""

_SECONDS = 5
A_DAY = timedelta(days=1)


class CannotLook(Exception):
    """The database cannot be read, or does not belong to this Mentat. The message gives the reason, without any
    password. ``reachable`` is true if the database can be read but has another schema."""

    def __init__(self, sentence: str, *, reachable: bool = False) -> None:
        super().__init__(sentence)
        self.reachable = reachable


@dataclass(frozen=True, slots=True)
class Beat:
    at: datetime
    failing_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Queue:
    waiting: int = 0
    oldest: datetime | None = None


@dataclass(frozen=True, slots=True)
class Glance:
    """The results of a look at a database.

    - ``beats`` are the heartbeats by name (``bot.store.installation``).
    - ``forums`` gives, for each forum, the time since which it has been failing, or None if it works.
    - ``letters`` is the queue of letters in the outbox, and ``mail`` the queue of mails waiting for a worker.
      ``last_sent`` is when a letter was last sent.
    - ``overdue_since`` is when the default for the question that has been overdue longest should have been applied.
    - ``faults`` counts the mails of the last day that were quarantined because of a program error.
    - ``stuck`` counts the mails in the inbox that cannot be read, or cannot be moved away.
    - ``measured`` contains the measurements of ``bot.store.installation`` by name and label.
    - ``leaders`` says which process leads each kind of work. ``workers`` says when each process last reported.
    - ``held_since`` and ``held_why`` say since when and why the whole database is held.
    """

    beats: Mapping[str, Beat] = field(default_factory=dict)
    forums: Mapping[str, datetime | None] = field(default_factory=dict)
    games: Mapping[str, int] = field(default_factory=dict)
    letters: Queue = Queue()
    mail: Queue = Queue()
    last_sent: datetime | None = None
    overdue_since: datetime | None = None
    faults: int = 0
    stuck: int = 0
    measured: Mapping[tuple[str, str], float] = field(default_factory=dict)
    leaders: Mapping[str, str] = field(default_factory=dict)
    workers: Mapping[str, datetime] = field(default_factory=dict)
    held_since: datetime | None = None
    held_why: str = ""


def look(place: Path | str, now: datetime) -> Glance:
    """Look at a database, given as a file or as a ``postgresql://`` URL. Raise CannotLook if it cannot be read or has
    another schema."""
    with opened_read_only(place) as rows:
        return take_glance(rows, now)


def take_glance(rows: Rows, now: datetime) -> Glance:
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
        stuck=int(rows("SELECT count(*) FROM stuck_mail WHERE tries > 1")[0][0]),
        measured={(name, label): float(value) for name, label, value in rows(_MEASURED)},
        leaders={str(work): str(holder) for work, holder in rows("SELECT work, holder FROM leader")},
        workers={name: _known_instant(seen) for name, seen in rows("SELECT name, seen_at FROM worker")},
        held_since=_instant(held_since),
        held_why=held_why,
    )


def count_messages(rows: Rows) -> dict[str, int]:
    return {str(name): int(count) for name, count in rows(_MESSAGES)}


def _queue(rows: Rows, sql: str) -> Queue:
    waiting, oldest = rows(sql)[0]
    return Queue(int(waiting), _instant(oldest))


def _overdue_since(rows: Rows, now: datetime) -> datetime | None:
    """Return the time since which the oldest default has been overdue. Games that have mail waiting for a confirmation
    are ignored."""
    overdue = rows(_OVERDUE.format(now=stamp(now)))
    waits = {game for (game,) in rows(_WAITING)} if overdue else set()
    return min((_known_instant(until) for game, until in overdue if game not in waits), default=None)


_LETTERS = "SELECT count(*), min(created_at) FROM letter WHERE next_try_at > ''"  # uses the index; NULL means none
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
    """Open a database for reading, as one consistent snapshot. Raise CannotLook if it cannot be read or has another
    schema."""
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
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise CannotLook(f"the database {file} cannot be read ({error})") from None


def damage(file: Path) -> str:
    with _sqlite(file) as rows:
        found = str(rows("PRAGMA quick_check(1)")[0][0])
    return "" if found == "ok" else found


@contextmanager
def _postgresql(url: str) -> Iterator[Rows]:
    import psycopg  # slower to load than everything else
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
                told = "can only be read (a replica, or a server in recovery); name the server that accepts changes"
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
        raise CannotLook(f"the database {name} has no tables yet; the first command creates them", reachable=True)
    if why := before_version_1(found):
        raise CannotLook(f"the database {name} {why}", reachable=True)
    if found != newest_schema():
        made = (
            "a newer Mentat; install that one"
            if found > newest_schema()
            else "an older Mentat; `mentat upgrade` upgrades it"
        )
        raise CannotLook(f"the database {name} was made by {made}", reachable=True)
    return rows


MIGRATIONS = Path(__file__).parent / "migrations"
LAST_BEFORE_1 = "0.1.0"
"""The last version before 1.0.0. It upgrades all older schemas to the first one known here."""


@dataclass(frozen=True, slots=True)
class SchemaStep:
    schema: str
    brings: str


def newest_schema() -> str:
    return max(_migration_files())


def before_version_1(schema: str) -> str:
    """Return the problem with a database or backup from before version 1.0.0, as the end of a sentence, or "" if it is
    newer.

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
    return [SchemaStep(number, _brings(file)) for number, file in sorted(_migration_files().items()) if number > schema]


def _brings(file: Path) -> str:
    told = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(told.partition("\n\n")[0].split())


def _migration_files() -> dict[str, Path]:
    return {file.name.partition("_")[0]: file for file in (MIGRATIONS / "versions").glob("[0-9]*.py")}


def connection_failure(error: BaseException) -> tuple[str, bool]:
    """Return why there is no connection, and whether the server refused it.

    >>> connection_failure(OSError('connection to server at "::1" failed: Connection refused\\n\\tIs it running?'))
    ('Connection refused', False)
    >>> connection_failure(OSError('connection to server at "::1" failed: FATAL:  role "chani" does not exist'))
    ('role "chani" does not exist', True)
    """
    if "no password supplied" in str(error):
        return "it asks for a password, but MENTAT_DATABASE_PASSWORD is not set", True
    *_, last = ("", *(line for line in str(error).splitlines() if line[:1].strip()))
    _, refused, words = last.rpartition("FATAL: ")
    return words.rpartition(" failed: ")[2].strip().rstrip("."), bool(refused)


OWNER_ONLY = 0o600
OTHERS_PERMISSIONS = 0o077
"""The permission bits of group and others."""


def create_private_file(path: Path) -> None:
    """Create an empty file that only its owner may read. A file that already exists is left unchanged. If the file
    cannot be created, nothing is raised: the attempt to open it will report the problem."""
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))


def open_lock(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, OWNER_ONLY), "r+b")


def write_private_file(path: Path, text: str) -> None:
    """Write a file that only its owner may read, even if it already existed and other users could read it. Raise
    OSError if the file cannot be written."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, OWNER_ONLY), "w", encoding="utf-8") as file:
        with contextlib.suppress(PermissionError):  # a device, or another user's file that we can open anyway
            os.fchmod(file.fileno(), OWNER_ONLY)
        file.write(text)


def is_open_to_others(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & OTHERS_PERMISSIONS)
    except OSError:
        return False
