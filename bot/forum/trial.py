"""A forum tried: a thread of its own, in which Mentat does once all that it does in the threads of games.

Nothing of games is touched. What the forum answers is told step by step, with the permission that is missing where it
says no. Its limits are told as they are known then, for some are learnt from its answers.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeVar

from bot.channels.channel import (
    Channel,
    ChannelError,
    Gone,
    NotPossible,
    Post,
    Refused,
    Thread,
    TooSoon,
    Unreachable,
)
from bot.wording.sentences import say

T = TypeVar("T")
State = Literal["well", "cannot", "wrong", "left"]
PAUSE = 2.0
"""Seconds between two tries of what may still come."""
PAGES = 20
CLOCK_APART = 60
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKklEQVR42u3NQQkAAAgEsGtvJdOYxRQ+hMH+y3SdikAgEAgEAoFAIPgSLKkN"
    "dHmAtmOOAAAAAElFTkSuQmCC"
)
"""A square of sand, 32 pixels wide (PNG)."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was tried. ``well``, ``cannot`` (this kind of forum does not have it, and Mentat does without),
    ``wrong`` (``advice`` says what to do), or ``left`` since what it needs failed."""

    name: str
    state: State
    told: str
    advice: str = ""


class _Failed(Exception):
    """Why a step did not work."""

    def __init__(self, why: str, advice: str = "") -> None:
        super().__init__(why)
        self.advice = advice


@dataclass
class Trial:
    """A trial of one forum. ``wait`` are the seconds for which what takes its time is waited for: the patience that a
    forum asks for, and on a list the way of a mail and back; ``between`` is called while it is, with seconds to pass,
    and may fetch mail."""

    channel: Channel
    kind: str
    sign: str
    now: Callable[[], datetime]
    wait: float = 120.0
    between: Callable[[float], None] = time.sleep
    thread: Thread | None = None
    first: str = ""
    second: str = ""
    _waited: float = 0.0
    _posts: dict[str, Post] = field(default_factory=dict)

    def steps(self) -> Iterator[Step]:
        """Try it, step by step."""
        yield self._step("open a thread", self._open)
        needs: tuple[tuple[str, Callable[[], str]], ...] = (
            ("open it again under the same key", self._open_again),
            ("post in it", self._post),
            ("post the same again under the same key", self._post_again),
            ("read it back", self._read),
            ("change the first post", self._revise),
            ("rename the thread", self._rename),
        )
        for name, carry_out in needs:
            if self.thread is None:
                yield Step(name, "left", "there is no thread to try it in")
            else:
                yield self._step(name, carry_out)
        yield self._step("bring a picture", self._picture)
        yield self._step("read private messages", self._messages)

    def _step(self, name: str, carry_out: Callable[[], str]) -> Step:
        try:
            return Step(name, "well", carry_out())
        except NotPossible as impossible:
            return Step(name, "cannot", str(impossible))
        except Refused as refused:
            return Step(name, "wrong", str(refused), self._permission(name))
        except TooSoon as patience:
            advice = "Try again later; --wait is for how many seconds it is waited for."
            return Step(name, "wrong", f"the forum asks for {patience.seconds:.0f} seconds of patience", advice)
        except Unreachable as away:
            advice = LIST_AWAY if self.kind == "list" else "Look whether its address opens in a browser."
            return Step(name, "wrong", str(away), advice)
        except ChannelError as other:
            return Step(name, "wrong", str(other) or type(other).__name__)
        except _Failed as failed:
            return Step(name, "wrong", str(failed), failed.advice)

    def _permission(self, name: str) -> str:
        known = PERMISSIONS.get(self.kind, {})
        return known.get(name, known.get("", ""))

    # --- the steps -----------------------------------------------------------------------------------------------

    def _open(self) -> str:
        title, words = say("forum-trial.title", sign=self.sign), say("forum-trial.first", sign=self.sign)
        self.thread, self.first = self._patiently(lambda: self.channel.open_thread(title, words, f"{self.sign}-1"))
        return self.thread.url or self.thread.id

    def _open_again(self) -> str:
        assert self.thread is not None
        title, words = say("forum-trial.title", sign=self.sign), say("forum-trial.first", sign=self.sign)
        again, _ = self._patiently(lambda: self.channel.open_thread(title, words, f"{self.sign}-1"))
        if again.id != self.thread.id:
            raise _Failed(f"there are two threads now: {again.url or again.id}", TWICE)
        return "found again, and not opened twice"

    def _post(self) -> str:
        self.between(self.channel.limits.seconds_between_posts)
        self.second = self._write()
        return f"post {self.second}"

    def _post_again(self) -> str:
        if not self.second:
            raise NotPossible("nothing was posted")
        if (again := self._write()) != self.second:
            raise _Failed(f"there are two posts now: {again}", TWICE)
        return "found again, and not posted twice"

    def _write(self) -> str:
        assert self.thread is not None
        thread, words = self.thread, say("forum-trial.second", sign=self.sign)
        return self._patiently(lambda: self.channel.post(thread, words, f"{self.sign}-2"))

    def _read(self) -> str:
        wanted = {self.first: say("forum-trial.first", sign=self.sign)}
        if self.second:
            wanted[self.second] = say("forum-trial.second", sign=self.sign)
        found = self._patiently(lambda: self._all_of(set(wanted)))
        for identifier, words in wanted.items():
            if " ".join(found[identifier].raw.split()) != " ".join(words.split()):
                raise _Failed(f"post {identifier} reads otherwise than it was written: {found[identifier].raw[:80]!r}")
        if not all(post.author_id for post in found.values()):
            raise _Failed("it does not say which account wrote a post", self._permission("read it back"))
        self._posts = found
        apart = (found[self.first].posted - self.now()).total_seconds() + self._waited
        if self.kind != "list" and abs(apart) > CLOCK_APART:
            return f"as it was written, by a clock about {abs(apart):.0f} seconds {'ahead' if apart > 0 else 'behind'}"
        return f"as it was written, by {found[self.first].author}"

    def _all_of(self, wanted: set[str]) -> dict[str, Post]:
        """The posts of the thread, once all of these are there; a list brings them when it likes."""
        assert self.thread is not None
        found: dict[str, Post] = {}
        cursor = None
        for _ in range(PAGES):
            page = self.channel.read_since(self.thread, cursor)
            found |= {post.id: post for post in page.posts}
            if not page.more:
                break
            cursor = page.cursor
        if missing := wanted - set(found):
            raise Unreachable(f"{len(missing)} of the {len(wanted)} posts cannot be read there yet")
        return found

    def _revise(self) -> str:
        assert self.thread is not None
        thread, words = self.thread, say("forum-trial.changed", sign=self.sign)
        self._patiently(lambda: self.channel.revise(self.first, words))
        [again] = self._patiently(lambda: self.channel.look_again(thread, [self.first]))
        if isinstance(again, Gone) or " ".join(again.raw.split()) != " ".join(words.split()):
            raise _Failed("the change cannot be read there", self._permission("change the first post"))
        return "changed, and read again"

    def _rename(self) -> str:
        assert self.thread is not None
        thread, title = self.thread, say("forum-trial.title", sign=f"{self.sign}, renamed")
        self._patiently(lambda: self.channel.retitle(thread, title))
        return title

    def _picture(self) -> str:
        shown = self._patiently(lambda: self.channel.upload(PICTURE, f"mentat-{self.sign}.png"))
        return f"a post shows it by {shown}"

    def _messages(self) -> str:
        messages, _ = self._patiently(lambda: self.channel.messages_since(None))
        return f"{len(messages)} there now; a code that comes so links an account too"

    # --- patience ------------------------------------------------------------------------------------------------

    def _patiently(self, ask: Callable[[], T]) -> T:
        """Ask, and again where the forum wants us to wait, or a mail is on its way through a list."""
        while True:
            try:
                return ask()
            except TooSoon as patience:
                if not self._passes(patience.seconds):
                    raise
            except Unreachable:
                if self.kind != "list" or not self._passes(PAUSE):
                    raise

    def _passes(self, seconds: float) -> bool:
        if self._waited + seconds > self.wait:
            return False
        self._waited += seconds
        self.between(seconds)
        return True


TWICE = "Remove one of them there, and tell the makers of Mentat: games need this to hold."
LIST_AWAY = (
    "Look whether Mentat is a member of the list under the address that `mentat forum status` names, whether that "
    "member gets single mails and also its own, and whether the list holds mails of Mentat's address back; --wait is "
    "for how many seconds it is waited for."
)
_DISCOURSE_KEY = (
    "Make the key in Admin > API for the account of `username` (or for all users), global or with the scopes to read "
    "and write topics, to edit posts and to upload; a key that nobody uses for 180 days is revoked. "
)
_DISCOURSE_CATEGORY = "In the category's Security, let a group of that account Create / Reply / See."
PERMISSIONS = {
    "discourse": {
        "open a thread": f"{_DISCOURSE_KEY}{_DISCOURSE_CATEGORY}",
        "post in it": f"{_DISCOURSE_CATEGORY} An account of the staff is not held to three posts in a row.",
        "change the first post": "The account must be allowed to edit its posts for good: make it staff, or raise "
        "`post edit time limit`.",
        "rename the thread": "The account must be allowed to edit titles of its own topics for good: make it staff, or "
        "raise `post edit time limit`.",
        "bring a picture": "The account must be allowed to upload png files (`authorized extensions`, `embedded media "
        "post allowed groups`); or write pictures = false.",
        "read private messages": "The account must be allowed to read its own messages: a key of its own user is, one "
        "of limited scope is not. Players then post their code in the thread instead.",
        "": _DISCOURSE_KEY,
    },
    "list": {"": "The list does not take posts from this address: make it a member, or allow it to post."},
}
"""What an account lacks where a forum says no, by kind of forum and step; "" for the others."""
