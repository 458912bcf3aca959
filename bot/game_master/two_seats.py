"""Nobody learns the secrets of two seats of a game, not even one after the other: who was ever sent the letters of one,
as its player or sitting in for them, is given no other."""

from __future__ import annotations

from bot.game_master.powers import PowerRefused
from bot.games.open_games import OpenGames
from bot.identity.persons import are_one, sits_at
from bot.store.database import Connection
from bot.store.mail import readers_of_seats
from bot.table.table import Table
from rules.components import Faction, faction_name


def require_no_other(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, address: str, *, tags_apart: bool = False
) -> None:  # fmt: skip
    """PowerRefused if a person sits in for another seat of a game than this one, or read the letters of another
    before."""
    settings = open_games.settings
    now = sits_at(conn, settings, table.seats.values(), address)
    if now is not None and now.faction != faction:
        raise PowerRefused(
            f"{address} sits in for {faction_name(now.faction)} in {table.id}; nobody may know the secrets of two "
            "seats."
        )
    for reader, seat in readers_of_seats(conn, table.id):
        if seat != faction and are_one(conn, settings, address, reader, tags_apart=tags_apart):
            raise PowerRefused(
                f"{address} was at another seat of {table.id} before; nobody may know the secrets of two seats."
            )
