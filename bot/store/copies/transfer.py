"""Everything in a database carried into another one, of the same kind or of the other: table by table, value by value.

What the columns hold is carried as it stands there, and not as the code reads it, so that nothing is written otherwise
than it was. Only what PostgreSQL cannot hold in a text, NUL and lone surrogates, of which old databases may have some,
is replaced there by the sign for what cannot be shown (U+FFFD).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Table,
    delete,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.types import TypeDecorator, TypeEngine
from sqlmodel import SQLModel

from bot.store import desk_tables, forum_tables, list_mail_tables, tables, tournament_tables  # noqa: F401 - they register
from bot.store.copies.label import CopyFailed
from bot.store.database import writing
from bot.store.holding import INCOMPLETE, while_held
from bot.store.worker_tables import INBOX, INSTALLATION, LEADER, WORKER

CHUNK = 500
"""How many rows are carried in one transaction."""

_NOT_CARRIED = frozenset({INBOX.name, LEADER.name, WORKER.name})
"""What processes at work have; mail that waits there lies in the mailbox still."""
_UNFIT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Carried:
    """What is in a table: so many rows, and a number that follows from all their values in any order."""

    rows: int
    digest: int


def is_empty(conn: Connection) -> bool:
    """Whether a database holds nothing but what every new one holds."""
    return all(
        conn.execute(select(table).limit(1)).first() is None for table in _plain() if table.name != INSTALLATION.name
    )


def begin(target: Engine, now: str) -> None:
    """Empty a database, and hold it as incomplete until ``complete``."""
    with writing(while_held(target)) as conn:
        conn.execute(update(_table(INSTALLATION.name)).values(held_since=now, held_why=INCOMPLETE))
        for table in reversed(_plain()):
            if table.name != INSTALLATION.name:
                conn.execute(delete(table))


def carry(source: Connection, target: Engine, tell: Callable[[str, int], None]) -> dict[str, Carried]:
    """Carry everything but what the installation is; what was read, by table. CopyFailed if the source has tables that
    this Mentat does not know. ``tell`` is told of each table when it is done."""
    known = {table.name for table in _plain()} | _NOT_CARRIED | {"alembic_version"}
    if strange := set(inspect(source).get_table_names()) - known:
        raise CopyFailed(f"There are tables here that this Mentat does not know: {', '.join(sorted(strange))}.")
    done = {}
    for table in _plain():
        if table.name == INSTALLATION.name:
            continue
        rows = digest = 0
        found = _rows(source, table, target.dialect.name)
        while chunk := list(islice(found, CHUNK)):
            with writing(while_held(target)) as conn:
                conn.execute(insert(table), chunk)
            rows += len(chunk)
            digest = (digest + sum(_digest(table, row) for row in chunk)) % _MODULUS
        done[table.name] = Carried(rows, digest)
        tell(table.name, rows)
    return done


def difference(carried: dict[str, Carried], target: Connection) -> str:
    """The first table in which the target has something else than was carried, "" if there is none."""
    for name, there in contents(target).items():
        if (was := carried[name]) != there:
            return f"{name} has {there.rows} rows, and {was.rows} were carried, or they differ."
    return ""


def contents(conn: Connection) -> dict[str, Carried]:
    """What is in a database, by table; the same in both kinds of database."""
    found = {}
    for table in _plain():
        if table.name != INSTALLATION.name:
            rows = digest = 0
            for row in _rows(conn, table, conn.dialect.name):
                rows += 1
                digest = (digest + _digest(table, row)) % _MODULUS
            found[table.name] = Carried(rows, digest)
    return found


def complete(target: Engine, installation: dict[str, Any]) -> None:
    """Let numbers go on behind the highest, and the database be the installation that was carried, held no longer."""
    with writing(while_held(target)) as conn:
        if target.dialect.name == "postgresql":
            for table in _plain():
                for column in table.primary_key.columns:
                    if len(table.primary_key.columns) == 1 and isinstance(column.type, Integer):
                        _go_on_numbering(conn, table, column)
        there = _table(INSTALLATION.name)
        conn.execute(delete(there))
        conn.execute(insert(there), {**installation, "held_since": None, "held_why": ""})


def installation_of(source: Connection) -> dict[str, Any]:
    """What the installation is, as it stands in its row."""
    return dict(source.execute(select(_table(INSTALLATION.name))).mappings().one())


def _go_on_numbering(conn: Connection, table: Table, column: Column[Any]) -> None:
    """Rows that were inserted with their numbers have not moved the sequence: the next new one would have number 1."""
    sequence = text("SELECT pg_get_serial_sequence(:table, :column)")
    name = conn.execute(sequence, {"table": f'"{table.name}"', "column": column.name}).scalar_one()
    highest = conn.execute(select(func.max(column))).scalar_one()
    if name and highest:
        conn.execute(text("SELECT setval(:name, :highest)"), {"name": name, "highest": highest})


def _plain() -> Sequence[Table]:
    """The tables with the types that the database has, in the order in which they name each other."""
    if not _TABLES:
        plain = MetaData()
        for table in SQLModel.metadata.sorted_tables:
            table.to_metadata(plain)
        for table in plain.sorted_tables:
            for column in table.columns:
                column.type = _as_stored(column.type)
            if table.name not in _NOT_CARRIED:
                _TABLES.append(table)
    return _TABLES


_TABLES: list[Table] = []


def _table(name: str) -> Table:
    return next(table for table in _plain() if table.name == name)


def _as_stored(kind: TypeEngine[Any]) -> TypeEngine[Any]:
    return kind.impl_instance if isinstance(kind, TypeDecorator) else kind


def _rows(conn: Connection, table: Table, for_dialect: str) -> Iterator[dict[str, Any]]:
    """The rows of a table in the order of their keys, as a database of that kind can hold them."""
    ordered = select(table).order_by(*table.primary_key.columns)
    fit = for_dialect == "postgresql"
    for row in conn.execution_options(yield_per=CHUNK).execute(ordered).mappings():
        yield {name: _fit(value) if fit and isinstance(value, str) else value for name, value in row.items()}


def _fit(value: str) -> str:
    return value if value.isascii() and "\0" not in value else _UNFIT.sub("\ufffd", value)


_MODULUS = 1 << 256


def _digest(table: Table, row: dict[str, Any]) -> int:
    """A number that follows from all values of a row."""
    told = hashlib.sha256(table.name.encode())
    for column in table.columns:
        value = row[column.name]
        data = bytes(value) if isinstance(value, bytes | memoryview) else repr(value).encode("utf-8", "surrogatepass")
        told.update(f"{column.name}:{len(data)}:".encode() + data)
    return int.from_bytes(told.digest(), "big")
