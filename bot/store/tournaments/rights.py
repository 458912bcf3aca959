"""Who may do what in a tournament."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.engine import Row

from bot.store.addresses import known_as
from bot.store.tournament_tables import RIGHT

Right = Literal["director", "arbiter", "clerk", "auditor", "deputy"]


@dataclass(frozen=True, slots=True)
class Granted:
    """A right of somebody. ``token`` is what the answers to their letters bring back."""

    tournament_id: str
    address: str
    right: Right
    token: str
    since: datetime


def grant(conn: Connection, granted: Granted) -> None:
    """Give somebody a right, in the place of another that they had."""
    revoke(conn, granted.tournament_id, granted.address)
    row = {
        "tournament_id": granted.tournament_id, "address": granted.address, "right": granted.right,
        "token": granted.token, "since": granted.since,
    }  # fmt: skip
    conn.execute(insert(RIGHT), row)


def revoke(conn: Connection, tournament_id: str, address: str) -> None:
    """Somebody has no right any more."""
    conn.execute(delete(RIGHT).where(RIGHT.c.tournament_id == tournament_id, RIGHT.c.address == address))


def of_tournament(conn: Connection, tournament_id: str) -> list[Granted]:
    """All who have one, the longest first."""
    found = select(RIGHT).where(RIGHT.c.tournament_id == tournament_id).order_by(RIGHT.c.since, RIGHT.c.address)
    return [_granted(row) for row in conn.execute(found)]


def of_person(conn: Connection, tournament_id: str, address: str) -> Granted | None:
    """The right of the person with this address, if any."""
    known = known_as(conn, address)
    found = select(RIGHT).where(RIGHT.c.tournament_id == tournament_id, RIGHT.c.address.in_(known)).limit(1)
    row = conn.execute(found).one_or_none()
    return None if row is None else _granted(row)


def by_token(conn: Connection, token: str) -> Granted | None:
    """Whose right a token is for."""
    row = conn.execute(select(RIGHT).where(RIGHT.c.token == token)).one_or_none()
    return None if row is None else _granted(row)


def _granted(row: Row[Any]) -> Granted:
    return Granted(row.tournament_id, row.address, row.right, row.token, row.since)
