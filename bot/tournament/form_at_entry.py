"""What is known of a player when they enter, and is kept as it was then: rating and reliability, as texts, "" where
nothing is known."""

from __future__ import annotations

from bot.competition.ratings_published import written
from bot.competition.statistics.reliability import shown
from bot.store import duties, ratings
from bot.store.database import Connection


def form_at_entry(conn: Connection, address: str) -> tuple[str, str]:
    """The rating (six decimals) and the reliability (four) of whoever has this address."""
    rated, had = ratings.of_person(conn, address), duties.of_person(conn, address)
    rating = written(rated.rating) if rated.games else ""
    return rating, shown(had.on_time, had.duties) if had.duties else ""
