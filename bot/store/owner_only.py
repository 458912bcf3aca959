"""Files that hold secrets (seeds, hands, tokens, mail) are made for their owner alone, whatever the umask says.

SQLite gives its journals (``-wal``, ``-shm``) the permissions of the database that they belong to.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

OWNER_ONLY = 0o600
OTHERS = 0o077
"""The permissions of everybody but the owner."""


def create(path: Path) -> None:
    """Make an empty file that only its owner may read; one that exists is left as it is. Where it cannot be made
    nothing is raised: opening it will tell why."""
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))


def write(path: Path, text: str) -> None:
    """Write a file that only its owner may read, also where it existed and others could. OSError if it cannot be."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, OWNER_ONLY), "w", encoding="utf-8") as file:
        with contextlib.suppress(PermissionError):  # another's file, or a device: it was opened for us all the same
            os.fchmod(file.fileno(), OWNER_ONLY)
        file.write(text)


def is_open_to_others(path: Path) -> bool:
    """Whether anybody but its owner may do anything with a file or a folder; False if it is not there."""
    try:
        return bool(path.stat().st_mode & OTHERS)
    except OSError:
        return False
