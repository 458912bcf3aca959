"""Tournaments with results in a database, for tests of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.store import tournament_rounds, tournaments
from bot.store.database import Connection
from bot.store.tournament_rounds import Result
from bot.store.tournaments import Entrant, Tournament
from tests.competition.a_table import a_table

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
HANDLES = ("E001", "E002", "E003", "E004", "E005", "E006")


def make(
    conn: Connection, name: str, *, rated: bool = True, people: Sequence[str] = "abcdefg", settings: str = ""
) -> None:
    """Create a tournament with these people, each given as a letter or as an address, and with more ``settings``."""
    text = f'title = "{name}"\nrated = {str(rated).lower()}\n{settings}'
    tournaments.create_tournament(conn, Tournament(name, name, text, "", "running", "", "", "", f"t-{name}", NOW))
    for number, letter in enumerate(people, 1):
        address = letter if "@" in letter else f"{letter}@example.org"
        named: Any = {"name": letter.upper(), "shown": letter != "b"}
        handle, token = tournaments.handle(number), f"{name}-{number}"
        tournaments.add_entrant(conn, Entrant(name, number, handle, address, token, NOW, **named))


def write(conn: Connection, name: str, number: int, winners: Sequence[str], **more: Any) -> Result:
    """Store the result of a table in the first round."""
    players, ended = more.pop("players", HANDLES), more.pop("ended", None)
    outcome = a_table(winners, players, game=f"{name}-{number}", round=1, table=number, ended=ended, **more)
    at = NOW + timedelta(days=number)
    before = tournament_rounds.newest_results(conn, name).get((1, number))
    if before:
        tournament_rounds.set_result_state(conn, before, "amended")
    return tournament_rounds.add_result(conn, Result(name, outcome, "provisional", "", "", at))
