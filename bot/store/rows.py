"""Values and their tables: each kind of value is declared once, as a frozen dataclass, and its table is derived from
it.

``table_of`` makes a table with a column for each field. The column's type follows from the annotation::

    @dataclass(frozen=True, slots=True)
    class Note:
        about: str
        words: str
        at: datetime
        number: int = 0

    NOTE = table_of("note", Note, key="id", index="game_id", refers="game_id", game_id=str)

``add_value`` inserts a value, and ``load`` and ``load_all`` return values that were inserted. They match columns and
fields by name, so no code has to copy field by field. The keyword arguments of ``table_of`` declare additional columns,
and ``add_value`` takes their values under the same names. The conditions of ``load`` are column values, or
expressions::

    add_value(conn, note, game_id="sietch-12")
    load_all(conn, Note, NOTE.c.at < now, game_id="sietch-12")

A table with the key ``id`` numbers its rows. A value has that number in its field ``id`` or ``number``, which is 0
before the value is stored. ``None`` is stored as an empty string in columns of instants (``InstantOrEmpty``), and as
NULL in other columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Insert,
    Integer,
    LargeBinary,
    MetaData,
    Select,
    String,
    Table,
    bindparam,
    func,
    insert,
    literal_column,
    select,
)
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeDecorator, TypeEngine

from bot.store.database import Day, Instant, InstantOrEmpty, inserted_number

V = TypeVar("V")

METADATA = MetaData()
"""The tables of the modules that have been loaded. ``bot.store.games.every_table`` loads all of them."""


class AsText(TypeDecorator[Any]):
    """A column whose values are stored as text. A value that is already a string is stored unchanged."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return value if value is None or isinstance(value, str) else self.written(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return self.read(value or "")

    def written(self, value: Any) -> str:
        raise NotImplementedError

    def read(self, text: str) -> Any:
        raise NotImplementedError


class Texts(AsText):
    cache_ok = True

    def written(self, value: Sequence[str]) -> str:
        return json.dumps(value)

    def read(self, text: str) -> Sequence[str]:
        return list(json.loads(text))


class Lines(AsText):
    cache_ok = True

    def written(self, value: tuple[str, ...]) -> str:
        return "\n".join(value)

    def read(self, text: str) -> tuple[str, ...]:
        return tuple(text.split("\n"))


class Names(AsText):
    cache_ok = True

    def written(self, value: tuple[str, ...]) -> str:
        return ",".join(value)

    def read(self, text: str) -> tuple[str, ...]:
        return tuple(text.split(",")) if text else ()


_TYPES: dict[Any, type[TypeEngine[Any]]] = {
    str: String,
    int: Integer,
    bool: Boolean,
    float: Float,
    bytes: LargeBinary,
    datetime: Instant,
    date: Day,
    tuple[str, ...]: Names,
    Sequence[str]: Texts,
}


@dataclass(frozen=True, slots=True)
class _Kept:
    """The storage of a class of values: their table, its columns in the order of the fields, the names of the columns
    to insert, and a function that makes the fields from the columns. ``numbered`` is true if the table numbers its
    rows."""

    table: Table
    columns: tuple[Column[Any], ...]
    inserted: tuple[str, ...]
    of_value: Callable[[Any], Any]
    selected: Select[Any]
    insert: Insert
    numbered: bool


_KEPT: dict[type, _Kept] = {}


def table_of(
    name: str,
    value: type,
    /,
    *parts: SchemaItem,
    key: str,
    index: str = "",
    unique: str = "",
    refers: str = "",
    **others: Any,
) -> Table:
    """Declare the table of a class of values. ``key``, ``index``, ``unique`` and ``refers`` are names of columns.
    ``refers`` declares foreign keys: ``game_id`` refers to a game's id. ``parts`` are constraints, indexes over several
    columns, and columns that cannot be derived from their field. If the names of such a column and its field differ,
    the column's ``info`` gives the name of the ``field``."""
    own = {part.name: part for part in parts if isinstance(part, Column)}
    kinds = get_type_hints(value)
    named = {field.name: field.name for field in fields(value)}
    if key == "id" and "id" not in named and "number" in named:
        named["number"] = "id"
    named |= {part.info["field"]: column for column, part in own.items() if part.info}
    by_field = {column: kinds[field] for field, column in named.items()}
    wanted = {**dict.fromkeys((*key.split(), *own), int), **others, **by_field}
    made = Table(
        name,
        METADATA,
        *(own[column] if column in own else _column(column, kind, key, refers) for column, kind in wanted.items()),
        *(part for part in parts if not isinstance(part, Column)),
        *(Index(f"ix_{name}_{column}", column) for column in index.split()),
        *(Index(f"ix_{name}_{column}", column, unique=True) for column in unique.split()),
    )
    _keep(made, value, named)
    return made


