"""The reply address of a seat is replaced: another person takes the seat, or the old one may have leaked.

The token in it follows from the seat and a generation (``bot.mail.identity``); the next generation makes all older ones
worthless. Which seat an old one was for is remembered, so that its owner can be told when somebody tries it.
"""

from __future__ import annotations

from datetime import datetime

from bot.config import Settings
from bot.games.open_games import OpenGames
from bot.identity.sitting import say_goodbye, stand_up
from bot.mail.identity import bounce_token, reply_token
from bot.post.answered import Answered
from bot.store import addresses
from bot.store.database import Connection
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction


def renew(conn: Connection, settings: Settings, table: Table, faction: Faction) -> None:
    """Give a seat a new reply token; the old one counts no more from this moment."""
    seat = table.seats[faction]
    addresses.end_token(conn, seat.token, table.id, faction)
    stand_up(conn, table, faction)
    seat.generation += 1
    secret = settings.secrets.secret.get_secret_value().encode()
    seat.token = reply_token(secret, table.id, faction, seat.generation)
    seat.bounce_token = bounce_token(secret, table.id, faction, seat.generation)
    table.touched.add(faction)


def freeze(conn: Connection, open_games: OpenGames, table: Table, faction: Faction, now: datetime) -> Answered:
    """A player says that somebody else has written for them, or fears it. If somebody sat in for them, that ends."""
    sat_in = bool(table.seats[faction].sitter)
    _freeze(conn, open_games, table, faction, now)
    told = say("freeze.game-master", faction=faction, sat_in=sat_in)
    done = [say("freeze.done"), *([say("sitter.over")] if sat_in else [])]
    return Answered("done", " ".join(done), for_game_master=told)


def freeze_seat(conn: Connection, open_games: OpenGames, table: Table, faction: Faction, now: datetime) -> None:
    """Replace a reply address; the player is told by a letter with the new one, and that nobody sits in any more."""
    sat_in = bool(table.seats[faction].sitter)
    _freeze(conn, open_games, table, faction, now)
    told = [say("freeze.notice"), *([say("sitter.over")] if sat_in else [])]
    open_games.writer.notify(conn, table, faction, now, say("freeze.subject"), told)


def _freeze(conn: Connection, open_games: OpenGames, table: Table, faction: Faction, now: datetime) -> None:
    say_goodbye(conn, open_games, table, faction, now)
    renew(conn, open_games.settings, table, faction)
    addresses.forget_asked(conn, table.seats[faction].address)
