"""A forum in memory, with accounts, threads, edits, deletions, limits, and a clock that may be wrong.

`MemoryForum` is the forum with its people. `MemoryChannel` is one account's connection to it, with faults on request.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

from bot.channels import (
    CursorForgotten,
    Dialect,
    Gone,
    Limits,
    NotPossible,
    Page,
    Post,
    PrivateMessage,
    Refused,
    Thread,
    TooSoon,
)
from tests.channels.faults import Fault, Line

T = TypeVar("T")

SILENT = timedelta(minutes=5)
"Edits within this time after the post leave no trace (Discourse, editing_grace_period)."
PAGE = 20
ROOMY = Limits(Dialect.MARKDOWN, characters=32_000, seconds_between_posts=0, pictures=True, revisable=True)


@dataclass
class _Written:
    post: Post
    thread: str
    key: str | None = None
    deleted: bool = False


@dataclass
class _Thread:
    title: str
    posts: list[str] = field(default_factory=list)
    closed: bool = False


class MemoryForum:
    """The forum and its people, with the methods that tests call directly."""

    def __init__(
        self,
        limits: Limits = ROOMY,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        private_messages: bool = True,
    ) -> None:
        self.limits = limits
        self.private_messages = private_messages
        self.skew = timedelta(0)
        self.revoked = False
        self.pictures: dict[str, bytes] = {}
        self._now = now
        self._names: dict[str, str] = {}
        self._threads: dict[str, _Thread] = {}
        self._written: dict[str, _Written] = {}
        self._messages: list[tuple[str, PrivateMessage]] = []
        self._forgotten = 0
        self.line = Line(self.now)

    def now(self) -> datetime:
        """Return the time on the forum's own clock."""
        return self._now() + self.skew

    # people

    def join(self, name: str) -> str:
        """Create an account. Its name need not be unique. Return its permanent identifier."""
        account = f"account-{len(self._names) + 1}"
        self._names[account] = name
        return account

    def rename(self, account: str, name: str) -> None:
        """Change the name shown for an account, in old posts too."""
        self._names[account] = name

    def write(self, account: str, thread: str, text: str, reply_to: str | None = None) -> str:
        """Write a post to a thread as this account."""
        return self._store(account, thread, text, None, reply_to)

    def edit(self, post: str, text: str) -> None:
        """Change a post as its author. Within five minutes of posting, the edit leaves no trace."""
        written = self._written[post]
        silent = self.now() - written.post.posted < SILENT
        version = (written.post.version or 1) + (not silent)
        edited = written.post.edited if silent else self.now()
        written.post = replace(written.post, raw=text, version=version, edited=edited)

    def delete(self, post: str) -> None:
        """Delete a post, as its author or a moderator does."""
        self._written[post].deleted = True

    def close(self, thread: str, closed: bool = True) -> None:
        """Close or reopen a thread as a moderator."""
        self._threads[thread].closed = closed

    def tell(self, account: str, to: str, text: str) -> str:
        """Send a private message to one account."""
        message = PrivateMessage(f"message-{len(self._messages) + 1}", self._names[account], account, self.now(), text)
        self._messages.append((to, message))
        return message.id

    def forget_cursors(self) -> None:
        """Make the forum forget all cursors that it has given out."""
        self._forgotten += 1

    # the state

    def title(self, thread: str) -> str:
        return self._threads[thread].title

    def threads(self) -> tuple[str, ...]:
        """Return the threads in the order in which they were opened."""
        return tuple(self._threads)

    def posts(self, thread: str) -> tuple[Post, ...]:
        """Return the posts that anybody can read in a thread now."""
        written = (self._written[post] for post in self._threads[thread].posts)
        return tuple(self._shown(one) for one in written if not one.deleted)

    # requests from the channel

    def opened(self, account: str, title: str, first: str, key: str) -> tuple[str, str]:
        """Open a thread with its first post, or return the thread already opened with this key."""
        found = self.find(account, key, None)
        if found:
            return self._written[found].thread, found
        self.check(account, None, first)
        thread = f"thread-{len(self._threads) + 1}"
        self._threads[thread] = _Thread(title)
        return thread, self._store(account, thread, first, key, None)

    def posted(self, account: str, thread: str, text: str, key: str) -> str:
        """Write a post in a thread, or return the post already written with this key."""
        found = self.find(account, key, thread)
        if found:
            return found
        self.check(account, thread, text)
        return self._store(account, thread, text, key, None)

    def find(self, account: str, key: str, thread: str | None) -> str | None:
        """Return the post that an account wrote with a key."""
        for identifier, written in self._written.items():
            mine = written.post.author_id == account and written.key == key
            if mine and thread in (None, written.thread):
                return identifier
        return None

    def revised(self, account: str, post: str, text: str) -> None:
        """Change the text of one of the account's own posts."""
        written = self._written.get(post)
        if written is None or written.deleted or written.post.author_id != account:
            raise Refused(f"there is no post {post} of yours")
        self.length(text)
        self.edit(post, text)

    def retitled(self, account: str, thread: str, title: str) -> None:
        """Change the title of one of the account's own threads."""
        self.open_thread(thread).title = title

    def page(self, thread: str, cursor: str | None) -> Page:
        """Return the posts after a cursor, up to one page."""
        posts = self._known(thread).posts
        start = self._after(cursor)
        if start > len(posts):
            raise CursorForgotten(f"the forum does not know the cursor {cursor}")
        end = min(len(posts), start + PAGE)
        written = [self._written[post] for post in posts[start:end]]
        shown = tuple(self._shown(one) for one in written if not one.deleted)
        return Page(shown, self._cursor(end), more=end < len(posts))

    def again(self, thread: str, posts: Sequence[str]) -> tuple[Post | Gone, ...]:
        """Return the current versions of these posts."""
        found = [(post, self._written.get(post)) for post in posts]
        return tuple(
            self._shown(one) if one and not one.deleted and one.thread == thread else Gone(post) for post, one in found
        )

    def messages(self, account: str, cursor: str | None) -> tuple[tuple[PrivateMessage, ...], str]:
        """Return an account's private messages."""
        if not self.private_messages:
            raise NotPossible("this forum has no private messages")
        start = self._after(cursor)
        new = tuple(
            replace(message, author=self._names[message.author_id])
            for to, message in self._messages[start:]
            if to == account
        )
        return new, self._cursor(len(self._messages))

    def check(self, account: str, thread: str | None, text: str) -> None:
        """Raise an error if a post breaks one of the forum's limits."""
        self.length(text)
        own = [one.post.posted for one in self._written.values() if one.post.author_id == account]
        if own and self.limits.seconds_between_posts:
            wait = self.limits.seconds_between_posts - (self.now() - own[-1]).total_seconds()
            if wait > 0:
                raise TooSoon("posts come too quickly", wait)
        if thread is None:
            return
        posts = [self._written[post].post.author_id for post in self.open_thread(thread).posts]
        row = self.limits.posts_in_a_row
        if row is not None and posts[-row:] == [account] * row:
            raise Refused(f"no more than {row} posts in a row of one account")

    def length(self, text: str) -> None:
        """Raise an error if a post is too short or too long."""
        if not self.limits.characters_at_least <= len(text) <= self.limits.characters:
            raise Refused(
                f"a post has {self.limits.characters_at_least} to {self.limits.characters} characters, not {len(text)}"
            )

    def open_thread(self, thread: str) -> _Thread:
        """Return a thread that is open for posts."""
        found = self._known(thread)
        if found.closed:
            raise Refused("the thread is closed")
        return found

    def out_of_order(self, page: Page, thread: str, cursor: str | None) -> Page:
        """Return a page without its first post, and move that post to the end of the thread, as if it had come late."""
        order = self._threads[thread].posts
        start = self._after(cursor)
        if len(order) - start < 2 or page.more:
            return page
        order.append(order.pop(start))
        return Page(page.posts[1:], self._cursor(len(order) - 1))

    def _known(self, thread: str) -> _Thread:
        if thread not in self._threads:
            raise Refused(f"there is no thread {thread}")
        return self._threads[thread]

    def _store(self, account: str, thread: str, text: str, key: str | None, reply_to: str | None) -> str:
        identifier = f"post-{len(self._written) + 1}"
        posts = self._threads[thread].posts
        post = Post(
            identifier, "", account, self.now(), text, number=len(posts) + 1, version=1, edited=None, reply_to=reply_to
        )
        self._written[identifier] = _Written(post, thread, key)
        posts.append(identifier)
        return identifier

    def _shown(self, written: _Written) -> Post:
        return replace(written.post, author=self._names[written.post.author_id])

    def _cursor(self, position: int) -> str:
        return f"{self._forgotten}:{position}"

    def _after(self, cursor: str | None) -> int:
        if cursor is None:
            return 0
        age, _, position = cursor.partition(":")
        if age != str(self._forgotten) or not position.isdecimal():
            raise CursorForgotten(f"the forum does not know the cursor {cursor}")
        return int(position)


