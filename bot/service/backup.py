"""Backup: a copy of the whole database is made and checked, or everything is moved to another database.

*A backup* is made while Mentat runs: copied into a file beside the one to be, checked, and given its name at the end.
So a file of that name is a whole backup or is not there, wherever the process dies. It holds everything (seeds,
hands, tokens and mail), so it is made for its owner alone. Checked means: its games are played again and compared
byte for byte (``bot.games.proof``).

*A move* carries everything from a file to a server, or from a server to a file, while nobody is at work. The target
is held as incomplete until all is there and was compared, and every game was played again from what stands in it.
Then the source is held as moved, and last the target is released: so there is never a moment in which both could
answer the mailbox. Wherever `mentat move` dies, it can be started again, and begins from the first table.

``bot.service.restoration`` puts a backup back, ``bot.service.resumption`` lets Mentat go on after that.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

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
from bot.version import VERSION

VERIFIED_GAMES = 10
"""How many games are played again where not all are: a game takes about a second."""


@dataclass(frozen=True, slots=True)
class Verification:
    """How many ``games`` there are, how many of them were ``checked``, and those that do not hold."""

    games: int
    checked: int
    broken: Sequence[Proof] = ()


def verify(conn: Connection, most: int | None, now: datetime) -> Verification:
    """Play ``most`` games again, or all if it is None: the newest one, and others that are spread over all. Another day
    takes others."""
    every = games.every(conn)
    chosen = every if most is None or len(every) <= most else _spread(every, most, now.toordinal())
    found = [proof.verify(proof.full_record(conn, game_id)) for game_id in chosen]
    return Verification(len(every), len(found), [each for each in found if not each.holds])


def _spread(every: Sequence[str], most: int, day: int) -> list[str]:
    """So many of a list, with the last: about every so-many-th, from another place each day.

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
    """A backup that was made: its size in bytes, and what was found in it."""

    file: Path
    size: int
    verified: Verification


def back_up(engine: Engine, address: str, file: Path, most: int | None, now: datetime, *, force: bool) -> Backup:
    """Make a backup of a database, of which so many games are played again, all if ``most`` is None. ``address`` is
    that of Mentat.

    CopyFailed if it cannot be made, or if there is a file already that is not to be replaced (``force``).
    AlreadyRunning while another backup is made. A game that does not come out the same is copied like the others, and
    named in what is returned.
    """
    file = file.absolute()
    if file.is_dir():
        raise CopyFailed(f"{file} is a folder; name a file in it.")
    if file.exists() and not force:
        raise CopyFailed(f"{file} is there already; name another file, or add --force to replace it.")
    if not file.parent.is_dir():
        raise CopyFailed(f"There is no folder {file.parent}; make it first.")
    with only_one(engine, "making a backup"):
        for left in file.parent.glob(f"{_part_of(file)}*"):  # of a backup that was killed
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
    """An empty file beside the one to be, for its owner alone (as ``tempfile`` makes them)."""
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=_part_of(file))
    except OSError as error:
        raise CopyFailed(f"{file.parent} cannot be written: {error.strerror}; choose another folder.") from error
    with open(handle, "rb"):
        return Path(name)


@contextmanager
def nobody_else_at_work(engine: Engine, *works: str) -> Iterator[None]:
    """Hold the locks of these works, and that of a service, for as long as the block runs. AlreadyRunning if anybody is
    at work."""
    with ExitStack() as held:
        if backend_of(engine).several:  # who begins after this look does not get beside "running"
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
    """What was moved: so many rows of so many tables, and whether its games hold there."""

    target: str
    tables: int
    rows: int
    verified: Verification


def take_back(source: Engine) -> str:
    """Let a database that was moved go on after all. Returns the place to which it had been moved. CopyFailed if it was
    not."""
    with nobody_else_at_work(source), writing(while_held(source)) as conn:
        own = installation.this_installation(conn)
        if not own.moved:
            raise CopyFailed(f"{name_of(source)} was not moved; nothing is to be taken back.")
        installation.release_database(conn)
        return own.held_why.removeprefix(installation.moved_to(""))


def move(source: Engine, place: Path | str, now: datetime, tell: Callable[[str, int], None]) -> Move:
    """Carry everything to the database at a place, which is empty or was left incomplete. ``tell`` hears of each table
    and how many rows it has.

    CopyFailed, with what to do, if it cannot be; AlreadyRunning while anybody is at work on one of them.
    """
    target = unopened(place)
    try:
        name = name_of(target)
        if name == name_of(source) or _is_same_file(name, name_of(source)):
            raise CopyFailed(f"{name} is the database that the settings name; say another place.")
        with nobody_else_at_work(source, "making a backup"):
            with reading(source) as conn:
                own = installation.this_installation(conn)
            if own.held_since and own.held_why != installation.moved_to(name):
                raise CopyFailed(f"{name_of(source)} is held ({own.held_why}); only what is not held can be moved.")
            renew(target)  # nothing is made where the source cannot be moved
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
    """Carry everything to a target, which is held as incomplete; the row of the installation, each table that was
    carried, and whether the games hold there."""
    name = name_of(target)
    with reading(target) as conn:
        if installation.this_installation(conn).held_why != INCOMPLETE and not copies.is_empty(conn):
            raise CopyFailed(f"{name} holds something already; name an empty database.")
    copies.begin_transfer(target, stamp(now))
    with reading(source) as conn:
        row = copies.installation_of(conn)
        carried = copies.carry(conn, target, tell)
    with reading(target) as conn:
        if difference := copies.transfer_difference(carried, conn):
            raise CopyFailed(f"{name} is not what {name_of(source)} is: {difference} Begin anew.")
        verified = verify(conn, None, now)
    with reading(source) as conn:
        for found in verified.broken:
            if proof.verify(proof.full_record(conn, found.id)).holds:
                raise CopyFailed(f"{found.id} does not hold in {name}: {found.difference} Nothing was switched.")
    return row, carried, verified


def _is_same_file(name: str, other: str) -> bool:
    """Whether two names of databases are those of one file that is there."""
    return Path(name).exists() and Path(other).exists() and Path(name).samefile(other)
