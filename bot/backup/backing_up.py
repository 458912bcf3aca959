"""Making a backup while Mentat runs: copied into a file beside the one to be, checked, and given its name at the end.

So a file of that name is a whole backup or is not there, wherever the process dies. It holds everything: seeds, hands,
tokens and mail. So it is made for its owner alone.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.backup.verifying import Verified, verify
from bot.store import heartbeats, installation
from bot.store.copies import copying, sqlite_file
from bot.store.copies.label import CopyFailed
from bot.store.database import Engine, writing
from bot.store.holding import while_held
from bot.store.only_one import only_one
from bot.version import VERSION


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was made: its size in bytes, and what was found in it."""

    file: Path
    size: int
    verified: Verified


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
            sqlite_file.remove(left)
        with writing(while_held(engine)) as conn:
            installation.begin_copy(conn, address, VERSION, now)
        part = _new_file(file)
        try:
            with copying.copied(engine, part) as copy:
                verified = verify(copy, most, now)
            sqlite_file.flush(part)
            size = part.stat().st_size
            sqlite_file.rename(part, file)
        finally:
            sqlite_file.remove(part)
        with writing(while_held(engine)) as conn:
            heartbeats.beat(conn, "backup", now)
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
