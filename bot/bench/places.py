"""On which databases benchmarks run: a file, and a private PostgreSQL server where one can be started."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

from bot.demo.private_server import PrivateServer, why_not_here


@dataclass(frozen=True, slots=True)
class DatabaseKind:
    """A kind of database. ``new_url`` gives the URL of an empty one, "" for a file in the folder of its settings."""

    name: str
    new_url: Callable[[], str]


@contextmanager
def databases() -> Iterator[list[DatabaseKind]]:
    """The kinds that there are on this machine. The server waits for its disk with each commit, as one that keeps games
    does, and ends with the block."""
    kinds = [DatabaseKind("SQLite", lambda: "")]
    if why_not_here():
        yield kinds
        return
    numbers = count(1)
    with PrivateServer(durable=True) as server:
        yield [*kinds, DatabaseKind("PostgreSQL", lambda: server.empty(f"bench_{next(numbers)}"))]
