"""Copies of databases that tests have made, to begin from them again: of files, or of databases on a server where all
tests run there (`--postgresql`)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

from tests.postgresql_server import in_place_of_files

_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Copy:
    """A database as it was: the bytes of its file, or the name of the copy on the server."""

    content: bytes
    name: str = ""


def keep(place: Path) -> Copy:
    """A copy of a database that nobody has open."""
    server = in_place_of_files()
    if server is None:
        return Copy(place.read_bytes())
    name = f"kept_{next(_NUMBERS)}"
    server.copy(server.name_for(place), name)
    return Copy(b"", name)


def put(copy: Copy, place: Path) -> None:
    """Let the database at a place be as it was; nobody has it open."""
    server = in_place_of_files()
    if server is None:
        place.write_bytes(copy.content)
        place.chmod(0o600)
    else:
        server.copy(copy.name, server.name_for(place))
