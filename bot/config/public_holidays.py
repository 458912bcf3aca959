"""The public holidays of countries and their parts, by ISO 3166: "DE", "DE-BY". Which they are, a maintained library
knows; it is loaded only where a clock names a region."""

from __future__ import annotations

from datetime import date
from functools import cache


def is_region(code: str) -> bool:
    """Whether the holidays of a region are known.

    >>> is_region("DE-BY"), is_region("Christmas")
    (True, False)
    """
    try:
        holidays_of(code, 2026)
    except NotImplementedError:
        return False
    return True


@cache
def holidays_of(code: str, year: int) -> frozenset[date]:
    """The days of one year on which a region has a public holiday. NotImplementedError if it is not known."""
    import holidays

    country, _, part = code.partition("-")
    return frozenset(holidays.country_holidays(country, subdiv=part or None, years=year))
