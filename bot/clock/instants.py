"""Instants as text, as the tables hold them and notices are named: in UTC, so that they sort in their order."""

from __future__ import annotations

from datetime import UTC, datetime


def stamp(moment: datetime) -> str:
    """An instant as text. ValueError if it has no zone, and so is none.

    >>> stamp(datetime(2026, 11, 24, 20, 0, tzinfo=UTC))
    '2026-11-24T20:00:00.000000+00:00'
    """
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
