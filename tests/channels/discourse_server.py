"""A stand-in for Discourse on loopback. It is stricter than the real one, and refuses everything that it does not know.

It handles the few requests that a game needs as Discourse's API documentation describes. It enforces a new forum's
default limits: 60 requests a minute, at least 20 characters a post, at most three replies in a row, and no identical
post within five minutes. Edits in the first five minutes leave no trace. Tests move its clock.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tests.channels.faulty_server import Answer, FaultyServer, Query

PAGE = 20
REQUESTS_A_MINUTE = 60
LONGEST = 32_000
SHORTEST = 20
SHORTEST_TITLE = 15
IN_A_ROW = 3
SECONDS_BETWEEN_POSTS = 5
SILENT = timedelta(minutes=5)
ALIKE = timedelta(minutes=5)
CATEGORY = 7
KEY = "0123456789abcdef"


@dataclass
class User:
    id: int
    username: str


@dataclass
class Post:
    id: int
    topic: int
    number: int
    user: User
    raw: str
    created: datetime
    updated: datetime
    type: int = 1
    version: int = 1
    deleted: bool = False
    deleted_by_author: bool = False
    hidden: bool = False
    reply_to: int | None = None


@dataclass
class Topic:
    id: int
    title: str
    category: int | None
    external: str | None = None
    closed: bool = False
    deleted: bool = False
    highest: int = 0
    between: set[str] = field(default_factory=set)
    "The participants of a private message; empty for a public topic."


class No(Exception):
    def __init__(self, status: int, *errors: str, wait: int | None = None) -> None:
        super().__init__(*errors)
        self.status = status
        self.wait = wait
        self.answer: dict[str, Any] = {"errors": list(errors)}
        if wait is not None:
            self.answer |= {"error_type": "rate_limit", "extras": {"wait_seconds": wait}}


class Standin(FaultyServer):
    """The forum with its people, topics and posts, and the methods that tests call."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self.now = now
        self.users: dict[str, User] = {}
        self.topics: dict[int, Topic] = {}
        self.posts: dict[int, Post] = {}
        self.us = self.join("mentat")
        self.key = KEY
        self.staff = False
        self.approval = False
        self.uncategorized = False
        "True if topics without a category are allowed."
        self.longest = LONGEST
        self._requests: deque[datetime] = deque()

    # people

    def join(self, username: str) -> User:
        user = User(len(self.users) + 100, username)
        self.users[username] = user
        return user

    def write(self, user: User, topic: int, raw: str, type: int = 1) -> int:
        """Write a post as a person in a browser does."""
        return self._store(user, self.topics[topic], raw, type).id

    def tell(self, user: User, raw: str) -> int:
        """Send a private message to Mentat."""
        topic = self._open("A message for you alone", None)
        topic.between = {user.username, self.us.username}
        return self._store(user, topic, raw).id

    def edit(self, post: int, raw: str) -> None:
        changed = self.posts[post]
        if self.now() - changed.created >= SILENT:
            changed.version += 1
        changed.raw, changed.updated = raw, self.now()

    def delete_by_author(self, post: int) -> None:
        """Delete a post as its author. Discourse shows these words in its place for a day."""
        self.edit(post, "(post deleted by author)")
        self.posts[post].deleted_by_author = True

    # the API

    def reply(
        self, method: str, path: str, query: Query, headers: Any, body: bytes
    ) -> tuple[int, list[tuple[str, str]], Answer]:
        try:
            answer = self.answer(method, path, query, headers, body)
        except No as no:
            return no.status, [] if no.wait is None else [("Retry-After", str(no.wait))], no.answer
        if set(answer) == {"redirect"}:
            return 301, [("Location", answer["redirect"])], answer
        return 200, [], answer

    def answer(self, method: str, path: str, query: Query, headers: Any, body: bytes) -> Answer:
        if headers.get("Api-Key") != self.key or headers.get("Api-Username") != self.us.username:
            raise No(403, "You are not permitted to view the requested resource.")
        if headers.get("Accept") != "application/json":
            raise No(400, "the Accept header is not application/json")
        self._count()
        for pattern, known_method, allowed, handle in self._routes():
            found = re.fullmatch(pattern, path)
            if found and method == known_method:
                strange = set(query) - allowed
                if strange:
                    raise No(400, f"unknown parameters: {strange}")
                return handle(*found.groups(), query, headers, body)
        raise No(404, "The requested URL or resource could not be found.")

    def _routes(self) -> list[tuple[str, str, set[str], Callable[..., Answer]]]:
        return [
            (r"/t/(\d+)\.json", "GET", {"include_raw", "username_filters"}, self._topic),
            (r"/t/(\d+)/posts\.json", "GET", {"include_raw", "post_ids[]"}, self._some_posts),
            (r"/t/external_id/([\w-]+)\.json", "GET", set(), self._external),
            (r"/posts/(\d+)\.json", "GET", {"include_raw"}, self._post),
            (r"/topics/private-messages/(\w+)\.json", "GET", {"page"}, self._messages),
            (r"/posts\.json", "POST", set(), self._create),
            (r"/posts/(\d+)\.json", "PUT", set(), self._revise),
            (r"/t/-/(\d+)\.json", "PUT", set(), self._retitle),
            (r"/uploads\.json", "POST", set(), self._upload),
        ]

    def _count(self) -> None:
        now = self.now()
        while self._requests and now - self._requests[0] >= timedelta(minutes=1):
            self._requests.popleft()
        if len(self._requests) >= REQUESTS_A_MINUTE:
            wait = 60 - (now - self._requests[0]).total_seconds()
            raise No(429, "You have performed this action too many times.", wait=int(wait) + 1)
        self._requests.append(now)

    def _stream(self, topic: Topic) -> list[Post]:
        return [post for post in self.posts.values() if post.topic == topic.id and not post.deleted]

    def _found(self, number: str) -> Topic:
        topic = self.topics.get(int(number))
        if topic is None or topic.deleted:
            raise No(404, "The requested URL or resource could not be found.")
        if topic.between and self.us.username not in topic.between:
            raise No(403, "You are not permitted to view the requested resource.")
        return topic

    def _topic(self, number: str, query: Query, *_: Any) -> Answer:
        topic = self._found(number)
        stream = self._stream(topic)
        if "username_filters" in query:
            names = query["username_filters"][0].split(",")
            stream = [post for post in stream if post.number == 1 or post.user.username in names]
        raw = "include_raw" in query
        return {
            "id": topic.id,
            "title": topic.title,
            "closed": topic.closed,
            "highest_post_number": topic.highest,
            "post_stream": {
                "posts": [self._shown(post, raw) for post in stream[:PAGE]],
                "stream": [post.id for post in stream],
            },
        }

    def _some_posts(self, number: str, query: Query, *_: Any) -> Answer:
        wanted = {int(post) for post in query.get("post_ids[]", [])}
        if not 1 <= len(wanted) <= PAGE:
            raise No(400, f"1 to {PAGE} posts at once")
        posts = [post for post in self._stream(self._found(number)) if post.id in wanted]
        shown = [self._shown(post, "include_raw" in query) for post in posts]
        return {"id": int(number), "post_stream": {"posts": shown}}

    def _external(self, external: str, *_: Any) -> Answer:
        for topic in self.topics.values():
            if topic.external == external and not topic.deleted:
                return {"redirect": f"/t/{topic.id}.json"}
        raise No(404, "The requested URL or resource could not be found.")

    def _post(self, number: str, *_: Any) -> Answer:
        post = self.posts.get(int(number))
        if post is None or (post.deleted and not self.staff):
            raise No(404, "The requested URL or resource could not be found.")
        return self._shown(post, True)

    def _messages(self, username: str, query: Query, *_: Any) -> Answer:
        if username != self.us.username:
            raise No(403, "You are not permitted to view the requested resource.")
        topics = [topic for topic in self.topics.values() if username in topic.between]
        page = int(query.get("page", ["0"])[0])
        here = topics[::-1][page * 30 : page * 30 + 30]
        listed: Answer = {"topics": [{"id": topic.id, "highest_post_number": topic.highest} for topic in here]}
        if len(topics) > page * 30 + 30:
            listed["more_topics_url"] = f"/topics/private-messages/{username}?page={page + 1}"
        return {"users": [], "topic_list": listed}

    def _create(self, _query: Any, headers: Any, body: bytes) -> Answer:
        asked = _json(headers, body, {"title": str, "raw": str, "category": int, "external_id": str, "topic_id": int})
        raw = str(asked.get("raw", "")).strip()
        if "topic_id" in asked:
            if set(asked) != {"topic_id", "raw"}:
                raise No(400, "a reply has a topic and a text")
            topic = self._found(str(asked["topic_id"]))
            if topic.closed and not self.staff:
                raise No(403, "You are not permitted to view the requested resource.")
            self._allowed(raw)
            last = [post.user for post in self._stream(topic)][-IN_A_ROW:]
            if last == [self.us] * IN_A_ROW and not self.staff:
                raise No(
                    422,
                    f"No more than {IN_A_ROW} consecutive replies are allowed. "
                    "Please edit your previous reply, or wait for someone to reply to you.",
                )
        else:
            topic = self._new_topic(asked, raw)
        if self.approval:
            return {"action": "enqueued", "success": True, "pending_count": 1}
        return self._shown(self._store(self.us, topic, raw), True) | {"topic_slug": "topic"}

    def _new_topic(self, asked: Answer, raw: str) -> Topic:
        title, external = str(asked.get("title", "")), asked.get("external_id")
        if not SHORTEST_TITLE <= len(title) <= 255:
            raise No(422, f"Title is too short (minimum is {SHORTEST_TITLE} characters)")
        if asked.get("category") != CATEGORY and (not self.uncategorized or "category" in asked):
            raise No(403, "You are not permitted to view the requested resource.")
        if any(topic.title == title for topic in self.topics.values()):
            raise No(422, "Title has already been used")
        if external is not None:
            if not re.fullmatch(r"[\w-]{1,50}", external):
                raise No(422, "External can only contain letters, numbers, dashes and underscores")
            if any(topic.external == external for topic in self.topics.values()):
                raise No(422, "External has already been taken")
        self._allowed(raw)
        topic = self._open(title, asked.get("category"))
        topic.external = external
        return topic

    def _allowed(self, raw: str) -> None:
        length = len(re.sub(r"<!--.*?-->", "", raw, flags=re.S).strip())
        if length < SHORTEST:
            raise No(422, f"Body is too short (minimum is {SHORTEST} characters)")
        if len(raw) > self.longest:
            raise No(422, f"Body is limited to {self.longest} characters; you entered {len(raw)}.")
        own = [post for post in self.posts.values() if post.user is self.us]
        if own and not self.staff:
            wait = SECONDS_BETWEEN_POSTS - (self.now() - own[-1].created).total_seconds()
            if wait > 0:
                raise No(429, "You have performed this action too many times.", wait=int(wait) + 1)
        if any(_alike(post.raw) == _alike(raw) and self.now() - post.created < ALIKE for post in own):
            raise No(422, "Body is too similar to what you recently posted")

    def _revise(self, number: str, _query: Any, headers: Any, body: bytes) -> Answer:
        asked = _json(headers, body, {"post": dict})
        if set(asked.get("post", {})) - {"raw", "edit_reason"}:
            raise No(400, "unknown fields")
        post = self.posts.get(int(number))
        if post is None or post.deleted or post.user is not self.us:
            raise No(403, "You are not permitted to view the requested resource.")
        raw = asked["post"]["raw"].strip()
        if len(raw) > self.longest:
            raise No(422, f"Body is limited to {self.longest} characters; you entered {len(raw)}.")
        self.edit(post.id, raw)
        return {"post": self._shown(post, True)}

    def _retitle(self, number: str, _query: Any, headers: Any, body: bytes) -> Answer:
        asked = _json(headers, body, {"title": str})
        if len(asked["title"]) < SHORTEST_TITLE:
            raise No(422, f"Title is too short (minimum is {SHORTEST_TITLE} characters)")
        self._found(number).title = asked["title"]
        return {"basic_topic": {"id": int(number), "title": asked["title"]}}

    def _upload(self, _query: Any, headers: Any, body: bytes) -> Answer:
        if not headers.get("Content-Type", "").startswith("multipart/form-data; boundary="):
            raise No(400, "an upload is multipart/form-data")
        for needed in (b'name="type"\r\n\r\ncomposer', b'name="synchronous"\r\n\r\ntrue', b'name="file"; filename="'):
            if needed not in body:
                raise No(400, f"an upload lacks {needed!r}")
        if len(body) > 4 * 1024 * 1024:
            raise No(422, "Sorry, that file is too big")
        return {"id": 1, "short_url": f"upload://{hashlib.sha1(body).hexdigest()}.png", "width": 690, "height": 500}

    def _open(self, title: str, category: int | None) -> Topic:
        topic = Topic(len(self.topics) + 1000, title, category)
        self.topics[topic.id] = topic
        return topic

    def _store(self, user: User, topic: Topic, raw: str, type: int = 1) -> Post:
        topic.highest += 1
        post = Post(len(self.posts) + 5000, topic.id, topic.highest, user, raw.strip(), self.now(), self.now(), type)
        self.posts[post.id] = post
        return post

    def _shown(self, post: Post, raw: bool) -> Answer:
        shown: Answer = {
            "id": post.id,
            "topic_id": post.topic,
            "post_number": post.number,
            "post_type": post.type,
            "user_id": post.user.id,
            "username": post.user.username,
            "name": post.user.username,
            "created_at": _hour(post.created),
            "updated_at": _hour(post.updated),
            "reply_to_post_number": post.reply_to,
            "version": post.version,
            "yours": post.user is self.us,
            "hidden": post.hidden,
            "user_deleted": post.deleted_by_author,
            "deleted_at": _hour(post.updated) if post.deleted else None,
            "cooked": f"<p>{html.escape(post.raw)}</p>",
        }
        return shown | ({"raw": post.raw} if raw else {})


def _hour(hour: datetime) -> str:
    return hour.strftime("%Y-%m-%dT%H:%M:%S.") + f"{hour.microsecond // 1000:03}Z"


def _alike(raw: str) -> str:
    return re.sub(r"\s", "", raw).lower()


def _json(headers: Any, body: bytes, known: dict[str, type]) -> Answer:
    if headers.get("Content-Type") != "application/json":
        raise No(400, "the Content-Type header is not application/json")
    asked = json.loads(body)
    for name, value in asked.items():
        if name not in known or type(value) is not known[name]:
            raise No(400, f"{name} is unknown or of another type")
    return dict(asked)
