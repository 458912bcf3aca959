"""The mailbox that players write to, behind one small protocol.

A message stays in the inbox until the moderator has committed it and calls `done` or `shunt`, which move it away. So
the inbox itself is the list of what is still to do, whatever was \\Seen or not: a process that dies between commit and
move finds the message again, under the same key, and knows it by that key. Keys survive restarts.

`bot.mail.servers.imap` reads an IMAP server, `bot.mail.servers.maildir` a directory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


class MailboxUnavailable(Exception):
    """The mailbox cannot be reached or used now. One sentence: which, and what to check. Never a password."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A message that waits in the inbox.

    `raw` is None when the message is larger than the mailbox was told to read; then `head` holds its header
    fields alone, so that its sender can be told. `size` is in bytes.
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
    """Where mail comes from. All methods but `close` may raise `MailboxUnavailable`."""

    def fetch_new(self) -> Iterator[Fetched]:
        """Every message in the inbox, oldest first. Messages may be moved away while this runs."""
        ...

    def done(self, key: str) -> None:
        """Move a processed message away. One that is already gone is no error."""
        ...

    def shunt(self, key: str, reason: str) -> None:
        """Set a message aside that could not be processed, for the game master to look at; the reason is logged."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait until something new may have come (True) or the time is over or `close` was called (False)."""
        ...

    def close(self) -> None:
        """Let go of the mailbox and end a `wait` that another thread is in. Never raises."""
        ...
