"""Letters to observers who read late: kept as they were written, until the turn has ended at which they go out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select

from bot.store.desk_tables import WITHHELD


@dataclass(frozen=True, slots=True)
class Withheld:
    """A letter that waits. It goes out when ``due_turn`` has ended. ``covers`` is the turn that it sums up, 0 for other
    letters; ``events`` is how many had happened when it was written."""

    game_id: str
    token: str
    covers: int
    due_turn: int
    events: int
    subject: str
    text: str
    html: str
    picture: bytes | None = None
    id: int = 0


def keep(conn: Connection, letter: Withheld) -> None:
    """Keep a letter until it is due."""
    names = ("game_id", "token", "covers", "due_turn", "events", "subject", "text", "html", "picture")
    conn.execute(insert(WITHHELD), {name: getattr(letter, name) for name in names})


def take(conn: Connection, token: str, ended: int | None) -> list[Withheld]:
    """What is due to an observer when so many turns have ended, in order; it is kept no more. None: all of it."""
    due = () if ended is None else (WITHHELD.c.due_turn <= ended,)
    rows = conn.execute(select(WITHHELD).where(WITHHELD.c.token == token, *due).order_by(WITHHELD.c.id)).all()
    conn.execute(delete(WITHHELD).where(WITHHELD.c.id.in_([row.id for row in rows])))
    names = ("game_id", "token", "covers", "due_turn", "events", "subject", "text", "html", "picture", "id")
    return [Withheld(*(getattr(row, name) for name in names)) for row in rows]


def first_covered(conn: Connection, token: str) -> int | None:
    """The first turn whose summary still waits; None if none does."""
    found = select(func.min(WITHHELD.c.covers)).where(WITHHELD.c.token == token, WITHHELD.c.covers > 0)
    first: int | None = conn.execute(found).scalar_one()
    return first


def cut(conn: Connection, token: str, events: int) -> int | None:
    """Drop what was written to an observer after so many events; the first turn that was summed up in it, None if none
    was."""
    dropped = (WITHHELD.c.token == token, WITHHELD.c.events > events)
    found = select(func.min(WITHHELD.c.covers)).where(*dropped, WITHHELD.c.covers > 0)
    first: int | None = conn.execute(found).scalar_one()
    conn.execute(delete(WITHHELD).where(*dropped))
    return first


def drop(conn: Connection, tokens: Collection[str]) -> None:
    """Drop all that waits for these observers."""
    conn.execute(delete(WITHHELD).where(WITHHELD.c.token.in_(tokens)))
