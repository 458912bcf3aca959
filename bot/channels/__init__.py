"""Channels: one interface through which the public side of a game reaches a forum or a mailing list.

A channel knows nothing about games, players' secrets or the database. This module defines the interface, its values,
and the errors that a forum can cause. Identifiers and cursors are opaque strings from the forum. They are stored
unchanged and compared only for equality.
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
    """The maximum length of a post, in characters of its source text."""
    seconds_between_posts: float
    posts_in_a_row: int | None = None
    """The number of posts in a row that one account may write, or None for no limit. The next one raises Refused."""
    characters_at_least: int = 1
    pictures: bool = False
    revisable: bool = False
    """True if our own posts can be edited later, such as a thread's index post."""


@dataclass(frozen=True)
class Thread:
    id: str
    url: str | None = None


@dataclass(frozen=True)
class Post:
    id: str
    author: str
    """The display name. It can be changed or imitated, so nothing must depend on it."""
    author_id: str
    """The account's permanent identifier: a number in a forum, an address in a list. It is empty if the account no
    longer exists. If a mail only claims to come from an address, it is `unproven:` followed by that address
    (``mailing_list.UNPROVEN``)."""
    posted: datetime
    """The time at which the forum received the post, by the forum's clock."""
    raw: str
    number: int | None = None
    """The post's number in its thread, as readers see it."""
    version: int | None = None
    edited: datetime | None = None
    reply_to: str | None = None


@dataclass(frozen=True)
class Gone:
    """A post that can no longer be read, because its author deleted it, a moderator hid it, or it was moved
    elsewhere."""

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
    """Posts from a thread, in the forum's own order, and the cursor for the posts that follow.

    The same post may be returned again, with the same identifier, if the forum forgot a cursor or a page was read
    twice. A post that reached a mailing list late may follow posts that were written after it.
    """

    posts: tuple[Post, ...]
    cursor: str
    more: bool = False
    """True if the next page can be read immediately, because the forum returns long threads in pages."""


class ChannelError(Exception):
    pass


class NotPossible(ChannelError):
    """This kind of channel can never do what was asked. For example, a mail that was sent to a list cannot be
    changed."""


class Refused(ChannelError):
    """The forum refuses the request, and will go on refusing until somebody acts, for example because a key was revoked
    or a thread was closed."""


class TooSoon(ChannelError):
    """The forum asks us to wait this many `seconds` (RFC 6585, 429; RFC 9110, Retry-After)."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class Unreachable(ChannelError):
    """The forum gave no answer, or one that cannot be read. It may have carried out the request anyway, so look for the
    result before trying again."""


class CursorForgotten(ChannelError):
    """The forum no longer knows this cursor. The caller must read the thread from its start and skip the posts it
    already knows."""


class ReadableChannel(Protocol):
    """The part of a channel that reads from one forum or list. Each method raises a ChannelError if it fails."""

    @property
    def limits(self) -> Limits: ...

    def read_since(self, thread: Thread, cursor: str | None) -> Page: ...

    def look_again(self, thread: Thread, posts: Sequence[str]) -> tuple[Post | Gone, ...]: ...

    def messages_since(self, cursor: str | None) -> tuple[tuple[PrivateMessage, ...], str]:
        """Return the private messages that were sent to our account after the cursor, and a new cursor. Raise
        NotPossible if the channel has no private messages."""
        ...


class Channel(ReadableChannel, Protocol):
    """A channel that can also write to its forum or list. `key` makes writing idempotent: if a post with this key
    already exists, that post is returned and nothing is written."""

    def open_thread(self, title: str, first: str, key: str) -> tuple[Thread, str]: ...

    def post(self, thread: Thread, text: str, key: str) -> str: ...

    def revise(self, post: str, text: str) -> None:
        """Replace the text of one of our posts. Use this for the index post, never for an announcement that people may
        already have read."""
        ...

    def retitle(self, thread: Thread, title: str) -> None: ...

    def upload(self, picture: bytes, name: str) -> str:
        """Upload a PNG picture and return the markup that shows it in a post."""
        ...
