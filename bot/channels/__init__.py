"""Channels: how the public side of a game reaches a forum or a mailing list, through one interface.

A channel knows nothing about games, players' secrets or the database. This module defines the interface, its values,
and the errors that a forum can cause. Identifiers and cursors are the forum's own texts. They are stored unchanged and
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
    """The greatest length of a post, in characters of its source text."""
    seconds_between_posts: float
    posts_in_a_row: int | None = None
    """How many posts in a row one account may write, or None for no limit. One more raises Refused."""
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
    """The displayed name. It can be changed and imitated, so nothing may depend on it."""
    author_id: str
    """The forum's permanent identifier of an account: a number, or the address of a list member. It is empty if the
    account no longer exists, and `unproven:` followed by an address if a mail only claims to come from that address
    (``mailing_list.UNPROVEN``)."""
    posted: datetime
    """When the forum received the post, by the forum's clock."""
    raw: str
    number: int | None = None
    """The number of the post in its thread, as readers see it."""
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
    """Some posts of a thread, in the forum's own order, and the cursor from which to read on.

    The same post may be returned again, with the same identifier, if the forum forgot a cursor or a page was read
    twice. A post that reached a mailing list late may follow posts that were written after it.
    """

    posts: tuple[Post, ...]
    cursor: str
    more: bool = False
    """Whether there is more to read at once, because the forum returns long threads in pages."""


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
    """The forum gave no answer, or one that cannot be read. The request may have been carried out all the same, so look
    for its result before trying again."""


class CursorForgotten(ChannelError):
    """The forum no longer knows this cursor. The caller reads the thread from its start and skips the posts it already
    knows."""


class ReadableChannel(Protocol):
    """The part of a channel that reads from one forum or list. Each method raises a ChannelError if it fails."""

    @property
    def limits(self) -> Limits: ...

    def read_since(self, thread: Thread, cursor: str | None) -> Page: ...

    def look_again(self, thread: Thread, posts: Sequence[str]) -> tuple[Post | Gone, ...]: ...

    def messages_since(self, cursor: str | None) -> tuple[tuple[PrivateMessage, ...], str]:
        """Read the private messages that were sent to our account after the cursor, and return them with a new cursor.
        Raise NotPossible if the channel has no private messages."""
        ...


class Channel(ReadableChannel, Protocol):
    """The public side of games in one forum or list. `key` makes writing idempotent: if a post with this key already
    exists, that post is returned and nothing is written."""

    def open_thread(self, title: str, first: str, key: str) -> tuple[Thread, str]: ...

    def post(self, thread: Thread, text: str, key: str) -> str: ...

    def revise(self, post: str, text: str) -> None:
        """Replace the text of one of our posts. Use this for the index post, never for an announcement that people may
        already have read."""
        ...

    def retitle(self, thread: Thread, title: str) -> None: ...

    def upload(self, picture: bytes, name: str) -> str:
        """Upload a picture (PNG). Return the markup that shows it in a post."""
        ...
