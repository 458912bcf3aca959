"""A category of a Discourse forum, read and written through the documented API.

Our threads are recognised by their `external_id`. Our posts are recognised by a hidden comment at the end, provided
that the forum says the post is ours. A cursor is the number of the newest post read, because Discourse numbers posts in
ascending order across the whole site. A post that is waiting for a moderator's approval counts as refused, since nobody
can read it.

Requests and answers are JSON, and every failure becomes a ChannelError. A truncated answer, an answer that is not JSON
and a server error all leave it unclear whether the request was carried out, so they raise Unreachable. A status in the
4xx range is a refusal. If the server asks us to wait (RFC 9110, Retry-After), no request is sent for that long.
"""

import hashlib
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

import httpx

from bot import channels

PATIENCE = 60.0
"""Seconds to wait if a server asks us to wait but does not say how long."""
REDIRECTIONS = 3
_LOOPBACK = ("localhost", "127.0.0.1", "::1")

Query = Mapping[str, str | int | Sequence[str | int]]


P = ParamSpec("P")
T = TypeVar("T")


def unreachable_if_malformed(method: Callable[P, T]) -> Callable[P, T]:
    """Decorate a method that reads a forum's answers, so that JSON with an unexpected structure raises Unreachable, as
    if the forum had not answered."""

    @wraps(method)
    def asked(*given: P.args, **named: P.kwargs) -> T:
        try:
            return method(*given, **named)
        except (LookupError, TypeError, ValueError, AttributeError) as strange:
            raise channels.Unreachable(f"the forum's answer does not match its API: {strange!r}") from strange

    return asked


class HttpRefusal(channels.Refused):
    def __init__(self, status: int, words: str) -> None:
        super().__init__(words or f"the forum answered {status}")
        self.status = status


