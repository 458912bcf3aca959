"""What this installation is, and whether it is held (``bot.store.holding``)."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select, update

from bot.store.holding import RESTORED
from bot.store.tables import INSTALLATION


@dataclass(frozen=True, slots=True)
class Installation:
    """The ``id`` is kept wherever the database goes. ``address`` is that of Mentat when a backup was last begun, at
    ``copied_at`` by the version ``copied_by``; ``restored_copy_at`` when the copy was made that this database was put
    back from, None if it never was."""

    id: str
    made_at: datetime
    held_since: datetime | None = None
    held_why: str | None = None
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
        return self.held_since is not None and self.held_why != RESTORED


def known(conn: Connection) -> Installation | None:
    """What is known of this installation; None in a database that nobody has asked it of."""
    row = conn.execute(select(INSTALLATION)).mappings().first()
    return Installation(**row) if row else None


def of(conn: Connection, now: datetime) -> Installation:
    """What this installation is; it gets its id here if it has none yet, in a transaction that writes."""
    found = known(conn)
    if found is None:
        conn.execute(insert(INSTALLATION), {"id": secrets.token_hex(8), "made_at": now, "copied_by": "", "address": ""})
        found = known(conn)
        assert found is not None
    return found


def begin_copy(conn: Connection, address: str, version: str, now: datetime) -> None:
    """A backup is about to be made; it will have this in it."""
    of(conn, now)
    conn.execute(update(INSTALLATION).values(address=address, copied_by=version, copied_at=now))


def hold_restored(conn: Connection, copy_at: datetime, now: datetime, *, as_another: bool) -> None:
    """The database was put back from a copy. ``as_another``: it goes on under another address than the one that it was
    copied from, which may go on too, so it is another installation from now on."""
    of(conn, now)
    changed = {"held_since": now, "held_why": RESTORED, "restored_copy_at": copy_at}
    if as_another:
        changed["id"] = secrets.token_hex(8)
    conn.execute(update(INSTALLATION).values(changed))


def hold_moved(conn: Connection, whither: str, now: datetime) -> None:
    """The database was moved to another place."""
    of(conn, now)
    conn.execute(update(INSTALLATION).values(held_since=now, held_why=f"moved to {whither}"))


def release(conn: Connection) -> None:
    """It is held no longer."""
    conn.execute(update(INSTALLATION).values(held_since=None, held_why=None))
