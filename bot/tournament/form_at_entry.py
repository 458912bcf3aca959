"""What is known of a player when they enter, and is kept as it was then: rating and reliability, as texts."""

from __future__ import annotations

from bot.competition.statistics.reliability import shown
from bot.store import duties, ratings
from bot.store.database import Connection


def form_at_entry(conn: Connection, address: str) -> tuple[str, str]:
    """The rating of whoever has this address, with six decimals, "" for who has none; and their reliability, with
    four."""
    rated = ratings.of_person(conn, address)
    rating = f"{rated.rating:.6f}" if rated.games else ""
    had = duties.of_person(conn, address)
    return rating, shown(had.on_time, had.duties)
