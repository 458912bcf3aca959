"""The mailbox that players write to, as a small protocol, and its implementation for a Maildir.

A message stays in the inbox until the moderator has committed it and calls `done` or `shunt`, which move it away. So
the inbox itself is the list of pending mail, regardless of the Seen flag. If a process dies between the commit and the
move, the next process finds the message again and recognizes it by its key, which stays the same across restarts. The
implementation for an IMAP server is in `bot.mail.imap`.

A Maildir is a directory into which a local mail server, `getmail` or `fetchmail` delivers mail. The key of a message is
the unique part of its file name, which does not change when a mail program moves the file from new/ to cur/ and adds
flags. Mentat moves a message by a single rename, into a Maildir++ sub-folder that other programs understand
(`Mentat/Processed` is `.Mentat.Processed`). So even after a crash the message is in exactly one place.

Only plain files count as messages. Directories do not, and neither do links, because mail is never delivered as a link.

A message that cannot be read or moved is stuck (`StuckMail`): it stays where it is, and the messages after it are still
read. The caller may replace `Inbox.stuck` with an object that outlives the process and makes stuck messages wait
between tries.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

from bot.mail.decoding import MAX_BYTES


class MailboxUnavailable(Exception):
    """The mailbox cannot be reached or used now. The message is one sentence that says which mailbox it is and what to
    check. It never contains a password."""


class CannotMove(MailboxUnavailable):
    def __init__(self, why: str, *, copied: bool = False) -> None:
        super().__init__(why)
        self.copied = copied


@dataclass(frozen=True, slots=True)
class FetchedMail:
    """A message that waits in the inbox. `raw` is None if the message is larger than the limit; then `head` contains
    only its header fields, so that its sender can be notified. `size` is in bytes."""

    key: str
    raw: bytes | None
    size: int
    head: bytes = b""


def head_of(begins: bytes) -> bytes:
    """Return the header fields of a message, including the empty line that ends them (RFC 5322, 2.1), whatever its line
    ends are. If there is no empty line, return everything.

    >>> head_of(b"Subject: bid\\r\\n\\r\\nbid 4\\r\\n")
    b'Subject: bid\\r\\n\\r\\n'
    """
    ends = [end + len(empty) for empty in (b"\n\n", b"\r\n\r\n") if (end := begins.find(empty)) >= 0]
    return begins[: min(ends, default=len(begins))]


class Mailbox(Protocol):
    """The source of incoming mail. All methods except `close` may raise `MailboxUnavailable`."""

    def fetch_new(self) -> Iterator[FetchedMail]:
        """Yield every message in the inbox, oldest first. The caller may move messages away during the iteration."""
        ...

    def done(self, key: str) -> None:
        """Move a processed message away. If it is already gone, do nothing."""
        ...

    def shunt(self, key: str, reason: str) -> None:
        """Move a message that could not be processed to the quarantine, where the game master can look at it, and log
        why."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait for new mail. Return True if some may have come, and False after `seconds` or after `close`."""
        ...

    def close(self) -> None: ...


_log = logging.getLogger(__name__)

_HEAD_BYTES = 200_000
_OWNER_ONLY = 0o700  # for folders that Mentat makes; existing folders keep their mode
_LOOK_EVERY = 0.5
_SECONDS = re.compile(r"\d{1,11}(?=\.)")


@dataclass(frozen=True, slots=True)
class StuckMail:
    """A message that is stuck in the inbox. Without a ``folder``, the inbox lists it but cannot hand it out. With a
    ``folder``, it was processed but cannot be moved there, even if it was ``copied`` or the server says that it was
    ``moved``. ``tries`` counts the failures.

    ``sender``, ``games`` (the games that the message may be for) and the instants are set only by
    `bot.moderator.outage`.
    """

    key: str
    folder: str = ""
    copied: bool = False
    moved: bool = False
    tries: int = 0
    size: int = 0
    sender: str = ""
    games: tuple[str, ...] = ()
    why: str = ""
    since: datetime | None = None
    next_try_at: datetime | None = None


class StuckMails:
    def __init__(self) -> None:
        self._kept: dict[str, StuckMail] = {}

    def load(self) -> dict[str, StuckMail]:
        return dict(self._kept)

    def is_due(self, stuck: StuckMail) -> bool:
        return True

    def keep(self, stuck: StuckMail, head: bytes) -> None:
        self._kept[stuck.key] = stuck

    def rename(self, stuck: StuckMail, key: str) -> None:
        self._kept[key] = replace(self._kept.pop(stuck.key), key=key)

    def forget(self, key: str) -> None:
        self._kept.pop(key, None)


