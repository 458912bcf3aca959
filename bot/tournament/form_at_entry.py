"""What is known of a player when they enter, and is kept as it was then: rating and reliability, as texts, "" where
nothing is known."""

from __future__ import annotations

from bot.store.database import Connection


def form_at_entry(conn: Connection, address: str) -> tuple[str, str]:
    """The rating and the reliability of whoever has this address."""
    return "", ""
