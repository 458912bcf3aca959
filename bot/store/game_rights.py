"""Who may do what at a game's desk, beside the game master of this Mentat and the organisers of its tournament."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import Connection, bindparam, delete, insert, select
from sqlalchemy.engine import Row

from bot.store.addresses import known_as
from bot.store.desk_tables import GAME_RIGHT

Right = Literal["director", "arbiter", "clerk", "auditor"]
RIGHTS: tuple[Right, ...] = get_args(Right)


@dataclass(frozen=True, slots=True)
class Granted:
    """A right of somebody at one game. ``token`` is what the answers to their letters bring back."""

    game_id: str
    address: str
    right: Right
    token: str
    since: datetime


def grant(conn: Connection, granted: Granted) -> None:
    """Give somebody a right, in the place of another that they had."""
    revoke(conn, granted.game_id, granted.address)
    row = {
        "game_id": granted.game_id, "address": granted.address, "right": granted.right, "token": granted.token,
        "since": granted.since,
    }  # fmt: skip
    conn.execute(insert(GAME_RIGHT), row)


def revoke(conn: Connection, game_id: str, address: str) -> bool:
    """Somebody has no right at a game any more; whether they had one."""
    this = (GAME_RIGHT.c.game_id == game_id, GAME_RIGHT.c.address == address)
    return bool(conn.execute(delete(GAME_RIGHT).where(*this)).rowcount)


def of_game(conn: Connection, game_id: str) -> list[Granted]:
    """All who have one, the longest first."""
    found = select(GAME_RIGHT).where(GAME_RIGHT.c.game_id == game_id)
    return [_granted(row) for row in conn.execute(found.order_by(GAME_RIGHT.c.since, GAME_RIGHT.c.address))]


def of_person(conn: Connection, game_id: str, address: str) -> Granted | None:
    """The right of the person with this address at a game, if any."""
    known = known_as(conn, address)
    found = select(GAME_RIGHT).where(GAME_RIGHT.c.game_id == game_id, GAME_RIGHT.c.address.in_(known)).limit(1)
    row = conn.execute(found).one_or_none()
    return None if row is None else _granted(row)


def by_token(conn: Connection, token: str) -> Granted | None:
    """Whose right a token is for."""
    row = conn.execute(_BY_TOKEN, {"of": token}).one_or_none()
    return None if row is None else _granted(row)


_BY_TOKEN = select(GAME_RIGHT).where(GAME_RIGHT.c.token == bindparam("of"))


def _granted(row: Row[Any]) -> Granted:
    return Granted(row.game_id, row.address, row.right, row.token, row.since)
