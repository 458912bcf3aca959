"""Copy and paste: a person posts our texts by hand, and hands in other people's posts. This works with any forum, even
one without an API.

Texts to be posted are queued as numbered blocks. A block that has been ticked off as posted becomes part of its thread,
and so does a post that was handed in. The person may add the number that the forum gives a post. If a post is handed in
again under the same number but with different text, it counts as edited.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NoReturn, Protocol

from bot.channels import CursorForgotten, Gone, Limits, NotPossible, Page, Post, PrivateMessage, Refused, Thread

OURS = "mentat"
"""The author name and account of our own blocks."""


@dataclass(frozen=True)
class Block:
    number: int
    thread: str
    text: str
    key: str
    title: str | None = None
    posted: bool = False

    @property
    def post(self) -> str:
        return f"block-{self.number}"


class Kept(Protocol):
    def blocks(self) -> Sequence[Block]: ...

    def put_block(self, block: Block) -> None: ...

    def posts(self, thread: str) -> Sequence[Post | Gone]: ...

    def put_post(self, thread: str, post: Post | Gone) -> None: ...


class PasteChannel:
    def __init__(self, kept: Kept, limits: Limits, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._kept = kept
        self._limits = replace(limits, seconds_between_posts=0, pictures=False, revisable=False)
        self._now = now

    # the person

    def waiting(self) -> Sequence[Block]:
        return [block for block in self._kept.blocks() if not block.posted]

    def done(self, number: int, forum_number: int | None = None, *, in_order: bool = True) -> None:
        """Mark a block as posted, with its number in the forum if known. Blocks must be posted in order; pass
        ``in_order=False`` for a block that was found in the thread without the blocks that should precede it."""
        block = next((block for block in self._kept.blocks() if block.number == number), None)
        if block is None:
            raise Refused(f"there is no block {number}")
        if block.posted:
            return
        first = self.waiting()[0].number
        if in_order and first != number:
            raise Refused(f"block {first} must be posted before block {number}")
        self._kept.put_block(replace(block, posted=True))
        self._kept.put_post(
            block.thread, Post(block.post, OURS, OURS, self._now(), block.text, number=forum_number, version=1)
        )

    def hand_in(
        self,
        thread: Thread,
        author: str,
        author_id: str,
        text: str,
        number: int | None = None,
        posted: datetime | None = None,
        reply_to: str | None = None,
        same_as: str = "",
    ) -> Post:
        """Store a post that a person handed in, with its number in the forum if known. A post that is handed in twice
        is stored as one post. ``same_as`` identifies a known post without a number that is being handed in again."""
        known = self._posts(thread)
        identifier = f"{thread.id}#{number}" if number is not None else same_as or f"{thread.id}/{len(known) + 1}"
        post = Post(identifier, author, author_id, posted or self._now(), text, number, version=1, reply_to=reply_to)
        before = next((one for one in known if one.id == identifier), None)
        if isinstance(before, Post):
            if before.author_id != author_id:
                raise Refused(
                    f"post {number or identifier} was handed in before as a post of {before.author or before.author_id}"
                )
            if before.raw == text:
                return before
            post = replace(before, author=author, raw=text, version=(before.version or 1) + 1, edited=self._now())
        self._kept.put_post(thread.id, post)
        return post

    def struck(self, thread: Thread, post: str) -> None:
        if not any(one.id == post for one in self._posts(thread)):
            raise Refused(f"there is no post {post} in this thread")
        self._kept.put_post(thread.id, Gone(post))

    # the channel

    @property
    def limits(self) -> Limits:
        return self._limits

    def open_thread(self, title: str, first: str, key: str) -> tuple[Thread, str]:
        block = self._block(None, first, key, title)
        return Thread(block.thread), block.post

    def post(self, thread: Thread, text: str, key: str) -> str:
        self._posts(thread)
        return self._block(thread.id, text, key, None).post

    def revise(self, post: str, text: str) -> None:
        _by_hand("nobody is asked to edit posts by hand")

    def retitle(self, thread: Thread, title: str) -> None:
        _by_hand("nobody is asked to change titles by hand")

    def upload(self, picture: bytes, name: str) -> str:
        _by_hand("nobody is asked to upload pictures by hand")

    def read_since(self, thread: Thread, cursor: str | None) -> Page:
        posts = self._posts(thread)
        if cursor is not None and not (cursor.isdecimal() and int(cursor) <= len(posts)):
            raise CursorForgotten(f"there is no position {cursor} in this thread")
        new = posts[int(cursor or 0) :]
        return Page(tuple(post for post in new if isinstance(post, Post)), str(len(posts)))

    def look_again(self, thread: Thread, posts: Sequence[str]) -> tuple[Post | Gone, ...]:
        known = {post.id: post for post in self._posts(thread)}
        return tuple(known.get(post, Gone(post)) for post in posts)

    def messages_since(self, cursor: str | None) -> tuple[tuple[PrivateMessage, ...], str]:
        _by_hand("private messages are not handed in")

    def _block(self, thread: str | None, text: str, key: str, title: str | None) -> Block:
        blocks = self._kept.blocks()
        for block in blocks:
            if block.key == key and thread in (None, block.thread):
                return block
        least, most = self._limits.characters_at_least, self._limits.characters
        if not least <= len(text) <= most:
            raise Refused(f"a post has {least} to {most} characters, not {len(text)}")
        number = len(blocks) + 1
        block = Block(number, thread or f"thread-{number}", text, key, title)
        self._kept.put_block(block)
        return block

    def _posts(self, thread: Thread) -> Sequence[Post | Gone]:
        if not any(block.thread == thread.id for block in self._kept.blocks()):
            raise Refused(f"there is no thread {thread.id}")
        return self._kept.posts(thread.id)


def _by_hand(why: str) -> NoReturn:
    raise NotPossible(why)
