"""The command by which a seat is given to somebody else, as the game master is told it with a player who is silent, who
gives up, or whom no mail reaches. At a table of a tournament a standby takes the seat, by the tournament's command."""

from __future__ import annotations

from bot.store.between_tables import place_of
from bot.store.database import Connection
from bot.wording.sentences import say
from rules.components import Faction


def another_player(conn: Connection, game_id: str, faction: Faction) -> str:
    """The sentence with the command for this seat."""
    place = place_of(conn, game_id)
    if place is None:
        return say("substitute.command", game=game_id, faction=faction)
    table = f"{place.round}.{place.table}"
    return say("substitute.command-in-tournament", tournament=place.tournament, table=table, faction=faction)
