"""The interface of a channel: threads, posts, limits, and the ways in which a forum can say no.

Identifiers and cursors are a forum's own words: they are kept as they come and compared for equality alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class Dialect(StrEnum):
    """The markup in which a channel wants its posts."""

    MARKDOWN = "markdown"
    BBCODE = "bbcode"
    BGG = "bgg"
    TEXT = "text"


@dataclass(frozen=True)
class Limits:
    """What a channel takes, as its documents say or its answers have taught."""

    dialect: Dialect
    characters: int
    "The longest post, in characters of its source."
    seconds_between_posts: float
    posts_in_a_row: int | None = None
    "How many posts one account may write in a row; None where there is no such limit. One more is Refused."
    characters_at_least: int = 1
    pictures: bool = False
    revisable: bool = False
    "Whether a post of ours may be changed later, as the index post of a thread is."


@dataclass(frozen=True)
class Thread:
    """A thread of a channel."""

    id: str
    url: str | None = None


@dataclass(frozen=True)
class Post:
    """A post as it was read: its source, never what a browser shows of it."""

    id: str
    author: str
    "The name that is shown. It may be changed and imitated, so nothing is decided by it."
    author_id: str
    """What the forum calls its account for good: a number, or the address of a member of a list. Empty where there is
    no account any more; `unproven:` and an address where a mail only claims to be from there (posters.UNPROVEN)."""
    posted: datetime
    "When the forum took it, by the forum's clock."
    raw: str
    number: int | None = None
    "Its number in the thread as readers see it."
    version: int | None = None
    edited: datetime | None = None
    reply_to: str | None = None


@dataclass(frozen=True)
class Gone:
    """A post that can be read no more: deleted by its author, hidden by a moderator, or moved away."""

    id: str


@dataclass(frozen=True)
class PrivateMessage:
    """What an account of the forum wrote to ours alone."""

    id: str
    author: str
    author_id: str
    sent: datetime
    raw: str


@dataclass(frozen=True)
class Page:
    """Posts of a thread in the forum's own order, and where to read on.

    A post may come again, with the same identifier: where a cursor was forgotten, or a page was read twice. One that
    came late to a mailing list stands after others that were written later.
    """

    posts: tuple[Post, ...]
    cursor: str
    more: bool = False
    "Whether there is more to read at once: a forum gives long threads in pieces."


class ChannelError(Exception):
    """Why a channel did not do what it was asked."""


class NotPossible(ChannelError):
    """This kind of channel cannot do it at all, as a mailing list cannot change a post."""


class Refused(ChannelError):
    """The forum says no, and will go on saying so until a person does something: a key revoked, a thread closed."""


class TooSoon(ChannelError):
    """The forum wants us to wait (RFC 6585, 429; RFC 9110, Retry-After): `seconds` is how long, as it said."""

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class Unreachable(ChannelError):
    """No answer, or none that can be read. What was asked may be done all the same: it is looked for first."""


class CursorForgotten(ChannelError):
    """The forum knows this cursor no more: the thread is read from its start, and known posts are passed over."""


class ReadableChannel(Protocol):
    """What can be read in one forum or list. Each method raises a ChannelError where it cannot be done now."""

    @property
    def limits(self) -> Limits:
        """What is known of the channel's limits now."""
        ...

    def read_since(self, thread: Thread, cursor: str | None) -> Page:
        """Read the posts after a cursor, from the beginning of the thread where there is none."""
        ...

    def look_again(self, thread: Thread, posts: Sequence[str]) -> tuple[Post | Gone, ...]:
        """Read posts again that were read before, to see what was changed or deleted."""
        ...

    def messages_since(self, cursor: str | None) -> tuple[tuple[PrivateMessage, ...], str]:
        """Read what was written to our account alone. NotPossible where a channel has no such thing."""
        ...


class Channel(ReadableChannel, Protocol):
    """The public side of games in one forum or list.

    `key` makes writing idempotent: a post of the same key that is there already is found again and not written twice.
    """

    def open_thread(self, title: str, first: str, key: str) -> tuple[Thread, str]:
        """Open a thread with its first post. Returns both: the thread, and the post's identifier."""
        ...

    def post(self, thread: Thread, text: str, key: str) -> str:
        """Write a post. Returns its identifier."""
        ...

    def revise(self, post: str, text: str) -> None:
        """Put other words into a post of ours: the index post, never an announcement that somebody may have read."""
        ...

    def retitle(self, thread: Thread, title: str) -> None:
        """Give a thread of ours another title."""
        ...

    def upload(self, picture: bytes, name: str) -> str:
        """Bring a picture (PNG) to the forum. Returns what a post says to show it."""
        ...
