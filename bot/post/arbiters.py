"""Who at the desk hears of a game and judges between its players: nobody who plays at their table, or at another of its
tournament."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.post.letter_writer import LetterWriter
from bot.store import addresses, between_tables, game_rights
from bot.store.database import Connection
from bot.store.tournaments import rights as tournament_rights
from bot.store.tournaments import rounds
from bot.table.table import Table
from bot.wording.sentences import say
from rules.components import Faction

DIRECTORS = ("director", "deputy")
JUDGES = (*DIRECTORS, "arbiter")
ANY = (*JUDGES, "clerk", "auditor")


@dataclass(frozen=True, slots=True)
class AtTheDesk:
    """Somebody at the desk of a game. ``token`` is what their answers bring back, "" for none."""

    address: str
    token: str = ""


@dataclass(frozen=True, slots=True)
class FromSeat:
    """What a seat says or wants, as it is written to the desk. ``cause`` tells its letters from all others."""

    by: Faction
    subject: str
    told: str
    cause: str


def arbiters(conn: Connection, writer: LetterWriter, table: Table) -> list[str]:
    """The addresses of the game master, of the arbiters of the game, and of those of its tournament."""
    return [each.address for each in _at_the_desk(conn, writer, table, JUDGES)]


def directors(conn: Connection, writer: LetterWriter, table: Table) -> list[AtTheDesk]:
    """The game master, the directors of the game, and those of its tournament, each person once."""
    return _at_the_desk(conn, writer, table, DIRECTORS)


def tell_directors(conn: Connection, writer: LetterWriter, table: Table, said: FromSeat, now: datetime) -> bool:
    """Write to all who direct a game what one of its seats says or wants; their answers are commands to its desk.
    False if nobody does who has no seat in it, and nothing was written."""
    found = directors(conn, writer, table)
    _tell(conn, writer, table, found, said, now)
    return bool(found)


def tell_asker(
    conn: Connection, writer: LetterWriter, table: Table, asker: str, said: FromSeat, now: datetime
) -> bool:  # fmt: skip
    """Write to whoever at the desk asked a seat something; to all who direct the game if they have no right there any
    more."""
    found = [each for each in _at_the_desk(conn, writer, table, ANY) if each.address == asker.lower()]
    found = found or directors(conn, writer, table)
    _tell(conn, writer, table, found, said, now)
    return bool(found)


def _tell(
    conn: Connection, writer: LetterWriter, table: Table, to: Sequence[AtTheDesk], said: FromSeat, now: datetime
) -> None:  # fmt: skip
    for each in to:
        how = [say("asks.how", game=table.id, by=said.by)] if each.token else []
        cause = f"{said.cause}.{each.address}"
        writer.tell(conn, now, each.address, said.subject, [said.told, *how], cause, each.token)


def _at_the_desk(
    conn: Connection, writer: LetterWriter, table: Table, rights: Collection[str]
) -> list[AtTheDesk]:  # fmt: skip
    def reads(right: str, address: str) -> bool:
        return right in rights and (right == "clerk" or not between_tables.waits_for(conn, table.id, address))

    of_game = game_rights.of_game(conn, table.id)
    found = [AtTheDesk(each.address, each.token) for each in of_game if reads(each.right, each.address)]
    found.append(AtTheDesk(writer.settings.mentat.game_master))
    if seated := rounds.table_of_game(conn, table.id):
        organisers = tournament_rights.of_tournament(conn, seated.tournament_id)
        found += [AtTheDesk(each.address) for each in organisers if reads(each.right, each.address)]
    at_the_table = [address for seat in table.seats.values() for address in (seat.address, seat.sitter) if address]
    apart = writer.settings.identity.tags_apart
    seen = {mark for address in at_the_table for mark in addresses.identifiers(conn, address, tags_apart=apart)}
    kept: list[AtTheDesk] = []
    for each in sorted(found, key=lambda each: each.address != writer.settings.mentat.game_master):
        own = addresses.identifiers(conn, each.address, tags_apart=apart)
        if seen.isdisjoint(own):
            kept.append(each)
            seen |= own
    return kept
