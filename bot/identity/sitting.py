"""Sitters: for some days somebody else sits in for a player, with a reply address of their own.

They may order for the seat and get a copy of every letter; so does its player, who can write at any time and end it
(``sitter off``). What is about the player themself (addresses, absences, resigning) is not a sitter's. It ends when its
time is over, and with every new reply address of the seat.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.config import Settings
from bot.games.open_games import OpenGames
from bot.mail.identity import bounce_token_of, confirmation_code
from bot.orders.commands import AskForSitter, MailCommand, SitterOff
from bot.post.answered import Answered
from bot.store import addresses, games, named_seats
from bot.store.database import Connection
from bot.store.persons import SeatName
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction


def sit_down(
    settings: Settings, table: Table, faction: Faction, address: str, name: str, until: datetime
) -> None:  # fmt: skip
    """Let somebody sit in at a seat until an instant; their reply token is made for this time alone."""
    seat = table.seats[faction]
    seat.sittings += 1
    secret = settings.secrets.secret.get_secret_value().encode()
    seat.sitter, seat.sitter_name, seat.sitter_until = address, name, until
    seat.sitter_token = confirmation_code(secret, "sitter", table.id, faction, str(seat.sittings))
    table.touched.add(faction)


def stand_up(conn: Connection, table: Table, faction: Faction) -> None:
    """Nobody sits in at a seat any more; the reply token of whoever did counts no more."""
    seat = table.seats[faction]
    if seat.sitter:
        addresses.end_token(conn, seat.sitter_token, table.id, faction)
    seat.sitter = seat.sitter_name = seat.sitter_token = ""
    seat.sitter_until = None
    table.touched.add(faction)


def say_goodbye(conn: Connection, open_games: OpenGames, table: Table, faction: Faction, now: datetime) -> None:
    """End the time of a sitter, and tell them so."""
    if table.seats[faction].sitter:
        told = [say("sitter.left", game=table.id, faction=faction)]
        open_games.writer.tell_sitter(conn, table, faction, now, say("sitter.left-subject"), told)
    stand_up(conn, table, faction)


def lost(
    conn: Connection, open_games: OpenGames, came_to: Collection[str], report: str, now: datetime
) -> SeatName | None:
    """A letter to a sitter came back for good to these bounce tokens: nobody sits in any more, and the player and the
    game master are told. The seat, if it was one of theirs."""
    found = [(name, token) for name, token in named_seats.sitter_tokens(conn) if bounce_token_of(token) in came_to]
    for (game_id, faction), token in found[:1]:
        table = open_games.table(conn, game_id)
        address = table.seats[faction].sitter
        stand_up(conn, table, faction)
        told, subject = [say("sitter.lost", address=address)], say("sitter.over-subject")
        open_games.writer.notify(conn, table, faction, now, subject, told)
        for_game_master = [
            say("sitter.lost-game-master", game=game_id, faction=faction, address=address, report=report)
        ]
        open_games.writer.tell_game_master(conn, now, say("sitter.lost-subject", game=game_id), for_game_master, token)
        games.close(conn, table)
        return game_id, faction
    return None


def answer_about_sitter(
    conn: Connection, open_games: OpenGames, table: Table, faction: Faction, command: MailCommand, now: datetime, *,
    sits: bool,
) -> Answered | None:  # fmt: skip
    """Carry out ``sitter off``, or pass on whom a player asks for; None for every other command. ``sits``: the sitter
    wrote it."""
    if isinstance(command, AskForSitter):
        return _asked_for(table, faction, command, now)
    if not isinstance(command, SitterOff):
        return None
    if not table.seats[faction].sitter:
        return Answered("refused", say("sitter.nobody"))
    say_goodbye(conn, open_games, table, faction, now)
    return Answered("done", say("sitter.off-by-sitter" if sits else "sitter.off"))


def _asked_for(table: Table, faction: Faction, asked: AskForSitter, now: datetime) -> Answered:
    """A player asks that somebody sits in for them. Whether they can is said to the game master alone, when they agree:
    an answer here would tell who plays or watches."""
    seat = table.seats[faction]
    until = f"{asked.until:%Y-%m-%d}"
    if asked.until < now.astimezone(ZoneInfo(seat.timezone)).date():
        return Answered("refused", say("sitter.past", until=until))
    told = say("sitter.asked-game-master", game=table.id, faction=faction, address=asked.address, until=until)
    return Answered("done", say("sitter.asked", address=asked.address, until=until), for_game_master=told)
