"""A database that is held: nothing in it is changed, and so nothing is sent, posted, taken or decided from it.

A database that was put back from a backup is held until what has happened since that was made is taken in again
(``bot.backup.resuming``): without that, letters would go out twice, and orders that were taken would be missing. One
that was moved is held for good, so that no two answer one mailbox. ``bot.store.database.writing`` refuses to begin in a
held database, so no piece of work has to think of it, and none can forget it.
"""

from __future__ import annotations

from sqlalchemy import Connection, Engine, text

WHILE_HELD = "while_held"
"""The execution option of those who may change a held database."""


def while_held(engine: Engine) -> Engine:
    """The same database for one who may change it while it is held: to take in what has come since, and release it."""
    return engine.execution_options(**{WHILE_HELD: True})


def why_held(conn: Connection) -> str:
    """Why the database is held, as the end of a sentence about it; "" if it is not.

    Example: `was put back from a backup of 2026-11-23 20:00 UTC and is held: …; see mentat restore --resume`
    """
    row = conn.execute(_HELD).first()
    if row is None or not row.held_since:
        return ""
    if row.held_why == RESTORED:
        made = f"{row.restored_copy_at[:16].replace('T', ' ')} UTC" if row.restored_copy_at else "an unknown time"
        return (
            f"was put back from a backup of {made} and is held: nothing is read, sent or posted; "
            "`mentat restore --resume` takes in what has come since then and lets it go on"
        )
    if row.held_why == INCOMPLETE:
        return "is what a move that did not come to its end has left; begin `mentat move` anew"
    return f"was {row.held_why} and is held; name that database in config.toml, or take it back by `mentat move --back`"


RESTORED, INCOMPLETE = "restored", "incomplete"
"""``held_why`` of a database that was put back from a backup, and of one that is the target of a move that goes on;
that of one that was moved says whither."""

_HELD = text("SELECT held_since, held_why, restored_copy_at FROM installation")
