"""The mailbox that players write to, behind one small protocol, and a Maildir as one.

A message stays in the inbox until the moderator has committed it and calls `done` or `shunt`, which move it away. So
the inbox itself is the list of pending mail, regardless of the Seen flag. A process that dies between commit and move
finds the message again, under the same key, and recognizes it by that key. Keys survive restarts. `bot.mail.imap` reads
an IMAP server.

A Maildir is what a local mail server, `getmail` or `fetchmail` drops into a directory. The key of a message is the
unique part of its file name, which stays when a reader renames it from new/ to cur/ and adds flags. Messages are moved
by one rename each, into Maildir++ sub-folders that other programs understand (`Mentat/Processed` is
`.Mentat.Processed`), so a crash leaves a message in one place and never in two or none.

Only plain files are messages: not directories, and not links, which no delivery makes. A message that cannot be read or
moved stays where it is, and the messages after it are still read.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.mail.decoding import MAX_BYTES


class MailboxUnavailable(Exception):
    """The mailbox cannot be reached or used now. One sentence: which mailbox, and what to check. Never a password."""


@dataclass(frozen=True, slots=True)
class FetchedMail:
    """A message waiting in the inbox.

    `raw` is None if the message is larger than the limit; then `head` holds only its header fields, so that its sender
    can be notified. `size` is in bytes.
    """

    key: str
    raw: bytes | None
    size: int
    head: bytes = b""


def head_of(begins: bytes) -> bytes:
    """The header fields of a message and the empty line that ends them (RFC 5322, 2.1), whether its lines end as in a
    file or as they are sent; all that is there, where no empty line is.

    >>> head_of(b"Subject: bid\\r\\n\\r\\nbid 4\\r\\n")
    b'Subject: bid\\r\\n\\r\\n'
    """
    ends = [end + len(empty) for empty in (b"\n\n", b"\r\n\r\n") if (end := begins.find(empty)) >= 0]
    return begins[: min(ends, default=len(begins))]


class Mailbox(Protocol):
    """The source of incoming mail. All methods but `close` may raise `MailboxUnavailable`."""

    def fetch_new(self) -> Iterator[FetchedMail]:
        """Yield every message in the inbox, oldest first. Messages may be moved away meanwhile."""
        ...

    def done(self, key: str) -> None:
        """Move a processed message away. A message that is already gone is no error."""
        ...

    def shunt(self, key: str, reason: str) -> None:
        """Quarantine a message that could not be processed, for the game master; log the reason."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait for new mail. Return True if some may have come, False on timeout or after `close`."""
        ...

    def close(self) -> None:
        """Release the mailbox, and end a `wait` in another thread. Never raises."""
        ...


_log = logging.getLogger(__name__)

_HEAD_BYTES = 200_000
_OWNER_ONLY = 0o700  # for folders that Mentat makes; existing folders keep their mode
_LOOK_EVERY = 0.5
_SECONDS = re.compile(r"\d{1,11}(?=\.)")


@dataclass(frozen=True, slots=True)
class MaildirPlace:
    """The place of the Maildir, which is created if missing. Folder names as for IMAP."""

    path: Path
    processed: str = "Mentat/Processed"
    shunted: str = "Mentat/Shunted"
    max_bytes: int = MAX_BYTES


class MaildirMailbox:
    """One Maildir. Several processes may deliver into it; one reads."""

    def __init__(self, place: MaildirPlace) -> None:
        self._place = place
        self._known: set[str] = set()
        self._places: dict[str, Path] = {}
        self._unreadable: set[str] = set()
        self._not_moved: dict[str, str] = {}
        self._closing = threading.Event()

    def fetch_new(self) -> Iterator[FetchedMail]:
        self._move_the_rest()
        files = self._files()
        self._known = set(files)
        for key in sorted(set(files) - set(self._not_moved), key=lambda key: arrival_of(key, files[key])):
            try:
                yield self._found(key, files[key])
            except FileNotFoundError:
                continue
            except OSError as error:
                self._leave(key, error)

    def done(self, key: str) -> None:
        self._put_away(key, self._place.processed)

    def shunt(self, key: str, reason: str) -> None:
        _log.warning("message %s is set aside in %s: %s", key, self._place.shunted, reason)
        self._put_away(key, self._place.shunted)

    def wait(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not self._closing.is_set():
            if set(self._files()) - self._known:
                return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self._closing.wait(min(_LOOK_EVERY, left))
        return False

    def close(self) -> None:
        self._closing.set()

    def _files(self) -> dict[str, Path]:
        files: dict[str, Path] = {}
        try:
            self._place.path.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
            for name in ("tmp", "new", "cur"):
                (self._place.path / name).mkdir(mode=_OWNER_ONLY, exist_ok=True)
            for name in ("new", "cur"):
                with os.scandir(self._place.path / name) as entries:
                    for entry in entries:
                        if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
                            files[entry.name.split(":", 1)[0]] = Path(entry.path)
        except OSError as error:
            raise self._unavailable(error) from None
        self._places = files
        return files

    def _found(self, key: str, path: Path) -> FetchedMail:
        try:
            return self._read(key, path)
        except FileNotFoundError:
            return self._read(key, self._files().get(key, path))

    def _leave(self, key: str, error: OSError) -> None:
        if key not in self._unreadable:
            self._unreadable.add(key)
            _log.error(
                "message %s in %s cannot be read (%s) and stays there; check its owner",
                key,
                self._place.path,
                error.strerror or type(error).__name__,
            )

    def _read(self, key: str, path: Path) -> FetchedMail:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size <= self._place.max_bytes:
                return FetchedMail(key, file.read(), size)
            head = file.read(_HEAD_BYTES)
        return FetchedMail(key, None, size, head_of(head))

    def _put_away(self, key: str, folder: str) -> None:
        try:
            self._move(key, folder)
        except MailboxUnavailable as problem:
            self._not_moved[key] = folder
            _log.error("message %s was dealt with and stays in the inbox, as it cannot be moved: %s", key, problem)

    def _move_the_rest(self) -> None:
        for key, folder in list(self._not_moved.items()):
            try:
                self._move(key, folder)
            except MailboxUnavailable:
                return
            del self._not_moved[key]

    def _move(self, key: str, folder: str) -> None:
        path = self._places.get(key)
        if path is None or not path.exists():
            path = self._files().get(key)
        if path is None:
            return
        target = self._place.path / ("." + folder.replace("/", "."))
        try:
            target.mkdir(mode=_OWNER_ONLY, exist_ok=True)
            for name in ("tmp", "new", "cur"):
                (target / name).mkdir(mode=_OWNER_ONLY, exist_ok=True)
            (target / "maildirfolder").touch()
            flags = path.name.partition(":2,")[2]
            with contextlib.suppress(FileNotFoundError):
                os.rename(path, target / "cur" / f"{key}:2,{''.join(sorted({*flags, 'S'}))}")
        except OSError as error:
            raise self._unavailable(error) from None
        self._known.discard(key)
        self._places.pop(key, None)

    def _unavailable(self, error: OSError) -> MailboxUnavailable:
        reason = error.strerror or type(error).__name__
        return MailboxUnavailable(
            f"the Maildir {self._place.path} cannot be used ({reason}); check [mailbox] maildir and its owner"
        )


def arrival_of(key: str, path: Path) -> tuple[int, int, str]:
    """Return the sort key of a message: the seconds in its name, as every delivery writes them.

    Within a second, names have many forms, so the file system's time decides.
    """
    try:
        written = path.stat().st_mtime_ns
    except OSError:
        written = 0
    second = _SECONDS.match(key)
    return int(second[0]) if second else written // 1_000_000_000, written, key
