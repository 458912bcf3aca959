"""What players ordered while their game was on hold, mail by mail."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update

from bot.store.desk_tables import HELD_LINES
from rules.components import Faction, as_faction


@dataclass(frozen=True, slots=True)
class HeldLines:
    """The lines of one mail of a seat; ``message`` is the number of the mail, None for what a game master wrote."""

    faction: Faction
    lines: tuple[str, ...]
    message: int | None


def keep(conn: Connection, game_id: str, held: HeldLines, now: datetime) -> None:
    """Keep the lines of a mail until the game goes on."""
    row = {
        "game_id": game_id, "faction": held.faction, "lines": "\n".join(held.lines), "message_id": held.message,
        "at": now,
    }  # fmt: skip
    conn.execute(insert(HELD_LINES), row)


def take(conn: Connection, game_id: str) -> list[HeldLines]:
    """All that was kept for a game, in the order in which it came; it is kept no longer."""
    this = HELD_LINES.c.game_id == game_id
    rows = conn.execute(select(HELD_LINES).where(this).order_by(HELD_LINES.c.id)).all()
    conn.execute(delete(HELD_LINES).where(this))
    return [HeldLines(as_faction(row.faction), tuple(row.lines.split("\n")), row.message_id) for row in rows]


def of_seat(conn: Connection, game_id: str, faction: Faction) -> list[str]:
    """The lines that are kept for a seat, in the order in which they came."""
    seat = (HELD_LINES.c.game_id == game_id, HELD_LINES.c.faction == faction)
    rows = conn.execute(select(HELD_LINES.c.lines).where(*seat).order_by(HELD_LINES.c.id)).scalars()
    return [line for lines in rows for line in lines.split("\n")]


def withdraw(conn: Connection, game_id: str, faction: Faction, gone: Collection[str]) -> None:
    """Keep these lines of a seat no longer; of its other lines the order stays."""
    seat = (HELD_LINES.c.game_id == game_id, HELD_LINES.c.faction == faction)
    for row in conn.execute(select(HELD_LINES.c.id, HELD_LINES.c.lines).where(*seat)).all():
        left = [line for line in row.lines.split("\n") if line not in gone]
        change = update(HELD_LINES).values(lines="\n".join(left)) if left else delete(HELD_LINES)
        conn.execute(change.where(HELD_LINES.c.id == row.id))


def drop(conn: Connection, game_id: str, factions: Collection[Faction]) -> None:
    """What was kept for these seats is not played any more."""
    conn.execute(delete(HELD_LINES).where(HELD_LINES.c.game_id == game_id, HELD_LINES.c.faction.in_(factions)))
