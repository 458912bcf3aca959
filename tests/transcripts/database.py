"""What stands in a database, table by table, as pieces of a transcript.

Values that are nothing (empty, nought, none) are left out. So is what other pieces show (letters), what the tests of
the rules look at (events, snapshots), what is drawn by chance when a database is made, and hashes, which any other
event changes.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Engine, Table, select, type_coerce
from sqlmodel import AutoString, SQLModel

from bot.store.database import reading, unpack
from bot.store.rows import is_text
from tests.transcripts.letters import without_hashes
from tests.transcripts.transcript import Piece

SHOWN_ELSEWHERE = frozenset(("event", "form", "installation", "letter", "picture", "record_part", "snapshot"))
HASHES = frozenset(("content", "digest", "raw", "record_head", "record_key", "rules_digest", "salt", "secret"))
_WORDS = 60


def database_pieces(engine: Engine) -> Iterator[Piece]:
    """One piece for each table that is not empty."""
    for name, table in sorted(SQLModel.metadata.tables.items()):
        if name not in SHOWN_ELSEWHERE and (lines := list(_rows(engine, table))):
            yield Piece(f"database: {name}", "\n".join(lines))


def _rows(engine: Engine, table: Table) -> Iterator[str]:
    shown = [
        type_coerce(column, AutoString()).label(column.name) if is_text(column) else column
        for column in table.columns
        if column.name not in HASHES
    ]
    with reading(engine) as conn:
        rows = conn.execute(select(*shown).order_by(*table.primary_key.columns)).all()
    for row in rows:
        yield "  ".join(f"{name}={_value(value)}" for name, value in row._mapping.items() if value)


def _value(value: object) -> str:
    if isinstance(value, bytes):
        plain = unpack(value)
        try:
            return without_hashes(plain.decode())
        except UnicodeDecodeError:
            return "base64:" + base64.b64encode(plain).decode()[:_WORDS]
    if isinstance(value, datetime):
        return value.isoformat(" ", "minutes" if not value.second else "auto")
    return without_hashes(str(value).replace("\n", "\\n"))
