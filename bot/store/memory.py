"""What Mentat remembers of the last mail of each seat: what it proposed, and what it carried out.

``person`` tells who wrote the mail: a sitter confirms what the sitter was told, the player what the player was told.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Column, Connection, delete

from bot.store.rows import Texts, add_value, load, table_of
from rules.components import Faction

Person = Literal["player", "sitter"]


@dataclass(frozen=True, slots=True)
class LastMail:
    """``options`` are the mails that its answer proposed, of which one may be confirmed while the player's view is
    still ``seen``. ``done`` are the orders that it had carried out. It counts for one ``generation`` of the seat."""

    game_id: str
    faction: Faction
    person: Person
    generation: int
    turn: int
    options: Sequence[str]
    seen: str
    done: Sequence[str]
    at: datetime


LAST_MAIL = table_of(
    "last_mail",
    LastMail,
    Column("options", Texts, nullable=False),
    Column("done", Texts, nullable=False),
    key="game_id faction person",
    refers="game_id",
)


def remember(conn: Connection, mail: LastMail) -> None:
    """Remember a mail instead of the one before. What was proposed to the other person of the seat waits no longer."""
    forget(conn, mail.game_id, [mail.faction])
    add_value(conn, mail)


def last_mail(conn: Connection, game_id: str, faction: Faction, person: Person) -> LastMail | None:
    return load(conn, LastMail, game_id=game_id, faction=faction, person=person)


def forget(conn: Connection, game_id: str, factions: Collection[Faction]) -> None:
    conn.execute(delete(LAST_MAIL).where(LAST_MAIL.c.game_id == game_id, LAST_MAIL.c.faction.in_(factions)))
