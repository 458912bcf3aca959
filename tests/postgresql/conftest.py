"""A PostgreSQL server for these tests. Each test has its own databases."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.service.presence import Present
from tests.moderator.table import START
from tests.postgresql.place import Begun, Place
from tests.postgresql_server import PostgresqlServer, why_not_here


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresqlServer]:
    if why_not_here():
        pytest.skip(why_not_here())
    with PostgresqlServer() as started:
        yield started


_NUMBERS = itertools.count(1)


@pytest.fixture
def empty(server: PostgresqlServer) -> Callable[[], str]:
    """Return a function that creates a database without tables and returns its URL."""
    return lambda: server.empty(f"test_{next(_NUMBERS)}")


@pytest.fixture
def fresh(server: PostgresqlServer) -> Callable[[], str]:
    """Return a function that creates a database without games and returns its URL. It copies the tables, because
    creating them takes longer than many tests."""
    return lambda: server.new(f"test_{next(_NUMBERS)}")


@pytest.fixture
def place(fresh: Callable[[], str], tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path, fresh())
    yield made
    made.world.engine.dispose()


@pytest.fixture
def at_present(fresh: Callable[[], str], tmp_path: Path) -> Iterator[Place]:
    """Yield the same place with today's date, for processes that use the machine's clock."""
    made = Place(tmp_path, fresh(), datetime.now(UTC))
    yield made
    made.world.engine.dispose()


@pytest.fixture
def begun(place: Place) -> Iterator[Begun]:
    """Yield a function that starts processes, which report that they are at work until the test ends."""
    all_begun: list[Present] = []

    def begin(name: str, when_not: Callable[[], None] = lambda: None) -> Present:
        made = Present(place.process().engine, name, lambda: START, when_not)
        all_begun.append(made)
        made.begin()
        return made

    yield begin
    for each in all_begun:
        each.end()
