"""The column type of instants: timezone-aware datetimes in UTC, held as ISO text with microseconds that sorts as it is.

It is the text that the tables have always held, so databases of older Mentats are read as they are. Columns that still
are plain text hold the same (``bot.store.tables.stamp``).
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Dialect, String
from sqlalchemy.types import TypeDecorator


def as_text(moment: datetime) -> str:
    """An instant as it is stored. ValueError if it has no zone, and so is none.

    >>> as_text(datetime(2026, 11, 24, 20, 0, tzinfo=UTC))
    '2026-11-24T20:00:00.000000+00:00'
    """
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


class Instant(TypeDecorator[datetime]):
    """A column of instants; NULL is None."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        return None if value is None else as_text(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        return datetime.fromisoformat(value) if value else None
