"""The folder of an archive: what was written into it, and writing that breaks off without harm.

`build.json` is the mark of a folder that is ours, and says which files we wrote. Nothing else is ever removed, and a
folder that holds something else and no mark is refused. Each file is written beside its place and moved there, so who
looks at the archive meanwhile sees the old page or the new one. What is about to be written is noted before, so that a
build that breaks off leaves no file that nobody knows.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

import msgspec

MANIFEST = "build.json"
MARK = "an archive of games, written by Mentat"
FORMAT = 1
NO_DAY = date(2000, 1, 1)
"""The day of files that belong to no day: a running game must not tell when somebody moved."""
SECONDS = 24 * 60 * 60


class FolderRefused(Exception):
    """The folder cannot be used; the message says why, and that nothing was changed."""


NOTHING = b"null"
"""What is kept where there is nothing to keep."""


class Written(msgspec.Struct, omit_defaults=True):
    """A part of the archive as it was last written: from what (``key``), which ``files`` with their sizes, and what
    others keep of it: its ``day``, for a game under way its line in the list of those (``running``), for one that is
    over what the lists of all games say of it (``summary``)."""

    key: str = ""
    day: date | None = None
    files: dict[str, int] = msgspec.field(default_factory=dict)
    running: msgspec.Raw = msgspec.Raw(NOTHING)
    summary: msgspec.Raw = msgspec.Raw(NOTHING)


Pieces = Callable[[BinaryIO | None], Iterable[bytes]]
"""What makes a large file piece by piece, from what it was before."""


class Manifest(msgspec.Struct):
    """What `build.json` says; ``parts`` are the games by their folders, and the rest of the archive as "site"."""

    mark: str = MARK
    format: int = FORMAT
    parts: dict[str, Written] = msgspec.field(default_factory=dict)


class Folder:
    """A folder that is ours, while a build has it."""

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self.path = path
        self.parts = manifest.parts
        self.wrote = 0
        self.removed = 0

    def is_whole(self, part: str, key: str) -> bool:
        """Whether this part was written from the same, and all its files are there in their sizes."""
        known = self.parts.get(part)
        return known is not None and known.key == key and all(map(self._is_there, known.files.items()))

    def _is_there(self, file: tuple[str, int]) -> bool:
        name, size = file
        try:
            return (self.path / name).stat().st_size == size
        except OSError:
            return False

    def put(
        self, part: str, key: str, files: Mapping[str, bytes], day: date | None, *, running: bytes = NOTHING,
        summary: bytes = NOTHING, large: Mapping[str, Pieces] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        """Write a part anew, its ``large`` files piece by piece, and take away those of its files that it has no
        more."""
        before = self.parts.get(part, Written())
        both = dict.fromkeys((*before.files, *files, *large), 0)
        self.parts[part] = Written("", before.day, both, before.running, before.summary)
        self._note()
        for name, content in files.items():
            self._write(name, content, day or NO_DAY)
        sizes = {name: len(content) for name, content in files.items()}
        for name, pieces in large.items():
            sizes[name] = self._write_pieces(name, pieces, day or NO_DAY)
        for name in before.files.keys() - sizes.keys():
            self._remove(name)
        self.parts[part] = Written(key, day, dict(sorted(sizes.items())), msgspec.Raw(running), msgspec.Raw(summary))

    def drop(self, part: str) -> None:
        """Take away all files of a part."""
        for name in self.parts[part].files:
            self._remove(name)
        del self.parts[part]

    def close(self) -> None:
        """Note what there is now."""
        self._note()

    def _note(self) -> None:
        parts = {name: self.parts[name] for name in sorted(self.parts)}
        self._write(MANIFEST, msgspec.json.encode(Manifest(parts=parts)) + b"\n", NO_DAY)

    def _write(self, name: str, content: bytes, day: date) -> None:
        path = self.path / name
        stamp = _stamp(hashlib.sha256(content).digest(), day)
        try:
            if path.stat().st_size == len(content) and path.read_bytes() == content:
                os.utime(path, (stamp, stamp))
                return
        except OSError:
            path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.new")
        beside.write_bytes(content)
        os.utime(beside, (stamp, stamp))
        beside.replace(path)
        self.wrote += name != MANIFEST

    def _write_pieces(self, name: str, pieces: Pieces, day: date) -> int:
        """Write a large file; how long it is."""
        path = self.path / name
        beside = path.with_name(f".{path.name}.new")
        made, size = hashlib.sha256(), 0
        with ExitStack() as open_files:
            before = open_files.enter_context(path.open("rb")) if path.is_file() else None
            out = open_files.enter_context(beside.open("wb"))
            for piece in pieces(before):
                made.update(piece)
                size += out.write(piece)
        stamp = _stamp(made.digest(), day)
        os.utime(beside, (stamp, stamp))
        beside.replace(path)
        self.wrote += 1
        return size

    def _remove(self, name: str) -> None:
        path = self.path / name
        path.unlink(missing_ok=True)
        path.with_name(f".{path.name}.new").unlink(missing_ok=True)
        self.removed += 1
        for above in path.relative_to(self.path).parents:
            try:
                if above != Path():
                    (self.path / above).rmdir()
            except OSError:  # something of somebody else's is in it
                return


def _stamp(digest: bytes, day: date) -> float:
    """The time of a file: on its day, and another second for other content, so that a web server that tells versions
    by time and size notices each. It follows from the digest of the content alone."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()
    return midnight + int.from_bytes(digest[:4], "big") % SECONDS


