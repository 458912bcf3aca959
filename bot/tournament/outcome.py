"""How the game of a table stands or has ended, from what everybody at it was told."""

from __future__ import annotations

from datetime import date

from msgspec.structs import replace

from bot.competition.outcomes import TableOutcome
from bot.record.outcome import outcome_of
from bot.store import games
from bot.store.database import Connection


def outcome_now(conn: Connection, game_id: str, today: date) -> TableOutcome:
    """The outcome of a game that ends today, without who held its seats. One that goes on has no winners, and is
    ``void`` so far; its strongholds are those of the end of its last turn."""
    founded, seats = games.founded(conn, game_id), games.seats_of(conn, game_id)
    seen = outcome_of(games.events_of(conn, game_id))
    found = seen.table(
        game_id, founded.ruleset, {faction: seat.dot for faction, seat in seats.items()},
        began=games.head_of(conn, game_id).day, ended=today, letters=sum(seat.letters for seat in seats.values()),
        rules=founded.options,
    )  # fmt: skip
    turn, _ = games.progress(conn, game_id)
    return replace(found, turn=found.turn if found.winners else max(1, turn))
