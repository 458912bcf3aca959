"""Channels: how the public side of a game reaches a forum or a mailing list, behind one interface.

A channel knows nothing about games, players' secrets or the database. This module has the interface, its values, and
the ways in which a forum can refuse. Identifiers and cursors are the forum's own texts. They are stored unchanged and
only compared for equality.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class Dialect(StrEnum):
    MARKDOWN = "markdown"
    BBCODE = "bbcode"
    BGG = "bgg"
    TEXT = "text"


@dataclass(frozen=True)
class Limits:
    dialect: Dialect
    characters: int
    """The longest post, in characters of its source."""
    seconds_between_posts: float
    posts_in_a_row: int | None = None
    """How many consecutive posts one account may write, or None. One more is Refused."""
    characters_at_least: int = 1
    pictures: bool = False
    revisable: bool = False
    """Whether a post of ours may be changed later, such as the index post of a thread."""


@dataclass(frozen=True)
class Thread:
    id: str
    url: str | None = None


@dataclass(frozen=True)
class Post:
    id: str
    author: str
    """The displayed name. It can be changed and imitated, so nothing depends on it."""
    author_id: str
    """The forum's permanent identifier of an account: a number, or the address of a list member. Empty if the
    account no longer exists. `unproven:` and an address if a mail only claims to come from there
    (posters.UNPROVEN)."""
    posted: datetime
    """When the forum received the post, by the forum's clock."""
    raw: str
    number: int | None = None
    """The post's number in the thread as readers see it."""
    version: int | None = None
    edited: datetime | None = None
    reply_to: str | None = None


@dataclass(frozen=True)
class Gone:
    """A post that can no longer be read: deleted by its author, hidden by a moderator, or moved away."""

    id: str


@dataclass(frozen=True)
class PrivateMessage:
    id: str
    author: str
    author_id: str
    sent: datetime
    raw: str


@dataclass(frozen=True)
class Page:
    """Posts of a thread in the forum's own order, and where to continue reading.

    A post may come again with the same identifier, if a cursor was forgotten or a page was read twice. A post that
    reached a mailing list late may come after posts that were written later.
    """

    posts: tuple[Post, ...]
    cursor: str
    more: bool = False
    """Whether there is more to read at once: a forum returns long threads in pages."""


class ChannelError(Exception):
    pass


class NotPossible(ChannelError):
    """This kind of channel cannot do it at all. For example, a mailing list cannot change a post."""


class Refused(ChannelError):
    """The forum refuses, and will refuse until a person acts, for example because a key was revoked or a thread
    closed."""


class TooSoon(ChannelError):
    """The forum asks us to wait this many `seconds` (RFC 6585, 429; RFC 9110, Retry-After)."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class Unreachable(ChannelError):
    """No answer, or an unreadable one. The request may have been carried out: look for its result before a retry."""


class CursorForgotten(ChannelError):
    """The forum no longer knows this cursor. The thread is read from its start, and known posts are skipped."""


class ReadableChannel(Protocol):
    """The readable side of one forum or list. Each method raises a ChannelError if it fails."""

    @property
    def limits(self) -> Limits: ...

    def read_since(self, thread: Thread, cursor: str | None) -> Page: ...

    def look_again(self, thread: Thread, posts: Sequence[str]) -> tuple[Post | Gone, ...]: ...

    def messages_since(self, cursor: str | None) -> tuple[tuple[PrivateMessage, ...], str]:
        """Read the private messages to our account. Raises NotPossible if a channel has none."""
        ...


class Channel(ReadableChannel, Protocol):
    """The public side of games in one forum or list. `key` makes writing idempotent: if a post with the same key
    exists, it is returned and not written again."""

    def open_thread(self, title: str, first: str, key: str) -> tuple[Thread, str]: ...

    def post(self, thread: Thread, text: str, key: str) -> str: ...

    def revise(self, post: str, text: str) -> None:
        """Replace the text of a post of ours. Use it for the index post, never for an announcement that somebody may
        have read."""
        ...

    def retitle(self, thread: Thread, title: str) -> None: ...

    def upload(self, picture: bytes, name: str) -> str:
        """Upload a picture (PNG). Return the markup that shows it in a post."""
        ...
