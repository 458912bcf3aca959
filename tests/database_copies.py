"""Copies of test databases, from which tests can start again. A copy is a file or, if all tests run on a server
(`--postgresql`), a database on that server."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

from tests.postgresql_server import in_place_of_files

_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Copy:
    """A saved database: the bytes of its file, or the name of the copy on the server."""

    content: bytes
    name: str = ""


def keep(place: Path) -> Copy:
    """Copy a database that nobody has open."""
    server = in_place_of_files()
    if server is None:
        return Copy(place.read_bytes())
    name = f"kept_{next(_NUMBERS)}"
    server.copy(server.name_for(place), name)
    return Copy(b"", name)


def put(copy: Copy, place: Path) -> None:
    """Restore a database from a copy. Nobody may have it open."""
    server = in_place_of_files()
    if server is None:
        place.write_bytes(copy.content)
        place.chmod(0o600)
    else:
        server.copy(copy.name, server.name_for(place))
