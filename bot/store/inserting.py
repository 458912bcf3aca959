"""New rows: what becomes of those that are there already, which each database is told in its own words, and the
numbers of new ones."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Connection, CursorResult, Table
from sqlalchemy.dialects import postgresql, sqlite

Upsert = postgresql.Insert | sqlite.Insert


def upsert(conn: Connection, table: Table) -> Upsert:
    """``INSERT ... ON CONFLICT``: a statement with ``on_conflict_do_update`` and ``on_conflict_do_nothing``."""
    return _new(conn.dialect.name, table)


def replacing(conn: Connection, table: Table) -> Upsert:
    """A statement that inserts rows, each in the place of the one that has its primary key."""
    return _replacing(conn.dialect.name, table)


def adding(conn: Connection, table: Table, *counted: str) -> Upsert:
    """A statement that inserts rows; where one has the same primary key, what is ``counted`` in both is summed."""
    return _adding(conn.dialect.name, table, counted)


@cache
def _adding(dialect: str, table: Table, counted: tuple[str, ...]) -> Upsert:
    new = _new(dialect, table)
    sums = {name: table.c[name] + new.excluded[name] for name in counted}
    return new.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=sums)


@cache
def _replacing(dialect: str, table: Table) -> Upsert:
    new = _new(dialect, table)
    keys = list(table.primary_key.columns)
    values = {column.name: new.excluded[column.name] for column in table.columns if not column.primary_key}
    return new.on_conflict_do_update(index_elements=keys, set_=values)


def _new(dialect: str, table: Table) -> Upsert:
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


def number_of(made: CursorResult[Any]) -> int:
    """The number that the database gave to the row that a statement has inserted."""
    key = made.inserted_primary_key
    assert key is not None  # one row was inserted, and its table numbers its rows
    return int(key[0])
