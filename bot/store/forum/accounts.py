"""Which accounts of a forum post for which seats, and the codes by which players show that an account is theirs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

from bot.store.forum.rows import values
from bot.store.forum_tables import (
    FORUM_CODE,
    FORUM_LINK,
    FORUM_THREAD,
)
from rules.components import Faction, as_faction


@dataclass(frozen=True, slots=True)
class Link:
    """Which account of the forum a seat posts with, and of which generation its reply address was then."""

    game_id: str
    faction: Faction
    forum: str
    account: str
    author: str
    generation: int
    since: datetime


@dataclass(frozen=True, slots=True)
class Code:
    """The code that the player of a seat was sent by mail, for an account of this name."""

    game_id: str
    faction: Faction
    code: str
    name: str
    generation: int
    until: datetime


def put_link(conn: Connection, link: Link) -> None:
    """Link an account with a seat, in the place of the one before."""
    unlink(conn, link.game_id, link.faction)
    conn.execute(insert(FORUM_LINK), values(link))


def unlink(conn: Connection, game_id: str, faction: Faction) -> None:
    """No account posts for a seat."""
    conn.execute(delete(FORUM_LINK).where(FORUM_LINK.c.game_id == game_id, FORUM_LINK.c.faction == faction))


def links(conn: Connection, game_id: str) -> dict[Faction, Link]:
    """The accounts of the seats of a game."""
    rows = conn.execute(select(FORUM_LINK).where(FORUM_LINK.c.game_id == game_id))
    found = [Link(**{**row._mapping, "faction": as_faction(row.faction)}) for row in rows]
    return {link.faction: link for link in found}


def accounts(conn: Connection, forum: str) -> set[str]:
    """The accounts of a forum that are linked, and the names of those that are to be."""
    linked = select(FORUM_LINK.c.account).where(FORUM_LINK.c.forum == forum)
    asked = select(FORUM_CODE.c.name).join(FORUM_THREAD, FORUM_THREAD.c.game_id == FORUM_CODE.c.game_id)
    return {*conn.scalars(linked), *(name.lower() for name in conn.scalars(asked.where(FORUM_THREAD.c.forum == forum)))}


def put_code(conn: Connection, code: Code) -> None:
    """A player was sent a code, in the place of the one before."""
    drop_code(conn, code.game_id, code.faction)
    conn.execute(insert(FORUM_CODE), values(code))


def drop_code(conn: Connection, game_id: str, faction: Faction) -> None:
    """The code of a seat counts no more."""
    conn.execute(delete(FORUM_CODE).where(FORUM_CODE.c.game_id == game_id, FORUM_CODE.c.faction == faction))


def code(conn: Connection, game_ids: Collection[str], said: str, now: datetime) -> Code | None:
    """What a code is for in one of these games; None where it is none, or too old."""
    found = select(FORUM_CODE).where(FORUM_CODE.c.code == said, FORUM_CODE.c.until > now)
    for row in conn.execute(found.where(FORUM_CODE.c.game_id.in_(game_ids))):
        return Code(**{**row._mapping, "faction": as_faction(row.faction)})
    return None


def code_of(conn: Connection, game_id: str, faction: Faction, now: datetime) -> Code | None:
    """The code that a seat was sent and has not used."""
    where = (FORUM_CODE.c.game_id == game_id, FORUM_CODE.c.faction == faction, FORUM_CODE.c.until > now)
    row = conn.execute(select(FORUM_CODE).where(*where)).one_or_none()
    return Code(**{**row._mapping, "faction": as_faction(row.faction)}) if row else None


def forget(conn: Connection, games: Collection[str], faction: str = "") -> None:
    """Keep no accounts and codes of these games (of one seat)."""
    for table in (FORUM_LINK, FORUM_CODE):
        seat = (table.c.faction == faction,) if faction else ()
        conn.execute(delete(table).where(table.c.game_id.in_(games), *seat))
