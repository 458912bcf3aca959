"""A disk cache: values that are slow to compute are computed once and stored next to Python's compiled modules.

Reading all sentences takes four times as long as starting Python, and building the order grammar takes twenty times as
long. Even a short command needs both. Each value is stored with a digest of everything from which it was computed: the
names, times and sizes of the files, or the grammar itself, and the version of Python. So the cache is never stale and
can be deleted at any time. It is as safe as the compiled modules: anybody who can write to that folder can change both.
"""

import contextlib
import marshal
import os
import sys
from collections.abc import Callable, Iterable
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def kept(module: str, name: str, of: object, make: Callable[[], T]) -> T:
    """Return the value that ``make`` computes from ``of``, which must consist of plain data. The value is stored next
    to the compiled ``module`` until ``of`` or the version of Python changes. If the folder is not writable, nothing is
    stored."""
    place = Path(cache_from_source(module)).with_suffix(f".{name.replace('/', '.')}")
    mark = f"{of} {sys.version}".encode()
    with contextlib.suppress(OSError):
        found = place.read_bytes()
        if found[:_DIGEST] == sha256(mark + found[_DIGEST:]).digest():
            loaded: T = marshal.loads(found[_DIGEST:])
            return loaded
    made = make()
    with contextlib.suppress(OSError, ValueError):  # marshal cannot store a date
        packed = marshal.dumps(made)  # type: ignore[arg-type]
        unfinished = place.with_suffix(f"{place.suffix}.{os.getpid()}")  # another process may also write one
        unfinished.write_bytes(sha256(mark + packed).digest() + packed)
        unfinished.replace(place)
    return made


_DIGEST = 32  # bytes


def states_of(files: Iterable[Path | os.DirEntry[str]]) -> list[tuple[str, int, int]]:
    """Return the name, time and size of each file. A file counts as unchanged if these are unchanged, as in Python's
    own cache."""
    return sorted((os.fspath(file), state.st_mtime_ns, state.st_size) for file in files for state in (file.stat(),))
