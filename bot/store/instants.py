"""The column types of instants: aware datetimes in UTC, held as ISO text with microseconds that sorts as it is.

It is the text that the tables have always held, so databases of older Mentats are read as they are. What stands for no
instant is NULL in the columns of ``Instant`` and an empty text in those of ``InstantOrEmpty``; in the code it is None.
"""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import Dialect, String
from sqlalchemy.types import TypeDecorator

from bot.clock.instants import stamp

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
