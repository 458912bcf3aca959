"""What takes long to make is made once, and kept beside the compiled modules as Python keeps those.

Reading all sentences takes as long as starting Python four times, and building the grammar of orders twenty times as
long; a command that says a few lines needs both. What is kept is found again under the digest of all it was made from:
the states of the files, or the grammar itself, and Python. So it can be deleted at any time, and is never stale. It is
as safe as the modules: whoever may write there may change them too.
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
    """Return what ``make`` makes of ``of``: plain values, which lie beside the compiled ``module`` from then on, as
    long as ``of`` and Python are the same. A folder that cannot be written keeps nothing."""
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
    """Return what changes with the content of files, as Python sees it: their names, times and sizes."""
    return sorted((os.fspath(file), state.st_mtime_ns, state.st_size) for file in files for state in (file.stat(),))