class MemoryChannel:
    """One account's access to a forum in memory."""

    def __init__(self, forum: MemoryForum, name: str = "Mentat") -> None:
        self.forum = forum
        self.account = forum.join(name)

    @property
    def limits(self) -> Limits:
        return self.forum.limits

    def open_thread(self, title: str, first: str, key: str) -> tuple[Thread, str]:
        thread, post = self._write(partial(self.forum.opened, self.account, title, first, key))
        return Thread(thread), post

    def post(self, thread: Thread, text: str, key: str) -> str:
        return self._write(partial(self.forum.posted, self.account, thread.id, text, key))

    def revise(self, post: str, text: str) -> None:
        if not self.limits.revisable:
            raise NotPossible("posts of this forum cannot be changed")
        self._write(partial(self.forum.revised, self.account, post, text))

    def retitle(self, thread: Thread, title: str) -> None:
        if not self.limits.revisable:
            raise NotPossible("threads of this forum keep their titles")
        self._write(partial(self.forum.retitled, self.account, thread.id, title))

    def upload(self, picture: bytes, name: str) -> str:
        if not self.limits.pictures:
            raise NotPossible("this forum takes no pictures")
        self._write(lambda: self.forum.pictures.update({name: picture}))
        return f"![{name}](picture:{name})"

    def read_since(self, thread: Thread, cursor: str | None) -> Page:
        fault = self._read()
        page = self.forum.page(thread.id, cursor)
        if fault is Fault.DOUBLE and cursor is not None:
            return replace(page, cursor=cursor)
        if fault is Fault.REORDER:
            return self.forum.out_of_order(page, thread.id, cursor)
        return page

    def look_again(self, thread: Thread, posts: Sequence[str]) -> tuple[Post | Gone, ...]:
        self._read()
        return self.forum.again(thread.id, posts)

    def messages_since(self, cursor: str | None) -> tuple[tuple[PrivateMessage, ...], str]:
        self._read()
        return self.forum.messages(self.account, cursor)

    def _write(self, request: Callable[[], T]) -> T:
        def asked() -> T:
            if self.forum.revoked:
                raise Refused("the key was revoked")
            return request()

        return self.forum.line.write(asked)

    def _read(self) -> Fault | None:
        fault = self.forum.line.read()
        if self.forum.revoked:
            raise Refused("the key was revoked")
        return fault
