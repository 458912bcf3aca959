"""What the commands of forums answer to programs."""

from __future__ import annotations

from datetime import datetime


def iso(when: datetime | None) -> str | None:
    """An instant for programs."""
    return when.isoformat() if when else None
