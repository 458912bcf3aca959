"""What players ordered while their game was on hold, mail by mail."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select

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


def drop(conn: Connection, game_id: str, factions: Collection[Faction]) -> None:
    """What was kept for these seats is not played any more."""
    conn.execute(delete(HELD_LINES).where(HELD_LINES.c.game_id == game_id, HELD_LINES.c.faction.in_(factions)))