class Inbox:
    def __init__(self, processed: str, shunted: str) -> None:
        self.stuck = StuckMails()
        self._processed = processed
        self._shunted = shunted
        self._stuck: dict[str, StuckMail] = {}

    def done(self, key: str) -> None:
        self._put_away(key, self._processed)

    def shunt(self, key: str, reason: str) -> None:
        _log.warning("message %s is set aside in %s: %s", key, self._shunted, reason)
        self._put_away(key, self._shunted)

    def note_return(self, key: str) -> None:
        # It was processed before: it has come back, or the process died before it was moved.
        self._stuck.setdefault(key, StuckMail(key, moved=True))

    def _move(self, key: str, folder: str) -> bool:
        # Returns whether the message was there; may raise CannotMove.
        raise NotImplementedError

    def _put_away(self, key: str, folder: str) -> bool:
        try:
            was_there = self._move(key, folder)
        except CannotMove as problem:
            if key not in self._stuck:
                _log.error("message %s was processed but stays in the inbox, as it cannot be moved: %s", key, problem)
            failed = self._stuck.get(key, StuckMail(key))
            self._keep(replace(failed, folder=folder, copied=problem.copied, moved=False, why=str(problem)))
            return False
        stuck = self._stuck.get(key)
        if not was_there or stuck is None:
            self._forget(key)
        elif stuck.moved:
            why = "the mail server lists the mail again after it was moved"
            self._keep(replace(stuck, folder=folder, copied=True, why=why))
        else:  # the next search will show whether it is gone
            self._remember(replace(stuck, folder=folder, copied=True, moved=True, tries=0))
        return True

    def _move_the_rest(self) -> None:
        self._stuck = self.stuck.load()
        for key, stuck in list(self._stuck.items()):
            if stuck.folder and self.stuck.is_due(stuck) and not self._put_away(key, stuck.folder):
                return

    def _is_left_alone(self, key: str) -> bool:
        stuck = self._stuck.get(key)
        return stuck is not None and (bool(stuck.folder) or not self.stuck.is_due(stuck))

    def _keep(self, stuck: StuckMail, head: bytes = b"") -> None:
        self._remember(replace(stuck, tries=stuck.tries + 1), head)

    def _remember(self, stuck: StuckMail, head: bytes = b"") -> None:
        self._stuck[stuck.key] = stuck
        self.stuck.keep(stuck, head)

    def _forget(self, key: str) -> None:
        if self._stuck.pop(key, None):
            self.stuck.forget(key)

    def _forget_what_is_gone(self, listed: Collection[str]) -> None:
        for key, stuck in list(self._stuck.items()):
            if not stuck.folder and key not in listed:
                self._forget(key)


@dataclass(frozen=True, slots=True)
class MaildirPlace:
    """The folders of the Maildir. Missing folders are created. Their names are written as for IMAP."""

    path: Path
    processed: str = "Mentat/Processed"
    shunted: str = "Mentat/Shunted"
    max_bytes: int = MAX_BYTES


class MaildirMailbox(Inbox):
    def __init__(self, place: MaildirPlace) -> None:
        super().__init__(place.processed, place.shunted)
        self._place = place
        self._known: set[str] = set()
        self._places: dict[str, Path] = {}
        self._closing = threading.Event()

    def fetch_new(self) -> Iterator[FetchedMail]:
        self._move_the_rest()
        files = self._files()
        self._known = set(files)
        self._forget_what_is_gone(files)
        for key in sorted(files, key=lambda key: arrival_of(key, files[key])):
            if self._is_left_alone(key):
                continue
            try:
                found = self._found(key, files[key])
            except FileNotFoundError:
                continue
            except OSError as error:
                self._leave(key, error)
                continue
            self._forget(key)
            yield found

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
            if (self._place.path / "new").exists():  # otherwise it may be a mount point with no disk mounted
                make_maildir(self._place.path)
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
        reason = error.strerror or type(error).__name__
        if key not in self._stuck:
            _log.error(
                "message %s in %s cannot be read (%s) and stays there; check its owner", key, self._place.path, reason
            )
        self._keep(self._stuck.get(key, StuckMail(key, why=f"the file {key} cannot be opened ({reason})")))

    def _read(self, key: str, path: Path) -> FetchedMail:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size <= self._place.max_bytes:
                return FetchedMail(key, file.read(), size)
            head = file.read(_HEAD_BYTES)
        return FetchedMail(key, None, size, head_of(head))

    def _move(self, key: str, folder: str) -> bool:
        path = self._places.get(key)
        if path is None or not path.exists():
            path = self._files().get(key)
        if path is None:
            return False
        target = self._place.path / ("." + folder.replace("/", "."))
        try:
            make_maildir(target)
            (target / "maildirfolder").touch(mode=0o600)
            flags = path.name.partition(":2,")[2]
            with contextlib.suppress(FileNotFoundError):
                os.rename(path, target / "cur" / f"{key}:2,{''.join(sorted({*flags, 'S'}))}")
        except OSError as error:
            raise CannotMove(str(self._unavailable(error))) from None
        self._known.discard(key)
        self._places.pop(key, None)
        return True

    def _unavailable(self, error: OSError) -> MailboxUnavailable:
        reason = error.strerror or type(error).__name__
        return MailboxUnavailable(
            f"the Maildir {self._place.path} cannot be used ({reason}); check [mailbox] maildir and its owner, or let "
            "`mentat init` create it"
        )


def make_maildir(path: Path) -> None:
    for folder in (path, *(path / name for name in ("tmp", "new", "cur"))):
        folder.mkdir(mode=_OWNER_ONLY, exist_ok=True)


def arrival_of(key: str, path: Path) -> tuple[int, int, str]:
    """Return the sort key of a message: the seconds in its file name, which every delivery program writes, then the
    time of the file. The rest of the name has too many forms to order messages of the same second."""
    try:
        written = path.stat().st_mtime_ns
    except OSError:
        written = 0
    second = _SECONDS.match(key)
    return int(second[0]) if second else written // 1_000_000_000, written, key
