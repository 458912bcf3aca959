"""A cache on disk: values that take long to make are made once and kept beside Python's compiled modules.

Reading all sentences takes four times as long as starting Python, and building the grammar of orders twenty times as
long; even a short command needs both. Each value is stored with a digest of everything that it was made from: the
states of the files or the grammar itself, and the version of Python. So the cache is never stale and can be deleted at
any time. It is as safe as the modules: anybody who can write there can change them too.
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
    """Return the plain values that ``make`` makes from ``of``. They are kept beside the compiled ``module`` until
    ``of`` or Python changes. If the folder cannot be written, nothing is kept."""
    place = Path(cache_from_source(module)).with_suffix(f".{name.replace('/', '.')}")
    mark = f"{of} {sys.version}".encode()
    with contextlib.suppress(OSError):
        found = place.read_bytes()
        if found[:_DIGEST] == sha256(mark + found[_DIGEST:]).digest():
            loaded: T = marshal.loads(found[_DIGEST:])
            return loaded
    made = make()
    with contextlib.suppress(OSError, ValueError):  # a date is no value of marshal
        packed = marshal.dumps(made)  # type: ignore[arg-type]
        unfinished = place.with_suffix(f"{place.suffix}.{os.getpid()}")  # another process may make it too
        unfinished.write_bytes(sha256(mark + packed).digest() + packed)
        unfinished.replace(place)
    return made


_DIGEST = 32  # bytes


def states_of(files: Iterable[Path | os.DirEntry[str]]) -> list[tuple[str, int, int]]:
    """Return the names, times and sizes of files: Python, too, takes a file as unchanged if these are the same."""
    return sorted((os.fspath(file), state.st_mtime_ns, state.st_size) for file in files for state in (file.stat(),))
