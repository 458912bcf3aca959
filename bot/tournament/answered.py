"""What became of a line of a mail about a tournament."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Answered:
    """A word for it, what its writer is told, and lines that would be right."""

    status: Literal["done", "refused", "unread"]
    text: str
    suggestions: tuple[str, ...] = ()
