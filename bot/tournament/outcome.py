"""How the game of a table stands or has ended, from what everybody at it was told."""

from __future__ import annotations

from msgspec.structs import replace

from bot.competition.outcomes import TableOutcome
from bot.record.outcome import outcome_of
from bot.store import archived, games
from bot.store.database import Connection


def finished_outcome(conn: Connection, game_id: str) -> TableOutcome:
    """The outcome of a game, without who held the seats. One that goes on has no winners, and is ``void`` so far. Its
    strongholds are those of the end of the last turn."""
    founded, seats = games.founded(conn, game_id), games.seats_of(conn, game_id)
    turn, over = games.progress(conn, game_id)
    told = outcome_of(games.events_of(conn, game_id))
    began, last = archived.days(conn, game_id)
    outcome = told.table(
        game_id, founded.ruleset, {faction: seat.dot for faction, seat in seats.items()}, began=began,
        ended=last if over else None, rules=founded.options,
    )  # fmt: skip
    return outcome if outcome.winners else replace(outcome, turn=turn)