@contextmanager
def opened(path: Path) -> Iterator[Folder]:
    """The folder for one build; `FolderRefused` for one that is not ours, is being built, or cannot be written."""
    try:
        manifest = _manifest(path)
        path.mkdir(parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        _lock(path, lock)
        folder = Folder(path, manifest)
        try:
            yield folder
            folder.close()
        except OSError as error:
            raise _unwritable(path, error) from error
    finally:
        os.close(lock)


def _lock(path: Path, lock: int) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise FolderRefused(f"The archive in {path} is being built by another process: try again later.") from error


def _unwritable(path: Path, error: OSError) -> FolderRefused:
    reason = error.strerror or "it cannot be used"
    where = f" ({error.filename})" if error.filename and str(error.filename) != str(path) else ""
    return FolderRefused(f"The archive cannot be written to {path}: {reason}{where}. What was there before still is.")


def _manifest(path: Path) -> Manifest:
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return Manifest()
    if not path.is_dir():
        raise FolderRefused(f"{path} is a file: name a folder for the archive.")
    try:
        manifest = msgspec.json.decode((path / MANIFEST).read_bytes(), type=Manifest)
    except FileNotFoundError as error:
        raise FolderRefused(
            f"{path} is not empty and has no {MANIFEST} of an archive in it, so it is somebody else's: nothing was "
            "changed. Name an empty folder, or one that does not exist yet."
        ) from error
    except msgspec.MsgspecError as error:
        raise FolderRefused(
            f"{path / MANIFEST} is not as Mentat wrote it ({error}): nothing was changed. Name another folder, or "
            "empty this one yourself."
        ) from error
    if manifest.mark != MARK or manifest.format > FORMAT or not all(map(_inside, _files(manifest))):
        raise FolderRefused(f"{path / MANIFEST} was written by something else or a newer Mentat: nothing was changed.")
    return manifest


def _files(manifest: Manifest) -> Iterator[str]:
    for part in manifest.parts.values():
        yield from part.files


def _inside(name: str) -> bool:
    """Whether a file of the manifest lies in the folder: a list that was tampered with must not remove others."""
    path = Path(name)
    return not path.is_absolute() and ".." not in path.parts and bool(path.parts)


# --- looking at a folder without building -----------------------------------------------------------------------------


def games_in(path: Path) -> frozenset[str]:
    """The games of which an archive has pages; none in a folder that is empty or not there. `FolderRefused` for one
    that is not ours."""
    try:
        parts = _manifest(path).parts
    except OSError as error:
        raise _unwritable(path, error) from error
    return frozenset(part.removeprefix("game/") for part in parts if part.startswith("game/"))


def is_archive(path: Path) -> bool:
    """Whether an archive was written into this folder."""
    try:
        games_in(path)
    except FolderRefused:
        return False
    return (path / MANIFEST).is_file()


def complaint(path: Path) -> str:
    """Why an archive could not be written to this folder; empty if it could. Nothing is written."""
    try:
        games_in(path)
    except FolderRefused as refused:
        return str(refused)
    there = next(each for each in (path, *path.parents) if each.exists())
    if not os.access(there, os.W_OK | os.X_OK):
        return f"The archive cannot be written to {path}: {there} is not writable for this user."
    return ""
