"""The schema of a database, as a number: which one this Mentat makes."""

from __future__ import annotations

from pathlib import Path

MIGRATIONS = Path(__file__).parent / "migrations"


def newest() -> str:
    """The schema that this Mentat makes, like "0011"."""
    return max(file.name.partition("_")[0] for file in (MIGRATIONS / "versions").glob("[0-9]*.py"))
