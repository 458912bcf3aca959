"""Make and check a copy of the whole database, or move everything to another database.

*A backup* is made while Mentat runs. It is copied into a temporary file next to its target, checked, and only then
given its final name. So even if the process dies, a file of that name is either a complete backup or does not exist. It
contains everything (seeds, hands, tokens and mail), so only its owner can read it. The check replays the games in it
and compares each byte of their records (``bot.games.proof``).

*A move* copies everything from a file to a server, or from a server to a file, while no other process is at work. The
target is marked as incomplete until everything in it has been compared and every game has been replayed from it. Then
the source is marked as moved, and only after that is the target released, so the two can never both answer the mailbox.
If `mentat move` dies, it can be started again, and begins with the first table.

``bot.service.restoration`` restores a backup, and ``bot.service.resumption`` then lets Mentat go on with its work.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bot import VERSION
from bot.games import proof
from bot.games.proof import Proof
from bot.service.presence import living_processes
from bot.store import copies, games, installation
from bot.store.copies import CopyFailed
from bot.store.database import (
    INCOMPLETE,
    Connection,
    Engine,
    backend_of,
    name_of,
    reading,
    renew,
    unopened,
    while_held,
    writing,
)
from bot.store.installation import AlreadyRunning, ProcessLocks, only_one
from bot.table.calendar import stamp

VERIFIED_GAMES = 10
"""The default number of games to replay. Replaying one takes about a second."""


@dataclass(frozen=True, slots=True)
class Verification:
    games: int
    checked: int
    broken: Sequence[Proof] = ()


def verify(conn: Connection, most: int | None, now: datetime) -> Verification:
    """Replay ``most`` games, or all of them if it is None. The sample always includes the newest game; the others are
    evenly spread over all games, and different ones are chosen each day."""
    every = games.every(conn)
    chosen = every if most is None or len(every) <= most else _spread(every, most, now.toordinal())
    found = [proof.verify(proof.full_record(conn, game_id)) for game_id in chosen]
    return Verification(len(every), len(found), [each for each in found if not each.holds])


def _spread(every: Sequence[str], most: int, day: int) -> list[str]:
    """Return ``most`` items of a list: the last one, and others evenly spaced, starting at a place that changes each
    day.

    >>> _spread("abcdefgh", 3, 0), _spread("abcdefgh", 3, 1)
    (['h', 'a', 'd'], ['h', 'b', 'e'])
    """
    if most <= 0:
        return []
    *others, last = every
    step = max(len(others) // max(most - 1, 1), 1)
    return [last, *others[day % step :: step][: most - 1]]


@dataclass(frozen=True, slots=True)
class Backup:
    file: Path
    size: int
    verified: Verification


def back_up(engine: Engine, address: str, file: Path, most: int | None, now: datetime, *, force: bool) -> Backup:
    """Back up a database and replay ``most`` of its games, or all of them if it is None. ``address`` is Mentat's mail
    address.

    Raise CopyFailed if the backup cannot be made, or if the file already exists and ``force`` is not set. Raise
    AlreadyRunning while another backup is being made. A game whose replay differs is copied like the others, and is
    named in the result.
    """
    file = file.absolute()
    if file.is_dir():
        raise CopyFailed(f"{file} is a folder; name a file in it.")
    if file.exists() and not force:
        raise CopyFailed(f"{file} already exists; name another file, or add --force to replace it.")
    if not file.parent.is_dir():
        raise CopyFailed(f"There is no folder {file.parent}; create it first.")
    with only_one(engine, "making a backup"):
        for left in file.parent.glob(f"{_part_of(file)}*"):  # left by a backup that was killed
            copies.remove(left)
        with writing(while_held(engine)) as conn:
            installation.begin_copy(conn, address, VERSION, now)
        part = _new_file(file)
        try:
            with copies.copied(engine, part) as copy:
                verified = verify(copy, most, now)
            copies.flush(part)
            size = part.stat().st_size
            copies.rename(part, file)
        finally:
            copies.remove(part)
        with writing(while_held(engine)) as conn:
            installation.beat(conn, "backup", now)
    return Backup(file, size, verified)


def _part_of(file: Path) -> str:
    return f".{file.name}.part-"


def _new_file(file: Path) -> Path:
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=_part_of(file))
    except OSError as error:
        raise CopyFailed(f"{file.parent} cannot be written: {error.strerror}; choose another folder.") from error
    with open(handle, "rb"):
        return Path(name)


@contextmanager
def nobody_else_at_work(engine: Engine, *works: str) -> Iterator[None]:
    """For the duration of the block, hold the locks for these kinds of work and the lock of the service. Raise
    AlreadyRunning if another process is at work."""
    with ExitStack() as held:
        if backend_of(engine).several:  # a process that starts later cannot take "running"
            direct = ProcessLocks(engine, "mentat")
            held.callback(direct.close)
            if at_work := living_processes(while_held(engine), direct):
                hosts = ", ".join(sorted({each.host for each in at_work}))
                raise AlreadyRunning(f"A `mentat run` is at work with {name_of(engine)} on {hosts}; stop it first.")
        for work in ("running", *works):
            held.enter_context(only_one(engine, work))
        yield


@dataclass(frozen=True, slots=True)
class Move:
    target: str
    tables: int
    rows: int
    verified: Verification


def take_back(source: Engine) -> str:
    """Release a database that was marked as moved, and return the place to which it was moved. Raise CopyFailed if it
    was not moved."""
    with nobody_else_at_work(source), writing(while_held(source)) as conn:
        own = installation.this_installation(conn)
        if not own.moved:
            raise CopyFailed(f"{name_of(source)} was not moved; there is nothing to undo.")
        installation.release_database(conn)
        return own.held_why.removeprefix(installation.moved_to(""))


def move(source: Engine, place: Path | str, now: datetime, tell: Callable[[str, int], None]) -> Move:
    """Move everything to the database at ``place``, which must be empty or left incomplete by an earlier attempt.

    ``tell`` is called for each table, with its name and its number of rows. Raise CopyFailed, with advice, if the move
    is impossible, and AlreadyRunning while another process is at work on one of the two databases.
    """
    target = unopened(place)
    try:
        name = name_of(target)
        if name == name_of(source) or _is_same_file(name, name_of(source)):
            raise CopyFailed(f"{name} is the database in the settings; name another place.")
        with nobody_else_at_work(source, "making a backup"):
            with reading(source) as conn:
                own = installation.this_installation(conn)
            if own.held_since and own.held_why != installation.moved_to(name):
                raise CopyFailed(f"{name_of(source)} is held ({own.held_why}); a held installation cannot be moved.")
            renew(target)  # after the checks: create nothing if the source cannot be moved
            with nobody_else_at_work(target):
                row, carried, verified = _carry_and_compare(source, target, now, tell)
                with writing(while_held(source)) as conn:
                    installation.hold_moved(conn, name, now)
                copies.complete_transfer(target, row)
    finally:
        target.dispose()
    return Move(name, len(carried), sum(each.rows for each in carried.values()), verified)


def _carry_and_compare(
    source: Engine, target: Engine, now: datetime, tell: Callable[[str, int], None]
) -> tuple[dict[str, Any], dict[str, copies.Carried], Verification]:
    """Copy everything to the target while it is marked as incomplete, and compare the two. Return the row of the
    installation, each table that was copied, and the result of replaying the games."""
    name = name_of(target)
    with reading(target) as conn:
        if installation.this_installation(conn).held_why != INCOMPLETE and not copies.is_empty(conn):
            raise CopyFailed(f"{name} is not empty; name an empty database.")
    copies.begin_transfer(target, stamp(now))
    with reading(source) as conn:
        row = copies.installation_of(conn)
        carried = copies.carry(conn, target, tell)
    with reading(target) as conn:
        if difference := copies.transfer_difference(carried, conn):
            raise CopyFailed(f"{name} differs from {name_of(source)}: {difference} Start again.")
        verified = verify(conn, None, now)
    with reading(source) as conn:
        for found in verified.broken:
            if proof.verify(proof.full_record(conn, found.id)).holds:
                raise CopyFailed(f"{found.id} fails verification in {name}: {found.difference} Nothing was switched.")
    return row, carried, verified


def _is_same_file(name: str, other: str) -> bool:
    return Path(name).exists() and Path(other).exists() and Path(name).samefile(other)
