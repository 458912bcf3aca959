"""PostgreSQL for tests: a private server with a database for each file that tests name.

If PostgreSQL is missing, `why_not_here()` says so, and tests are skipped with that sentence. One server serves a whole
test process. Each test database is a copy of one that was migrated once.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from sqlalchemy import Engine

from bot.lab.postgresql import PrivateServer
from bot.lab.postgresql import why_not_here as why_not_here  # tests import it from here
from bot.store import database
from bot.store.postgresql import Postgresql

_TEMPLATE = "mentat_template"


class PostgresqlServer(PrivateServer):
    """A private server whose databases take the place of files."""

    def __init__(self, collation: Sequence[str] = ("--locale=C.UTF-8",)) -> None:
        folder = os.environ.get("PYTEST_DEBUG_TEMPROOT")
        super().__init__(collation, below=Path(folder) if folder else None)
        self._known: set[str] = set()
        self._places: dict[str, Path] = {}

    def database_for(self, place: str | Path) -> str:
        """Return the URL of the database that takes the place of a file. It is always the same one. When it is first
        requested, it has a schema and no games."""
        name = self.name_for(place)
        return self.url(name) if name in self._known else self.new(name)

    def new(self, name: str) -> str:
        """Create a database with a schema and no games, and return its URL."""
        if _TEMPLATE not in self._known:
            database.open_database(self.empty(_TEMPLATE)).dispose()
            self._known.add(_TEMPLATE)
        self.copy(_TEMPLATE, name)
        return self.url(name)

    def drop_below(self, folder: Path) -> None:
        """Drop the databases that take the place of files in a folder."""
        gone = {name for name, place in self._places.items() if folder in place.parents}
        for name in gone:
            self.run(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            del self._places[name]
        self._known -= gone

    def name_for(self, place: str | Path) -> str:
        """Return the name of the database that takes the place of a file."""
        file = Path(place).resolve()
        name = "of_" + hashlib.sha256(str(file).encode()).hexdigest()[:16]
        self._places[name] = file
        return name

    def copy(self, there: str, here: str) -> None:
        """Make one database a copy of another. Nobody may have either open."""
        self.run(f'DROP DATABASE IF EXISTS "{here}" WITH (FORCE)')
        self.run(f'CREATE DATABASE "{here}" TEMPLATE "{there}"')
        self._known.add(here)

    def holds(self, words: str) -> bool:
        """Return True if the files of the database's tables contain these words."""
        self.run("CHECKPOINT")
        files = (path for path in (self._data / "base").rglob("*") if path.is_file())
        return any(words.encode() in path.read_bytes() for path in files)


def in_place_of_files() -> PostgresqlServer | None:
    """Return the server whose databases take the place of files, or None if tests use files."""
    return InPlaceOfFiles.of_this_process


class InPlaceOfFiles(Postgresql):
    """A backend that opens a server's database wherever a test names a file."""

    of_this_process: ClassVar[PostgresqlServer | None] = None

    def __init__(self, server: PostgresqlServer) -> None:
        self._server = server

    def connect(self, place: str, timeout_seconds: float, direct: str = "") -> Engine:
        url = place if database.is_url(place) else self._server.database_for(place)
        return super().connect(url, timeout_seconds, direct)
