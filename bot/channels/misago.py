"""A category of a Misago forum, by the JSON that its own pages use, signed in with a name and a password.

Misago shows all that stands in a post, so the mark by which a post of ours is found again is a short line at its end.
Its posts have no address of their own: an identifier here is that of the thread and that of the post. The source of a
post is what the forum offers to quote from it; where it offers none, as in a closed thread, only what was read before
can be read again. Misago keeps count of every edit, so a source is asked for once an edit.

A session may end at any time. What a guest asks for is refused then, or not there, or there in part.
"""

import hashlib
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, NoReturn, TypeVar

from bot.channels.channel import (
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
from bot.channels.discourse import HttpRefusal, Site, unreachable_if_malformed

T = TypeVar("T")
Row = Mapping[str, Any]

PUBLIC, PRIVATE = "/api/threads", "/api/private-threads"
PAGES_OF_MESSAGES = 5

_MARK = re.compile(r"\s*· ([0-9a-f]{12})\s*\Z")
_CURSOR = re.compile(r"(\d+)\.([1-9]\d*)(?:\.(\d+))?")
_IDENTIFIER = re.compile(r"(\d+)\.(\d+)")
_THREAD_OF = re.compile(r"/(\d+)/\Z")

DEFAULT = Limits(
    Dialect.MARKDOWN, characters=59_950, seconds_between_posts=3, characters_at_least=5, pictures=False, revisable=True
)
"As Misago is delivered: 60,000 characters with our mark, three seconds between posts."


class Misago:
    """What one account does in one category."""

    def __init__(
        self,
        address: str,
        username: str,
        password: str,
        category: int,
        limits: Limits = DEFAULT,
        seconds: float = 20.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._site = Site(address, {"Referer": f"{address.rstrip('/')}/"}, seconds, clock)
        self._account = {"username": username, "password": password}
        self._category = category
        self._limits = limits
        self._clock = clock
        self._me: int | None = None
        self._posted: float | None = None
        self._sources: dict[tuple[int, int], str] = {}  # by post and number of edits

    @property
    def limits(self) -> Limits:
        return self._limits

    @unreachable_if_malformed
    def open_thread(self, title: str, first: str, key: str) -> tuple[Thread, str]:
        for row in self._own("threads", key):
            return self._thread(_thread_of(row)), _identifier(_thread_of(row), row)
        body = {"title": title, "category": self._category, "post": first + _mark(key)}
        thread = int(self._write(f"{PUBLIC}/", body, first)["id"])
        posts = self._signed_in(lambda: self._site.get(f"{PUBLIC}/{thread}/posts/"))["post_set"]["results"]
        _approved(posts[0])
        self._sources[int(posts[0]["id"]), 0] = first + _mark(key)
        return self._thread(thread), _identifier(thread, posts[0])

    @unreachable_if_malformed
    def post(self, thread: Thread, text: str, key: str) -> str:
        number = _known(thread)
        for row in self._own("posts", key):
            if _thread_of(row) == number:
                return _identifier(number, row)
        row = self._write(f"{PUBLIC}/{number}/posts/", {"post": text + _mark(key)}, text)
        _approved(row)
        self._sources[int(row["id"]), 0] = text + _mark(key)
        return _identifier(number, row)

    @unreachable_if_malformed
    def revise(self, post: str, text: str) -> None:
        found = _IDENTIFIER.fullmatch(post)
        if not found:
            raise Refused(f"there is no post {post}")
        self._check(text)
        path = f"{PUBLIC}/{found[1]}/posts/{found[2]}"
        before = self._signed_in(lambda: self._site.get(f"{path}/post_editor/"))["post"]
        mark = _MARK.search(before)
        body = {"post": text + (mark.group() if mark else "")}
        _approved(self._signed_in(lambda: self._site.send("PUT", f"{path}/", body)))

    @unreachable_if_malformed
    def retitle(self, thread: Thread, title: str) -> None:
        change = [{"op": "replace", "path": "title", "value": title}]
        self._signed_in(lambda: self._site.send("PATCH", f"{PUBLIC}/{_known(thread)}/", change))

    def upload(self, picture: bytes, name: str) -> str:
        _never("pictures are attachments in Misago, which expire where no post has them")

    @unreachable_if_malformed
    def read_since(self, thread: Thread, cursor: str | None) -> Page:
        rows, _, place, more = self._after(PUBLIC, _known(thread), cursor)
        return Page(tuple(self._post(PUBLIC, _known(thread), row) for row in rows), place, more)

    @unreachable_if_malformed
    def look_again(self, thread: Thread, posts: Sequence[str]) -> tuple[Post | Gone, ...]:
        number = _known(thread)
        split = {post: _IDENTIFIER.fullmatch(post) for post in posts}
        wanted = {int(found[2]) for found in split.values() if found and int(found[1]) == number}
        rows = self._rows(number, wanted) if wanted else {}
        seen = {_identifier(number, row): row for row in rows.values() if _readable(row)}
        return tuple(self._post(PUBLIC, number, seen[post]) if post in seen else Gone(post) for post in posts)

    @unreachable_if_malformed
    def messages_since(self, cursor: str | None) -> tuple[tuple[PrivateMessage, ...], str]:
        if cursor is not None and not cursor.isdecimal():
            raise CursorForgotten(f"{cursor} is no number of a post")
        seen = newest = int(cursor or 0)
        messages: list[PrivateMessage] = []
        for thread in self._private_threads(seen):
            place: str | None = None
            more = True
            while more:
                rows, last, place, more = self._after(PRIVATE, thread, place)
                newest = max(newest, last)
                for row in rows:
                    if int(row["id"]) <= seen or self._ours(row):
                        continue
                    with suppress(
                        HttpRefusal
                    ):  # whoever leaves a private thread of theirs closes it, and hides its sources
                        post = self._post(PRIVATE, thread, row)
                        messages.append(PrivateMessage(post.id, post.author, post.author_id, post.posted, post.raw))
        return tuple(sorted(messages, key=lambda message: message.sent)), str(newest)

    # what is there

    def _thread(self, number: int) -> Thread:
        return Thread(str(number), f"{self._site.address}/t/thread/{number}/")

    def _page(self, tree: str, thread: int, page: int) -> Row:
        answer: Row = self._signed_in(lambda: self._site.get(f"{tree}/{thread}/posts/", {"page": page}))
        return answer

    def _after(self, tree: str, thread: int, cursor: str | None) -> tuple[list[Row], int, str, bool]:
        """The posts after a cursor, the newest number, the cursor behind it, and whether there is more.

        A cursor is the newest number, the page where it stood, and how many posts there were up to it. Where some of
        them were deleted, it stands on a page before; where there are more, a moderator has approved of one late.
        """
        last, page, count = _place(cursor)
        forward = False
        while True:
            try:
                answer = self._page(tree, thread, page)
            except HttpRefusal as no:
                if no.status != 404 or page == 1:
                    raise
                page = 1  # so many posts were deleted that this page is no more
                continue
            found = answer["post_set"]
            rows: list[Row] = [row for row in found["results"] if not row["is_event"]]
            numbers = [int(row["id"]) for row in rows]
            if page > 1 and min(numbers, default=0) > last and not forward:
                page -= 1
                continue
            new = [row for row in rows if int(row["id"]) > last]
            if new or page >= int(found["pages"]):
                break
            page, forward = page + 1, True
        if last > max([int(answer.get("last_post") or 0), *numbers]):
            raise CursorForgotten(f"the newest post of this thread is older than {last}")
        before = int(found["before"])
        if count is not None and before + len(rows) - len(new) > count:
            raise CursorForgotten(f"up to {last} there are more posts than there were")
        newest = max([last, *numbers])
        place = f"{newest}.{page}.{before + len(rows)}"
        return [row for row in new if _readable(row)], newest, place, page < int(found["pages"])

    def _rows(self, thread: int, wanted: set[int]) -> dict[int, Row]:
        """Some posts of a thread, looked for from its end."""
        page = int(self._page(PUBLIC, thread, 1)["post_set"]["pages"])
        rows: dict[int, Row] = {}
        while page >= 1:
            here = {int(row["id"]): row for row in self._page(PUBLIC, thread, page)["post_set"]["results"]}
            rows |= {number: row for number, row in here.items() if number in wanted}
            if wanted <= set(rows) or min(here, default=0) < min(wanted):
                break
            page -= 1
        return rows

    def _private_threads(self, seen: int) -> list[int]:
        found: list[int] = []
        query: dict[str, str | int] = {}
        for _ in range(PAGES_OF_MESSAGES):
            asked = dict(query)
            listed = self._signed_in(partial(self._site.get, f"{PRIVATE}/", asked))
            found += [int(row["id"]) for row in listed["results"] if int(row["last_post"] or 0) > seen]
            if not listed.get("next"):
                break
            query = {"start": int(listed["next"])}
        return found

    def _own(self, kind: str, key: str) -> list[Row]:
        """Those of our last posts, or of the first posts of our last threads, that have the mark of a key."""
        self._sign_in()  # a guest is not shown all that there is of us
        feed = self._signed_in(lambda: self._site.get(f"/api/users/{self._me}/{kind}/"))["results"]
        shown = [row for row in feed if _digest(key) in (row["content"] or "")]
        return [row for row in shown if _marked(self._source(PUBLIC, _thread_of(row), row), key)]

    def _source(self, tree: str, thread: int, row: Row) -> str:
        number, edits = int(row["id"]), int(row["edits"])
        if (number, edits) not in self._sources:
            path = f"{tree}/{thread}/posts/reply_editor/"
            answer = self._signed_in(lambda: self._site.get(path, {"reply": number}))
            self._sources[number, edits] = str(answer["post"]).replace("\r\n", "\n")
        return self._sources[number, edits]

    def _ours(self, row: Row) -> bool:
        return bool(row["poster"]) and int(row["poster"]["id"]) == self._me

    def _post(self, tree: str, thread: int, row: Row) -> Post:
        source = self._source(tree, thread, row)
        edits = int(row["edits"])
        return Post(
            id=_identifier(thread, row),
            author=str(row["poster_name"]),
            author_id=str(row["poster"]["id"]) if row["poster"] else "",
            posted=datetime.fromisoformat(row["posted_on"]),
            raw=_MARK.sub("", source) if self._ours(row) else source,
            version=edits + 1,
            edited=datetime.fromisoformat(row["updated_on"]) if edits else None,
        )

    # what is written

    def _check(self, text: str) -> None:
        least, most = self._limits.characters_at_least, self._limits.characters
        if not least <= len(text) <= most:
            raise Refused(f"a post has {least} to {most} characters, not {len(text)}")

    def _write(self, path: str, body: Mapping[str, object], text: str) -> Row:
        self._check(text)
        if self._posted is not None:
            wait = self._limits.seconds_between_posts - (self._clock() - self._posted)
            if wait > 0:
                raise TooSoon("posts come too quickly", wait)
        try:
            answer: Row = self._signed_in(lambda: self._site.send("POST", path, body))
        except HttpRefusal as no:
            if no.status == 403 and "quickly" in str(no):
                slower = max(DEFAULT.seconds_between_posts, self._limits.seconds_between_posts)
                self._limits = replace(self._limits, seconds_between_posts=slower)
                raise TooSoon(str(no), slower) from no
            raise
        self._posted = self._clock()
        return answer

    def _signed_in(self, ask: Callable[[], T]) -> T:
        """Ask with a session. Where the forum says no, the session may be over: then it is begun again, once."""
        if self._me is None:
            self._sign_in()
        try:
            return ask()
        except HttpRefusal:
            if not self._sign_in():
                raise
        return ask()

    def _sign_in(self) -> bool:
        """Begin a session and return True, unless there is one, be it of a sign-in whose answer was lost."""
        self._me = self._site.get("/api/auth/")["id"]
        begun = self._me is None
        if begun:
            self._site.cookie("csrftoken", secrets.token_hex(16))
            self._token()
            try:
                self._me = int(self._site.send("POST", "/api/auth/", self._account)["id"])
            except HttpRefusal as no:
                raise Refused(f"the forum does not let our account in: {no}") from no
        self._token()
        return begun

    def _token(self) -> None:
        """Django wants the value of its cookie told with every request that changes something."""
        self._site.header("X-CSRFToken", self._site.cookie("csrftoken") or "")


def _mark(key: str) -> str:
    return f"\n\n· {_digest(key)}"


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def _marked(source: str, key: str) -> bool:
    found = _MARK.search(source)
    return found is not None and found[1] == _digest(key)


def _known(thread: Thread) -> int:
    if not thread.id.isdecimal():
        raise Refused(f"there is no thread {thread.id}")
    return int(thread.id)


def _thread_of(row: Row) -> int:
    found = _THREAD_OF.search(row["thread"]["url"])
    return int(found[1]) if found else 0


def _identifier(thread: int, row: Row) -> str:
    return f"{thread}.{row['id']}"


def _place(cursor: str | None) -> tuple[int, int, int | None]:
    if cursor is None:
        return 0, 1, None
    found = _CURSOR.fullmatch(cursor)
    if not found:
        raise CursorForgotten(f"{cursor} is no place in a thread")
    return int(found[1]), int(found[2]), None if found[3] is None else int(found[3])


def _readable(row: Row) -> bool:
    return not (row["is_hidden"] or row["is_event"] or row["is_unapproved"])


def _approved(row: Row) -> None:
    if row["is_unapproved"]:
        raise Refused("the forum keeps our posts back until a moderator approves of them")


def _never(why: str) -> NoReturn:
    raise NotPossible(why)
