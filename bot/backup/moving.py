"""Moving everything to another database: from a file to a server, or from a server to a file.

Nobody may be at work meanwhile. The target is held as incomplete until all is there and was compared, and every game
was played again from what stands in it. Then the source is held as moved, and last the target is released: so there is
never a moment in which both could answer the mailbox. Wherever it dies, `mentat move` may be begun anew, and begins
from the first table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.backup.alone import alone
from bot.backup.verifying import Verified, verify
from bot.clock.instants import stamp
from bot.games import proof
from bot.store import installation
from bot.store.copies import transfer
from bot.store.copies.label import CopyFailed
from bot.store.database import Engine, name_of, reading, renew, unopened, writing
from bot.store.holding import INCOMPLETE, while_held


@dataclass(frozen=True, slots=True)
class Moved:
    """What was moved: so many rows of so many tables, and whether its games hold there."""

    target: str
    tables: int
    rows: int
    verified: Verified


def take_back(source: Engine) -> str:
    """Let a database that was moved go on after all. Returns the place to which it had been moved. CopyFailed if it was
    not."""
    with alone(source), writing(while_held(source)) as conn:
        own = installation.of(conn)
        if not own.moved:
            raise CopyFailed(f"{name_of(source)} was not moved; nothing is to be taken back.")
        installation.release(conn)
        return own.held_why.removeprefix(installation.moved_to(""))


def move(source: Engine, place: Path | str, now: datetime, tell: Callable[[str, int], None]) -> Moved:
    """Carry everything to the database at a place, which is empty or was left incomplete. ``tell`` hears of each table
    and how many rows it has.

    CopyFailed, with what to do, if it cannot be; AlreadyRunning while anybody is at work on one of them.
    """
    target = unopened(place)
    try:
        name = name_of(target)
        if name == name_of(source) or _is_same_file(name, name_of(source)):
            raise CopyFailed(f"{name} is the database that the settings name; say another place.")
        with alone(source, "making a backup"):
            with reading(source) as conn:
                own = installation.of(conn)
            if own.held_since and own.held_why != installation.moved_to(name):
                raise CopyFailed(f"{name_of(source)} is held ({own.held_why}); only what is not held can be moved.")
            renew(target)  # nothing is made where the source cannot be moved
            with alone(target):
                row, carried, verified = _carry_and_compare(source, target, now, tell)
                with writing(while_held(source)) as conn:
                    installation.hold_moved(conn, name, now)
                transfer.complete(target, row)
    finally:
        target.dispose()
    return Moved(name, len(carried), sum(each.rows for each in carried.values()), verified)


def _carry_and_compare(
    source: Engine, target: Engine, now: datetime, tell: Callable[[str, int], None]
) -> tuple[dict[str, Any], dict[str, transfer.Carried], Verified]:
    """Carry everything to a target, which is held as incomplete; the row of the installation, each table that was
    carried, and whether the games hold there."""
    name = name_of(target)
    with reading(target) as conn:
        if installation.of(conn).held_why != INCOMPLETE and not transfer.is_empty(conn):
            raise CopyFailed(f"{name} holds something already; name an empty database.")
    transfer.begin(target, stamp(now))
    with reading(source) as conn:
        row = transfer.installation_of(conn)
        carried = transfer.carry(conn, target, tell)
    with reading(target) as conn:
        if difference := transfer.difference(carried, conn):
            raise CopyFailed(f"{name} is not what {name_of(source)} is: {difference} Begin anew.")
        verified = verify(conn, None, now)
    with reading(source) as conn:
        for found in verified.broken:
            if proof.verify(proof.record(conn, found.id)).holds:
                raise CopyFailed(f"{found.id} does not hold in {name}: {found.difference} Nothing was switched.")
    return row, carried, verified


def _is_same_file(name: str, other: str) -> bool:
    """Whether two names of databases are those of one file that is there."""
    return Path(name).exists() and Path(other).exists() and Path(name).samefile(other)
