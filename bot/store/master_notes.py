"""Private notes of game masters: on a game, a seat or a person. They are in no export, and go with the person."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from bot.store.desk_tables import MASTER_NOTE


@dataclass(frozen=True, slots=True)
class Note:
    """A note. ``about`` is "" for the whole game, a faction, or an address; ``successor``: whoever the game is handed
    over to may read it; ``number`` names it, 0 before it is kept."""

    game_id: str
    about: str
    words: str
    who: str
    at: datetime
    successor: bool = False
    number: int = 0


def keep(conn: Connection, note: Note) -> int:
    """Keep a note; its number."""
    row = {
        "game_id": note.game_id, "about": note.about, "words": note.words, "who": note.who, "at": note.at,
        "successor": note.successor,
    }  # fmt: skip
    return int(conn.execute(insert(MASTER_NOTE).values(row).returning(MASTER_NOTE.c.id)).scalar_one())


def of_game(conn: Connection, game_id: str) -> list[Note]:
    """The notes on a game, the oldest first."""
    found = select(MASTER_NOTE).where(MASTER_NOTE.c.game_id == game_id).order_by(MASTER_NOTE.c.id)
    return [
        Note(row.game_id, row.about, row.words, row.who, row.at, row.successor, row.id) for row in conn.execute(found)
    ]


def forget(conn: Connection, game_id: str, number: int) -> bool:
    """Delete a note; whether there was one."""
    this = (MASTER_NOTE.c.game_id == game_id, MASTER_NOTE.c.id == number)
    return bool(conn.execute(delete(MASTER_NOTE).where(*this)).rowcount)


def forget_games(conn: Connection, game_ids: Collection[str]) -> None:
    """Delete all notes on these games."""
    conn.execute(delete(MASTER_NOTE).where(MASTER_NOTE.c.game_id.in_(game_ids)))


def forget_seat(conn: Connection, game_id: str, faction: str, until: datetime | None = None) -> None:
    """Delete the notes on a seat of a game, those that were written until an instant, or all."""
    of_seat = delete(MASTER_NOTE).where(MASTER_NOTE.c.game_id == game_id, MASTER_NOTE.c.about == faction)
    conn.execute(of_seat.where(MASTER_NOTE.c.at <= until) if until else of_seat)


def forget_about(conn: Connection, addresses: Collection[str]) -> int:
    """Delete all notes about a person; how many there were."""
    return conn.execute(delete(MASTER_NOTE).where(MASTER_NOTE.c.about.in_(addresses))).rowcount
