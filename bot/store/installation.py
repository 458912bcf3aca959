"""What this installation is, and whether it is held (``bot.store.holding``)."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, select, update

from bot.store.holding import RESTORED
from bot.store.worker_tables import INBOX, INSTALLATION, LEADER, WORKER


@dataclass(frozen=True, slots=True)
class Installation:
    """The ``id`` is kept wherever the database goes. ``address`` is that of Mentat when a backup was last begun, at
    ``copied_at`` by the version ``copied_by``; ``restored_copy_at`` when the copy was made that this database was put
    back from, None if it never was."""

    id: str
    made_at: datetime
    held_since: datetime | None = None
    held_why: str = ""
    restored_copy_at: datetime | None = None
    copied_at: datetime | None = None
    copied_by: str = ""
    address: str = ""

    @property
    def restored(self) -> bool:
        """Whether it is held since it was put back from a backup."""
        return self.held_since is not None and self.held_why == RESTORED

    @property
    def moved(self) -> bool:
        """Whether it is held since it was moved."""
        return self.held_since is not None and self.held_why.startswith(moved_to(""))


def of(conn: Connection) -> Installation:
    """What this installation is."""
    return Installation(**conn.execute(select(INSTALLATION)).mappings().one())


def begin_copy(conn: Connection, address: str, version: str, now: datetime) -> None:
    """A backup is about to be made; it will have this in it."""
    conn.execute(update(INSTALLATION).values(address=address, copied_by=version, copied_at=now))


def hold_restored(conn: Connection, copy_at: datetime, now: datetime, *, as_another: bool) -> None:
    """The database was put back from a copy. ``as_another``: it goes on under another address than the one that it was
    copied from, which may go on too, so it is another installation from now on.

    Mail that waited in it for a worker lies in the mailbox still, or was dealt with since; nobody works on it."""
    changed = {"held_since": now, "held_why": RESTORED, "restored_copy_at": copy_at}
    if as_another:
        changed["id"] = secrets.token_hex(16)
    conn.execute(update(INSTALLATION).values(changed))
    for table in (INBOX, LEADER, WORKER):
        conn.execute(delete(table))


def hold_moved(conn: Connection, whither: str, now: datetime) -> None:
    """The database was moved to another place."""
    conn.execute(update(INSTALLATION).values(held_since=now, held_why=moved_to(whither)))


def moved_to(whither: str) -> str:
    """``held_why`` of a database that was moved."""
    return f"moved to {whither}"


def release(conn: Connection) -> None:
    """Let the database be changed again."""
    conn.execute(update(INSTALLATION).values(held_since=None, held_why=""))
