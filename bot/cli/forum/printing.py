"""What the commands of forums print."""

from __future__ import annotations

from datetime import datetime

from bot.cli.session import console


def print_line(line: str) -> None:
    """Print a line as it is, however long."""
    console.print(line, highlight=False, markup=False, soft_wrap=True)


def iso(when: datetime | None) -> str | None:
    """An instant for programs."""
    return when.isoformat() if when else None