class Site:
    """A forum on the web. Every request carries the key, so requests go only to its address and only over TLS."""

    def __init__(
        self,
        address: str,
        headers: Mapping[str, str],
        seconds: float = 20.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        parts = urlsplit(address)
        if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
            raise ValueError(f"the address of a forum must begin with https://, unlike {address}")
        self.address = address.rstrip("/")
        self._client = httpx.Client(
            base_url=self.address,
            headers={"Accept": "application/json", **headers},
            timeout=seconds,
            verify=parts.scheme == "https",
        )
        self._clock = clock
        self._quiet_until = 0.0

    def get(self, path: str, query: Query | None = None) -> Any:
        response = self._send(lambda: self._client.get(path, params=query))
        for _ in range(REDIRECTIONS):
            if not response.has_redirect_location:
                break
            target = response.url.join(response.headers["Location"])
            if (target.scheme, target.netloc) != (response.url.scheme, response.url.netloc):
                raise channels.Refused(f"the forum redirects us to {target.host}")
            response = self._send(partial(self._client.get, target))
        return self._read(response)

    def send(self, method: str, path: str, body: object) -> Any:
        return self._read(self._send(lambda: self._client.request(method, path, json=body)))

    def give(self, path: str, form: Mapping[str, str], name: str, picture: bytes) -> Any:
        files = {"file": (name, picture, "image/png")}
        return self._read(self._send(lambda: self._client.post(path, data=form, files=files)))

    def be_quiet(self, seconds: float) -> None:
        self._quiet_until = max(self._quiet_until, self._clock() + seconds)

    def _send(self, ask: Callable[[], httpx.Response]) -> httpx.Response:
        rest = self._quiet_until - self._clock()
        if rest > 0:
            raise channels.TooSoon("the forum asked us to wait", rest)
        try:
            return ask()
        except httpx.TimeoutException as late:
            raise channels.Unreachable("the forum did not answer in time") from late
        except httpx.HTTPError as broken:
            raise channels.Unreachable(f"no answer from the forum: {broken}") from broken

    def _read(self, response: httpx.Response) -> Any:
        status = response.status_code
        if status == 429:
            seconds = _patience(response)
            self.be_quiet(seconds)
            raise channels.TooSoon("too many requests", seconds)
        if status >= 500:
            raise channels.Unreachable(f"the forum answered {status}")
        if status >= 300 and status < 400:
            raise channels.Refused(f"the forum has moved to {response.headers.get('Location', 'another place')}")
        try:
            answer = _decoded(response)
        except ValueError as strange:
            raise channels.Unreachable(f"the forum answered {status} with something that is not JSON") from strange
        if status >= 400:
            raise HttpRefusal(status, _words(answer))
        return answer


def _decoded(response: httpx.Response) -> Any:
    """Decode JSON and replace each lone surrogate with a question mark. JSON may contain lone surrogates (RFC 8259,
    8.2), but stored or forwarded text must not. Raise ValueError if the JSON is invalid or nested too deeply."""
    try:
        return json.loads(json.dumps(response.json(), ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError as deep:
        raise ValueError("it is nested too deeply") from deep


def _patience(response: httpx.Response) -> float:
    told = response.headers.get("Retry-After", "").strip()
    if told.isdecimal():
        return max(1.0, float(told))
    try:
        return max(1.0, (parsedate_to_datetime(told) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        pass
    try:
        return max(1.0, float(_decoded(response)["extras"]["wait_seconds"]))
    except (ValueError, KeyError, TypeError):
        return PATIENCE


def _words(answer: object) -> str:
    """Return the reason that a forum gives for a refusal. Discourse puts it in `errors`; Django puts it in `detail`, or
    in a list for each field."""
    if not isinstance(answer, dict):
        return ""
    found: list[str] = []
    for value in answer.values():
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str):
                found.append(word)
    return " ".join(found)


PAGE = 20
"""The number of posts that Discourse returns at a time."""
OWN_POSTS_LOOKED_AT = 20
"""The number of our newest posts that are searched for a duplicate. Posts go out in order, so a duplicate is always
among these."""
PAGES_LOOKED_AT = 5
PAGES_OF_MESSAGES = 5
ORDINARY_POSTS = (1, 2)
"""The types of post to read: 1 is an ordinary post, and 2 a moderator's post. Type 3 records that a thread was closed
or moved, and type 4 is a staff whisper."""

_MARK = re.compile(r"\s*<!-- mentat ([0-9a-f]{24}) -->\s*\Z")
_NUMBER = re.compile(r"\d+")

DEFAULT = channels.Limits(
    channels.Dialect.MARKDOWN,
    characters=31_950,
    seconds_between_posts=5,
    posts_in_a_row=3,
    characters_at_least=20,
    pictures=True,
    revisable=True,
)
"""Discourse's default limits: 32,000 characters including our hidden mark, five seconds between posts, and three posts
in a row for anyone except staff."""


class Discourse:
    def __init__(
        self,
        address: str,
        key: str,
        username: str,
        category: int | None = None,
        limits: channels.Limits = DEFAULT,
        seconds: float = 20.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._site = Site(address, {"Api-Key": key, "Api-Username": username}, seconds, clock)
        self._username = username
        self._category = category
        self._given = self._limits = limits
        self._highest: dict[int, int] = {}  # for each private message, the number of the last post read

    @property
    def limits(self) -> channels.Limits:
        return self._limits

    @unreachable_if_malformed
    def open_thread(self, title: str, first: str, key: str) -> tuple[channels.Thread, str]:
        found = self._find_thread(key)
        if found:
            return found
        self._check(first)
        body: dict[str, object] = {"title": title, "raw": first + _mark(key), "external_id": _external(key)}
        if self._category is not None:
            body["category"] = self._category
        answer = self._write(body, len(first), lambda: self._find_thread(key))
        if isinstance(answer, tuple):
            return answer
        return self._thread(answer["topic_id"]), str(answer["id"])

    @unreachable_if_malformed
    def post(self, thread: channels.Thread, text: str, key: str) -> str:
        found = self._find_post(thread, key)
        if found:
            return found
        self._check(text)
        body = {"topic_id": _known(thread), "raw": text + _mark(key)}
        answer = self._write(body, len(text), lambda: self._find_post(thread, key))
        return answer if isinstance(answer, str) else str(answer["id"])

    @unreachable_if_malformed
    def revise(self, post: str, text: str) -> None:
        self._check(text)
        before = self._site.get(f"/posts/{post}.json")
        mark = _MARK.search(before["raw"])
        if not before.get("yours"):
            raise channels.Refused(f"post {post} is not ours")
        raw = text + (mark.group() if mark else "")
        self._site.send("PUT", f"/posts/{post}.json", {"post": {"raw": raw}})

    @unreachable_if_malformed
    def retitle(self, thread: channels.Thread, title: str) -> None:
        self._site.send("PUT", f"/t/-/{_known(thread)}.json", {"title": title})

    @unreachable_if_malformed
    def upload(self, picture: bytes, name: str) -> str:
        if not self._limits.pictures:
            raise channels.NotPossible("this forum takes no pictures")
        answer = self._site.give("/uploads.json", {"type": "composer", "synchronous": "true"}, name, picture)
        return f"![{name}|{answer['width']}x{answer['height']}]({answer['short_url']})"

    @unreachable_if_malformed
    def read_since(self, thread: channels.Thread, cursor: str | None) -> channels.Page:
        posts, last, more = self._after(_known(thread), _place(cursor))
        return channels.Page(tuple(_post(post) for post in posts), str(last), more)

    @unreachable_if_malformed
    def look_again(self, thread: channels.Thread, posts: Sequence[str]) -> tuple[channels.Post | channels.Gone, ...]:
        topic = _known(thread)
        found: dict[int, Mapping[str, Any]] = {}
        numbers = [int(post) for post in posts if post.isdecimal()]
        for start in range(0, len(numbers), PAGE):
            found |= self._posts(topic, numbers[start : start + PAGE])
        here = {str(number): post for number, post in found.items() if _readable(post)}
        return tuple(_post(here[post]) if post in here else channels.Gone(post) for post in posts)

    @unreachable_if_malformed
    def messages_since(self, cursor: str | None) -> tuple[tuple[channels.PrivateMessage, ...], str]:
        seen = _place(cursor)
        newest, read = seen, []
        topics = self._message_topics()
        for topic in topics:
            place, more = seen, True
            while more:
                posts, place, more = self._after(topic, place, forgetful=False)
                read += [post for post in posts if not post.get("yours")]
            newest = max(newest, place)
        self._highest |= topics
        messages = (_post(post) for post in sorted(read, key=lambda post: int(post["id"])))
        return tuple(channels.PrivateMessage(m.id, m.author, m.author_id, m.posted, m.raw) for m in messages), str(
            newest
        )

    # reading

    def _thread(self, number: int) -> channels.Thread:
        return channels.Thread(str(number), f"{self._site.address}/t/{number}")

    def _find_thread(self, key: str) -> tuple[channels.Thread, str] | None:
        try:
            topic = self._site.get(f"/t/external_id/{_external(key)}.json")
        except HttpRefusal as no:
            if no.status == 404:
                return None
            raise
        return self._thread(topic["id"]), str(topic["post_stream"]["stream"][0])

    def _find_post(self, thread: channels.Thread, key: str) -> str | None:
        topic = _known(thread)
        whole = self._site.get(f"/t/{topic}.json", {"include_raw": 1, "username_filters": self._username})
        stream = list(whole["post_stream"]["stream"])
        mark, own = _digest(key), 0
        for _ in range(PAGES_LOOKED_AT):
            batch, stream = stream[-PAGE:], stream[:-PAGE]
            posts = self._posts(topic, batch)
            for number in sorted(posts, reverse=True):
                if not posts[number].get("yours"):
                    continue
                own += 1
                found = _MARK.search(posts[number]["raw"])
                if found and found[1] == mark:
                    return str(number)
            if own >= OWN_POSTS_LOOKED_AT or not stream:
                break
        return None

    def _after(self, topic: int, place: int, forgetful: bool = True) -> tuple[list[Mapping[str, Any]], int, bool]:
        whole = self._site.get(f"/t/{topic}.json", {"include_raw": 1})
        stream = [int(number) for number in whole["post_stream"]["stream"]]
        if forgetful and place > max(stream, default=0):
            raise channels.CursorForgotten(f"the newest post of this thread is older than {place}")
        new = sorted(number for number in stream if number > place)
        batch = new[:PAGE]
        posts = {int(post["id"]): post for post in whole["post_stream"]["posts"] if int(post["id"]) in batch}
        missing = [number for number in batch if "raw" not in posts.get(number, {})]
        posts |= self._posts(topic, missing)
        readable = [post for post in posts.values() if _readable(post)]
        return sorted(readable, key=lambda post: int(post["post_number"])), max([place, *batch]), len(new) > len(batch)

    def _posts(self, topic: int, numbers: Sequence[int]) -> dict[int, Mapping[str, Any]]:
        """Return posts of a topic by number. The server may return only part of a page, so missing posts are fetched
        one by one."""
        if not numbers:
            return {}
        answer = self._site.get(f"/t/{topic}/posts.json", {"post_ids[]": list(numbers), "include_raw": 1})
        posts = {int(post["id"]): post for post in answer["post_stream"]["posts"] if "raw" in post}
        for number in numbers:
            if number not in posts:
                try:
                    post = self._site.get(f"/posts/{number}.json", {"include_raw": 1})
                except HttpRefusal as no:
                    if no.status in (403, 404, 410):
                        continue
                    raise
                if int(post["topic_id"]) == topic:
                    posts[number] = post
        return posts

    def _message_topics(self) -> dict[int, int]:
        topics: dict[int, int] = {}
        for page in range(PAGES_OF_MESSAGES):
            path = f"/topics/private-messages/{self._username}.json"
            listed = self._site.get(path, {"page": page})["topic_list"]
            for topic in listed["topics"]:
                number, highest = int(topic["id"]), int(topic["highest_post_number"])
                if self._highest.get(number) != highest:
                    topics[number] = highest
            if not listed.get("more_topics_url"):
                break
        return topics

    # writing

    def _check(self, text: str) -> None:
        least, most = self._limits.characters_at_least, self._limits.characters
        if not least <= len(text) <= most:
            raise channels.Refused(f"a post has {least} to {most} characters, not {len(text)}")

    def _write(self, body: Mapping[str, object], length: int, find: Callable[[], Any]) -> Any:
        """Write a post. If the forum refuses it, look for it anyway: an earlier attempt may have succeeded, and the
        forum refuses duplicates."""
        try:
            answer = self._site.send("POST", "/posts.json", body)
        except HttpRefusal as no:
            if no.status == 422:
                found = find()
                if found:
                    return found
                self._learn(str(no), length, len(str(body["raw"])))
            raise
        except channels.TooSoon as too_soon:
            self._pace(max(self._limits.seconds_between_posts, min(too_soon.seconds, 60.0)))
            raise
        self._pace(max(self._given.seconds_between_posts, self._limits.seconds_between_posts / 2))
        answer = answer.get("post", answer)
        if "id" not in answer:
            if answer.get("action") == "enqueued":
                raise channels.Refused("the forum holds our posts until a moderator approves them")
            raise channels.Unreachable("the forum did not say which post it wrote")
        return answer

    def _pace(self, seconds: float) -> None:
        """Set the pause between posts. Callers shorten it again when posts succeed, because many limits apply only at
        busy times."""
        self._limits = replace(self._limits, seconds_between_posts=seconds)

    def _learn(self, words: str, length: int, written: int) -> None:
        """Learn a limit from the words of a refusal: how many posts in a row one author may write, or the minimum or
        maximum length of a post. A number counts as a length only if it explains why our post was refused."""
        numbers = [int(number) for number in _NUMBER.findall(words)]
        if "consecutive" in words:
            self._limits = replace(self._limits, posts_in_a_row=min(numbers, default=1))
            return
        smaller = [number for number in numbers if 1000 <= number < written]
        if smaller:
            self._limits = replace(self._limits, characters=max(smaller) - (written - length))
            return
        larger = [number for number in numbers if length < number < 1000]
        if larger:
            self._limits = replace(self._limits, characters_at_least=max(larger))


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:24]


def _mark(key: str) -> str:
    return f"\n\n<!-- mentat {_digest(key)} -->"


def _external(key: str) -> str:
    return f"mentat-{_digest(key)}"


def _known(thread: channels.Thread) -> int:
    if not thread.id.isdecimal():
        raise channels.Refused(f"there is no thread {thread.id}")
    return int(thread.id)


def _place(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isdecimal():
        raise channels.CursorForgotten(f"{cursor} is not the number of a post")
    return int(cursor)


def _readable(post: Mapping[str, Any]) -> bool:
    gone = post.get("deleted_at") or post.get("user_deleted") or post.get("hidden")
    return not gone and post.get("post_type", 1) in ORDINARY_POSTS


def _post(post: Mapping[str, Any]) -> channels.Post:
    raw = str(post["raw"])
    version = int(post.get("version", 1))
    reply = post.get("reply_to_post_number")
    return channels.Post(
        id=str(post["id"]),
        author=str(post["username"] or ""),
        author_id=str(post["user_id"] or ""),  # empty when the account was deleted
        posted=datetime.fromisoformat(post["created_at"]),
        raw=_MARK.sub("", raw) if post.get("yours") else raw,
        number=int(post["post_number"]),
        version=version,
        edited=datetime.fromisoformat(post["updated_at"]) if version > 1 else None,
        reply_to=str(reply) if reply else None,
    )
