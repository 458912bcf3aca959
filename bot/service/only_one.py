"""One process at a time does a piece of work on a database."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.store.database import DatabaseUnavailable


class AlreadyRunning(Exception):
    """Another process does this work on the same database."""


@contextmanager
def only_one(database: Path, work: str) -> Iterator[None]:
    """Hold the lock for some work on a database for as long as the block runs; the system drops it with the process,
    however it ends. AlreadyRunning if another has it."""
    try:
        lock = database.with_name(f"{database.name}.{work.replace(' ', '-')}.lock").open("a")
    except OSError as error:
        raise DatabaseUnavailable(f"No lock can be made beside {database}: {error.strerror}.") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise AlreadyRunning(f"Another `mentat` is {work} with {database}; stop it first.") from None
        yield