def _keep(made: Table, value: type, named: Mapping[str, str]) -> None:
    numbered = made.primary_key.columns.keys() == ["id"] and isinstance(made.c.id.type, Integer)
    inserted = {field: column for field, column in named.items() if not (numbered and column == "id")}
    columns = tuple(made.c[column] for column in named.values())
    ordered = select(*columns).order_by(*made.primary_key.columns)
    of_value = attrgetter(*inserted)
    _KEPT[value] = _Kept(made, columns, tuple(inserted.values()), of_value, ordered, insert(made), numbered)


def _column(name: str, kind: Any, key: str, refers: str) -> Column[Any]:
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    plain = next(str if get_origin(each) is Literal else each for each in kinds if each is not NoneType)
    may_lack = NoneType in kinds
    type_ = InstantOrEmpty if may_lack and plain is datetime else _TYPES[plain]
    to = [ForeignKey(f"{name.removesuffix('_id')}.id")] if name in refers.split() else []
    return Column(name, type_, *to, primary_key=name in key.split(), nullable=may_lack and type_ is not InstantOrEmpty)


def is_text(column: Column[Any]) -> bool:
    """Return True if a column stores text that may contain people's words, whatever type its values have in the
    code."""
    kind = column.type
    return isinstance(getattr(kind, "impl_instance", kind), String) and not isinstance(kind, Instant | Day)


def columns_of(kind: type) -> tuple[Column[Any], ...]:
    return _KEPT[kind].columns


def row_of(value: object, /, **others: Any) -> dict[str, Any]:
    """Return a value as a row: its columns by name, without the number that the table will assign."""
    kept = _KEPT[type(value)]
    return {**dict(zip(kept.inserted, kept.of_value(value), strict=True)), **others}


def add_value(conn: Connection, value: object, /, **others: Any) -> int:
    """Insert a value; ``others`` are the values of the additional columns. Return its number, or 0 if the table does
    not number its rows."""
    kept = _KEPT[type(value)]
    made = conn.execute(kept.insert, row_of(value, **others))
    return inserted_number(made) if kept.numbered else 0


def add_values(conn: Connection, values: Iterable[object], /, **others: Any) -> None:
    if there := list(values):
        conn.execute(_KEPT[type(there[0])].insert, [row_of(value, **others) for value in there])


def load(conn: Connection, kind: type[V], /, *where: ColumnElement[bool], **equal: Any) -> V | None:
    """Return the value that meets the conditions, or None. If several do, return the first by key."""
    made: Callable[..., V] = kind
    row = conn.execute(_found(kind, where, equal), equal).first()
    return None if row is None else made(*row)


def load_all(conn: Connection, kind: type[V], /, *where: ColumnElement[bool], **equal: Any) -> list[V]:
    return fetch(conn, kind, _found(kind, where, equal), equal)


def _found(kind: type, where: tuple[ColumnElement[bool], ...], equal: Mapping[str, Any]) -> Select[Any]:
    found = _equal(kind, tuple(equal))
    return found.where(*where) if where else found


def query(kind: type, *where: ColumnElement[bool]) -> Select[Any]:
    return _KEPT[kind].selected.where(*where)


def fetch(conn: Connection, kind: type[V], found: Select[Any], given: Mapping[str, Any] | None = None) -> list[V]:
    made: Callable[..., V] = kind
    return [made(*row) for row in conn.execute(found, given)]


@cache
def _equal(kind: type, names: tuple[str, ...]) -> Select[Any]:
    """Return the statement for these conditions. It is built only once, because building it takes four times as long as
    running it."""
    kept = _KEPT[kind]
    return kept.selected.where(*(kept.table.c[name] == bindparam(name) for name in names))


def count_rows(conn: Connection, *where: ColumnElement[bool]) -> int:
    return int(conn.execute(select(func.count()).where(*where)).scalar_one())


def any_row(conn: Connection, *where: ColumnElement[bool]) -> bool:
    return conn.execute(_ANY.where(*where)).first() is not None


_ANY: Select[Any] = select(literal_column("1")).limit(1)
