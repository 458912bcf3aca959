"""The column type of instants: timezone-aware datetimes in UTC, held as ISO text with microseconds that sorts as it is.

It is the text that the tables have always held, so databases of older Mentats are read as they are. Columns that still
are plain text hold the same (``bot.clock.instants.stamp``).
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Dialect, String
from sqlalchemy.types import TypeDecorator

from bot.clock.instants import stamp


class Instant(TypeDecorator[datetime]):
    """A column of instants; NULL is None."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        return None if value is None else stamp(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        return datetime.fromisoformat(value) if value else None
