"""Persons: whoever has one address is one person, in however many games they sit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, func, select

from bot.store.instants import NO_INSTANT
from bot.store.tables import DEADLINE, GAME, MESSAGE, SEAT
from rules.components import Faction, as_faction

SeatName = tuple[str, Faction]
"""A game's id and a faction in it."""


def seats_of_persons(conn: Connection, late: Sequence[SeatName], now: datetime) -> list[list[SeatName]]:
    """The seats of each person who has one of these seats: that one, and their others with something open that is not
    due yet."""
    together: dict[str, list[SeatName]] = {}
    for game_id, faction in late:
        whose = select(SEAT.c.address).where(SEAT.c.game_id == game_id, SEAT.c.faction == faction)
        together.setdefault(conn.execute(whose).scalar_one(), []).append((game_id, faction))
    for address, seats in together.items():
        others = (
            select(DEADLINE.c.game_id, DEADLINE.c.faction)
            .join(SEAT, (SEAT.c.game_id == DEADLINE.c.game_id) & (SEAT.c.faction == DEADLINE.c.faction))
            .join(GAME, GAME.c.id == DEADLINE.c.game_id)
            .where(
                SEAT.c.address == address,
                DEADLINE.c.state == "open",
                DEADLINE.c.due > now,
                GAME.c.status == "running",
                GAME.c.stopped_at == NO_INSTANT,
            )
            .distinct()
            .order_by(DEADLINE.c.game_id)
        )
        found = [(row.game_id, as_faction(row.faction)) for row in conn.execute(others)]
        seats += [seat for seat in found if seat not in seats]
    return list(together.values())


def persons_at(conn: Connection, games: Sequence[str]) -> Mapping[str, tuple[ZoneInfo, list[str]]]:
    """The players of these games by address: the zone of each, and the games that they play."""
    wanted = set(games)
    persons: dict[str, tuple[ZoneInfo, list[str]]] = {}
    rows = conn.execute(select(SEAT.c.address, SEAT.c.timezone, SEAT.c.game_id).order_by(SEAT.c.game_id))
    for row in rows:
        if row.game_id in wanted:
            own = persons.setdefault(row.address, (ZoneInfo(row.timezone), []))[1]
            own += [row.game_id] if row.game_id not in own else []
    return persons


def who_ordered(conn: Connection, game_id: str, since: datetime | None = None) -> set[str]:
    """The factions whose players have ever written an order in a game, or have since an instant."""
    wrote = select(MESSAGE.c.faction).where(MESSAGE.c.game_id == game_id, MESSAGE.c.disposition == "orders").distinct()
    if since:
        wrote = wrote.where(MESSAGE.c.received_at >= since)
    return set(conn.scalars(wrote))


def last_orders(conn: Connection, games: Collection[str]) -> dict[SeatName, datetime]:
    """When each seat of these games last wrote an order; those that never did are missing."""
    found: dict[SeatName, datetime] = {}
    wanted = sorted(games)
    for first in range(0, len(wanted), _AT_ONCE):
        wrote = (
            select(MESSAGE.c.game_id, MESSAGE.c.faction, func.max(MESSAGE.c.received_at).label("last"))
            .where(MESSAGE.c.game_id.in_(wanted[first : first + _AT_ONCE]), MESSAGE.c.disposition == "orders")
            .group_by(MESSAGE.c.game_id, MESSAGE.c.faction)
        )
        found |= {(row.game_id, as_faction(row.faction)): row.last for row in conn.execute(wrote) if row.faction}
    return found


_AT_ONCE = 500
