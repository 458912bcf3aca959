"""What rollbacks have cut from the logs of games, so that one can be undone."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from bot.store.desk_tables import DROPPED_ENTRY
from bot.store.log import decode
from bot.store.packing import unpack
from bot.store.tables import ENTRY
from rules.engine.log import Entry


def keep(conn: Connection, game_id: str, rollback_id: int, entries: int) -> None:
    """Keep what a rollback to so many entries is about to cut, as it stands in the log."""
    cut = select(ENTRY).where(ENTRY.c.game_id == game_id, ENTRY.c.number >= entries).order_by(ENTRY.c.number)
    rows = [
        {"rollback_id": rollback_id, "number": row.number, "at": row.at, "data": row.data,
         "message_id": row.message_id, "sheet": row.sheet}
        for row in conn.execute(cut)
    ]  # fmt: skip
    if rows:
        conn.execute(insert(DROPPED_ENTRY), rows)


def of_rollback(conn: Connection, rollback_id: int) -> list[Entry]:
    """The entries that a rollback has cut, in their order."""
    found = select(DROPPED_ENTRY.c.data).where(DROPPED_ENTRY.c.rollback_id == rollback_id)
    return [decode(unpack(data)) for data in conn.scalars(found.order_by(DROPPED_ENTRY.c.number))]
