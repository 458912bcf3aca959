"""A Maildir as mailbox: what a local mail server or `fetchmail` drops into a directory.

The key of a message is the unique part of its file name, which stays when a reader renames it from new/ to cur/ and
adds flags. Messages are moved by one rename each, into Maildir++ sub-folders that other programs understand
(`Mentat/Processed` is `.Mentat.Processed`), so a crash leaves a message in one place and never in two or none.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.mail.mailbox import Fetched, MailboxUnavailable
from bot.mail.message import MAX_BYTES

_log = logging.getLogger(__name__)

_HEAD_BYTES = 200_000
_LOOK_EVERY = 0.5


@dataclass(frozen=True, slots=True)
class MaildirPlace:
    """Where the Maildir is; it is made if it does not exist. Folder names as for IMAP."""

    path: Path
    processed: str = "Mentat/Processed"
    shunted: str = "Mentat/Shunted"
    max_bytes: int = MAX_BYTES


class MaildirMailbox:
    """One Maildir. Several processes may deliver into it; one reads."""

    def __init__(self, place: MaildirPlace) -> None:
        self._place = place
        self._known: set[str] = set()
        self._closing = threading.Event()

    def fetch_new(self) -> Iterator[Fetched]:
        files = self._files()
        self._known = set(files)
        for key in sorted(files):
            try:
                yield self._read(key, files[key])
            except FileNotFoundError:
                moved = self._files().get(key)
                if moved is not None:
                    yield self._read(key, moved)
            except OSError as error:
                raise self._unavailable(error) from None

    def done(self, key: str) -> None:
        self._move(key, self._place.processed)

    def shunt(self, key: str, reason: str) -> None:
        _log.warning("message %s is set aside in %s: %s", key, self._place.shunted, reason)
        self._move(key, self._place.shunted)

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
        """Paths by key of everything in new/ and cur/."""
        files: dict[str, Path] = {}
        try:
            for name in ("tmp", "new", "cur"):
                (self._place.path / name).mkdir(parents=True, exist_ok=True)
            for name in ("new", "cur"):
                with os.scandir(self._place.path / name) as entries:
                    for entry in entries:
                        if not entry.name.startswith(".") and entry.is_file():
                            files[entry.name.split(":", 1)[0]] = Path(entry.path)
        except OSError as error:
            raise self._unavailable(error) from None
        return files

    def _read(self, key: str, path: Path) -> Fetched:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size <= self._place.max_bytes:
                return Fetched(key, file.read(), size)
            head = file.read(_HEAD_BYTES)
        ends = [end + 2 for blank in (b"\n\n", b"\r\n\r\n") if (end := head.find(blank)) >= 0]
        return Fetched(key, None, size, head[: min(ends, default=_HEAD_BYTES)])

    def _move(self, key: str, folder: str) -> None:
        path = self._files().get(key)
        if path is None:
            return
        target = self._place.path / ("." + folder.replace("/", "."))
        try:
            for name in ("tmp", "new", "cur"):
                (target / name).mkdir(parents=True, exist_ok=True)
            (target / "maildirfolder").touch()
            flags = path.name.partition(":2,")[2]
            with contextlib.suppress(FileNotFoundError):
                os.rename(path, target / "cur" / f"{key}:2,{''.join(sorted({*flags, 'S'}))}")
        except OSError as error:
            raise self._unavailable(error) from None
        self._known.discard(key)

    def _unavailable(self, error: OSError) -> MailboxUnavailable:
        reason = error.strerror or type(error).__name__
        return MailboxUnavailable(
            f"the Maildir {self._place.path} cannot be used ({reason}); check [mailbox] maildir and its owner"
        )
