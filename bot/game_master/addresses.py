"""By what address a player writes in a game, and to what reply address: changed by the game master."""

from __future__ import annotations

from datetime import datetime

from bot.game_master.observing import has_read_what_is_hidden
from bot.game_master.powers import AT_THE_MACHINE, PowerRefused, Use, using
from bot.game_master.rights import checked
from bot.game_master.seats import seat_of
from bot.game_master.two_seats import require_no_other
from bot.games.open_games import OpenGames
from bot.identity import addresses, reply_address
from rules.components import Faction


def move_seat(
    open_games: OpenGames, game_id: str, faction: Faction, address: str, now: datetime, use: Use = AT_THE_MACHINE
) -> None:
    """Change a player's address in one game: the old one counts there no more, nor does the reply address of the old
    letters, and what is open is sent once more. AddressRefused if it cannot be; PowerRefused if nobody plays the
    faction; UnknownGame if there is no game of that name."""
    with using(open_games, game_id, "address", now, use) as used:
        seat_of(used.table, faction)
        address = checked(open_games, address)
        if has_read_what_is_hidden(used.conn, open_games, used.table, address):
            raise PowerRefused(f"{address} has read what is hidden in {game_id}, and can take no seat of it.")
        old = addresses.move_seat(used.conn, open_games, used.table, faction, address, now)
        require_no_other(used.conn, open_games, used.table, faction, address)
        used.words = f"{faction}: {old} to {address}"


def freeze_seat(
    open_games: OpenGames, game_id: str, faction: Faction, now: datetime, use: Use = AT_THE_MACHINE
) -> bool:
    """Replace a reply address; the player is told by a letter with the new one. Returns whether somebody sat in for
    them, which ends. PowerRefused if nobody plays the faction; UnknownGame if there is no game of that name."""
    with using(open_games, game_id, "freeze", now, use) as used:
        sat_in = bool(seat_of(used.table, faction).sitter)
        used.words = f"{faction}, sitter off" if sat_in else faction
        reply_address.freeze_seat(used.conn, open_games, used.table, faction, now)
        return sat_in
