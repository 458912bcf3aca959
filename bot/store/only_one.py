"""One process at a time does a piece of work on a database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from bot.store.database import DatabaseUnavailable, Engine, backend_of, explained


class AlreadyRunning(Exception):
    """Another process does this work on the same database."""


@contextmanager
def only_one(engine: Engine, work: str) -> Iterator[None]:
    """Hold the lock for some work on a database for as long as the block runs; it goes with the process, however that
    ends. AlreadyRunning if another has it."""
    backend = backend_of(engine)
    with ExitStack() as held:
        try:
            with explained(engine):
                had = held.enter_context(backend.only_one(engine, work))
        except OSError as error:
            why = f"No lock can be made beside {backend.name(engine)}: {error.strerror}."
            raise DatabaseUnavailable(why) from error
        if not had:
            raise AlreadyRunning(f"Another `mentat` is {work} with {backend.name(engine)}; stop it first.")
        yield
