"""A PostgreSQL server for these tests, each with databases of its own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

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
    """Make a database without tables; its URL."""
    return lambda: server.empty(f"test_{next(_NUMBERS)}")
