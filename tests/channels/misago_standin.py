"""A stand-in for Misago on loopback: it answers the requests of a game as a real Misago 0.39 does, and no others.

Pages of 18 posts of which the last is the first of the next page, and up to 6 more on the last page; three seconds
between posts; a cookie and a token for whoever changes something. What it was not asked by a real forum's own pages it
refuses. Its hour is moved by tests.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from http.cookies import SimpleCookie
from typing import Any
from uuid import uuid4

from tests.channels.faulty_server import Answer, FaultyServer, Query

CATEGORY = 3
PASSWORD = "a password"
POSTS_PER_PAGE = 18
ORPHANS = 6
THREADS_PER_PAGE = 26
SHORTEST, LONGEST = 5, 60_000
SHORTEST_TITLE, LONGEST_TITLE = 5, 90
SECONDS_BETWEEN_POSTS = 3
CLOSED = "You can't reply to closed threads in this category."
CLOSED_POSTS = "This thread is closed. You can't edit posts in it."
QUICKLY = "You can't post message so quickly after previous one."


@dataclass(eq=False)
class User:
    id: int
    username: str
    posted: datetime | None = None
    "When they last posted, for those who must wait between two posts."


@dataclass(eq=False)
class Post:
    id: int
    thread: int
    poster: User | None
    name: str
    original: str
    posted: datetime
    updated: datetime
    edits: int = 0
    hidden: bool = False
    unapproved: bool = False
    event: str | None = None


@dataclass(eq=False)
class Thread:
    id: int
    title: str
    starter: User
    closed: bool = False
    private: bool = False
    between: list[User] = field(default_factory=list)
    "Who takes part in a private thread; nobody in a thread for all."
    posts: list[Post] = field(default_factory=list)


class No(Exception):
    def __init__(self, status: int, answer: Answer | str = "Not found.") -> None:
        super().__init__(answer)
        self.status = status
        self.answer = {"detail": answer} if isinstance(answer, str) else answer


class Standin(FaultyServer):
    """The forum: its people, threads and posts, and what tests do to it."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self.now = now
        self.users: dict[int, User] = {}
        self.threads: dict[int, Thread] = {}
        self.posts: dict[int, Post] = {}
        self.moderator = self.join("admin")
        self.us = self.join("mentat")
        self.password = PASSWORD
        self.sessions: set[str] = set()
        "The sessions of our account."
        self.members_only = False
        "Whether guests see nothing of the category."
        self.hurried = False
        "Whether our account need not wait between two posts."
        self.approval: set[str] = set()
        "What of ours a moderator must approve of first: threads, replies, edits."
        self._last_post = 0

    # what people do in their browsers

    def join(self, username: str) -> User:
        user = User(len(self.users) + 1, username)
        self.users[user.id] = user
        return user

    def write(self, user: User, thread: int, original: str) -> Post:
        return self._store(user, self.threads[thread], original)

    def tell(self, user: User, original: str) -> Thread:
        """Somebody writes us a private message."""
        thread = self._open("A message for you alone", user)
        thread.private, thread.between = True, [self.us, user]
        self._store(user, thread, original)
        return thread

    def leave(self, thread: int, user: User) -> None:
        """Whoever began a private thread leaves it, which closes it for those who stay."""
        self.threads[thread].between.remove(user)
        self.threads[thread].closed = True
        self._event(self.threads[thread], user, "owner_left")

    def edit(self, post: int, original: str) -> None:
        changed = self.posts[post]
        if changed.original != original.strip():
            changed.original, changed.updated, changed.edits = original.strip(), self.now(), changed.edits + 1

    def delete(self, post: int) -> None:
        deleted = self.posts.pop(post)
        self.threads[deleted.thread].posts.remove(deleted)

    def close(self, thread: int) -> None:
        self.threads[thread].closed = True
        self._event(self.threads[thread], self.moderator, "closed")

    # the API

    def reply(
        self, method: str, path: str, query: Query, headers: Any, body: bytes
    ) -> tuple[int, list[tuple[str, str]], Answer]:
        cookies = SimpleCookie(headers.get("Cookie", ""))
        session, token = (cookies[name].value if name in cookies else "" for name in ("sessionid", "csrftoken"))
        signed_in = session in self.sessions
        try:
            if method != "GET" and (signed_in or path == "/api/auth/"):
                _proved(headers, token)
            if (method, path) == ("POST", "/api/auth/"):
                return self._sign_in(signed_in, _json(headers, body))
            return 200, [], self._answer(method, path, query, signed_in, headers, body)
        except No as no:
            return no.status, [], no.answer

    def _sign_in(self, signed_in: bool, asked: Any) -> tuple[int, list[tuple[str, str]], Answer]:
        if signed_in:
            raise No(403, "This action is not available to signed in users.")
        if asked != {"username": self.us.username, "password": self.password}:
            raise No(400, {"detail": "Login or password is incorrect.", "code": "invalid_login"})
        session = uuid4().hex
        self.sessions.add(session)
        cookies = [("Set-Cookie", f"csrftoken={uuid4().hex}; Path=/; SameSite=Lax")]
        cookies += [("Set-Cookie", f"sessionid={session}; HttpOnly; Path=/; SameSite=Lax")]
        return 200, cookies, {"id": self.us.id, "username": self.us.username}

    def _answer(self, method: str, path: str, query: Query, signed_in: bool, headers: Any, body: bytes) -> Answer:
        for pattern, known_method, allowed, handle in self._routes():
            found = re.fullmatch(pattern, path)
            if found and method == known_method:
                strange = set(query) - allowed
                if strange:
                    raise No(400, f"unknown parameters: {strange}")
                if method != "GET" and not signed_in:
                    raise No(403, "This action is not available to guests.")
                asked = {name: values[0] for name, values in query.items()}
                user = self.us if signed_in else None
                return handle(user, *found.groups(), _json(headers, body) if method != "GET" else asked)
        raise No(404)

    def _routes(self) -> list[tuple[str, str, set[str], Callable[..., Answer]]]:
        posts = r"/api/(threads|private-threads)/(\d+)/posts/"
        return [
            (r"/api/auth/", "GET", set(), self._who),
            (r"/api/threads/", "POST", set(), self._start),
            (r"/api/threads/(\d+)/", "PATCH", set(), self._patch),
            (r"/api/private-threads/", "GET", {"start"}, self._private),
            (posts, "GET", {"page"}, self._posts),
            (posts, "POST", set(), self._answered),
            (posts + r"reply_editor/", "GET", {"reply"}, self._reply_editor),
            (posts + r"(\d+)/post_editor/", "GET", set(), self._post_editor),
            (posts + r"(\d+)/", "PUT", set(), self._revise),
            (r"/api/users/(\d+)/(threads|posts)/", "GET", {"start"}, self._feed),
        ]

    def _who(self, user: User | None, _: Any) -> Answer:
        return {"id": user.id if user else None, "is_authenticated": user is not None}

    def _start(self, user: User, asked: Any) -> Answer:
        errors: Answer = {}
        title, original = asked.get("title", "").strip(), asked.get("post", "").strip()
        if asked.get("category") != CATEGORY:
            errors["category"] = ["Selected category doesn't exist or you don't have permission to browse it."]
        errors |= _wrong_title(title) | _wrong_post(original)
        if errors:
            raise No(400, errors)
        self._wait(user)
        thread = self._open(title, user)
        self._store(user, thread, original).unapproved = "threads" in self.approval
        return {"id": thread.id, "title": title, "url": _url(thread)}

    def _answered(self, user: User, tree: str, number: str, asked: Any) -> Answer:
        thread = self._found(user, tree, number)
        if thread.closed:
            raise No(403, CLOSED)
        original = asked.get("post", "").strip()
        if errors := _wrong_post(original):
            raise No(400, errors)
        self._wait(user)
        post = self._store(user, thread, original)
        post.unapproved = "replies" in self.approval
        return self._shown(post)

    def _revise(self, user: User, tree: str, number: str, post: str, asked: Any) -> Answer:
        changed = self._own(user, tree, number, post)
        if errors := _wrong_post(asked.get("post", "").strip()):
            raise No(400, errors)
        self.edit(changed.id, asked["post"])
        changed.unapproved = "edits" in self.approval
        return self._shown(changed)

    def _patch(self, user: User, number: str, asked: Any) -> Answer:
        thread = self._found(user, "threads", number)
        if not isinstance(asked, list):
            raise No(400, "PATCH request should be list of operations")
        for change in asked:
            if (change["op"], change["path"]) != ("replace", "title"):
                raise No(400, f"unknown change: {change}")
            title = str(change["value"]).strip()
            wrong = [*_wrong_title(title).get("title", [])]
            if thread.starter is not user:
                wrong.append("You can't edit other users threads in this category.")
            if thread.closed:
                wrong.append("This thread is closed. You can't edit it.")
            if wrong:
                raise No(400, {"id": thread.id, "detail": wrong[:1]})
            if title != thread.title:
                thread.title = title
                self._event(thread, user, "changed_title")
        return {"id": thread.id, "title": thread.title, "detail": ["ok" for _ in asked]}

    def _posts(self, user: User | None, tree: str, number: str, asked: dict[str, str]) -> Answer:
        thread = self._found(user, tree, number)
        stream = [post for post in self._visible(thread, user) if not post.event]
        page = int(asked.get("page") or 0) or 1
        step = POSTS_PER_PAGE - 1
        pages = max(1, -(-max(1, len(stream) - ORPHANS - 1) // step))
        if page > pages:
            raise No(404)
        here = stream[(page - 1) * step :] if page == pages else stream[(page - 1) * step : page * step + 1]
        before = here[0].id if page > 1 else 0
        after = here[-1].id if page < pages else self._last_post + 1
        here += [post for post in self._visible(thread, user) if post.event and before < post.id < after]
        return {
            "id": thread.id,
            "title": thread.title,
            "is_closed": thread.closed,
            "last_post": self._newest(thread),
            "post_set": {
                "results": [self._shown(post) for post in sorted(here, key=lambda post: post.id)],
                "page": page,
                "pages": pages,
                "count": len(stream),
                "next": page + 1 if page < pages else None,
                "previous": page - 1 if page > 1 else None,
                "before": (page - 1) * step,
            },
        }

    def _reply_editor(self, user: User | None, tree: str, number: str, asked: dict[str, str]) -> Answer:
        thread = self._found(user, tree, number)
        if user is None:
            raise No(403, "You have to sign in to reply threads.")
        if thread.closed:
            raise No(403, CLOSED)
        post = self._post(user, thread, asked["reply"])
        if post.event:
            raise No(403, "Events can't be replied to.")
        if post.hidden:
            raise No(403, "You can't reply to hidden posts.")
        return {"id": post.id, "post": post.original, "poster": post.name}

    def _post_editor(self, user: User | None, tree: str, number: str, post: str, _: Any) -> Answer:
        found = self._own(user, tree, number, post)
        return {"id": found.id, "post": found.original, "attachments": [], "poster": found.name}

    def _feed(self, user: User | None, number: str, kind: str, asked: dict[str, str]) -> Answer:
        if int(number) not in self.users:
            raise No(404)
        posts = [post for post in self.posts.values() if post.poster and post.poster.id == int(number)]
        listed = [
            post
            for post in reversed(posts)
            if not (post.event or post.hidden or post.unapproved or self.threads[post.thread].private)
            and (kind == "posts" or self.threads[post.thread].posts[0] is post)
            and (user or not self.members_only)
            and post.id <= int(asked.get("start") or self._last_post)
        ]
        shown = []
        for post in listed[:POSTS_PER_PAGE]:
            row = self._shown(post)
            del row["poster"]
            thread = self.threads[post.thread]
            shown.append(row | {"thread": {"title": thread.title, "url": _url(thread)}})
        following = listed[POSTS_PER_PAGE:]
        return {"results": shown, "next": following[0].id if following else None}

    def _private(self, user: User | None, asked: dict[str, str]) -> Answer:
        if user is None:
            raise No(403, "You have to sign in to use private threads.")
        start = int(asked.get("start") or 0) or self._last_post
        threads = [thread for thread in self.threads.values() if user in thread.between]
        listed = [thread for thread in threads if (self._newest(thread) or 0) <= start]
        listed.sort(key=lambda thread: self._newest(thread) or 0, reverse=True)
        rows = [{"id": thread.id, "title": thread.title, "last_post": self._newest(thread)} for thread in listed]
        following = rows[THREADS_PER_PAGE:]
        return {"results": rows[:THREADS_PER_PAGE], "next": following[0]["last_post"] if following else None}

    # what is there

    def _found(self, user: User | None, tree: str, number: str) -> Thread:
        thread = self.threads.get(int(number))
        if tree == "private-threads" and user is None:
            raise No(403, "You have to sign in to use private threads.")
        if thread is None or thread.private != (tree == "private-threads") or (self.members_only and not user):
            raise No(404)
        if thread.private and user not in thread.between:
            raise No(404)
        return thread

    def _post(self, user: User | None, thread: Thread, number: str) -> Post:
        post = self.posts.get(int(number))
        if post not in self._visible(thread, user):
            raise No(404)
        assert post
        return post

    def _own(self, user: User | None, tree: str, number: str, post: str) -> Post:
        thread = self._found(user, tree, number)
        found = self._post(user, thread, post)
        if user is None:
            raise No(403, "You have to sign in to edit posts.")
        if found.poster is not user:
            raise No(403, "You can't edit other users posts in this category.")
        if thread.closed:
            raise No(403, CLOSED_POSTS)
        return found

    def _visible(self, thread: Thread, user: User | None) -> list[Post]:
        return [post for post in thread.posts if not post.unapproved or (user and post.poster is user)]

    def _newest(self, thread: Thread) -> int | None:
        return max((post.id for post in thread.posts if not post.unapproved), default=None)

    def _wait(self, user: User) -> None:
        now = self.now()
        if user.posted and (now - user.posted).total_seconds() < SECONDS_BETWEEN_POSTS and not self.hurried:
            raise No(403, QUICKLY)
        user.posted = now

    def _open(self, title: str, starter: User) -> Thread:
        thread = Thread(len(self.threads) + 100, title, starter)
        self.threads[thread.id] = thread
        return thread

    def _store(self, user: User, thread: Thread, original: str) -> Post:
        self._last_post += 1
        post = Post(self._last_post, thread.id, user, user.username, original.strip(), self.now(), self.now())
        self.posts[post.id] = post
        thread.posts.append(post)
        return post

    def _event(self, thread: Thread, user: User, kind: str) -> None:
        self._store(user, thread, "-").event = kind

    def _shown(self, post: Post) -> Answer:
        readable = not post.event and not post.hidden
        return {
            "id": post.id,
            "poster": {"id": post.poster.id, "username": post.poster.username} if post.poster else None,
            "poster_name": post.name,
            "content": f"<p>{html.escape(post.original)}</p>" if readable else None,
            "posted_on": _hour(post.posted),
            "updated_on": _hour(post.updated),
            "edits": post.edits,
            "is_unapproved": post.unapproved,
            "is_hidden": post.hidden,
            "is_event": post.event is not None,
            "event_type": post.event,
        }


def _proved(headers: Any, token: str) -> None:
    """Django's protection against forged requests, as it is over TLS."""
    if len(token) not in (32, 64) or headers.get("X-CSRFToken") != token:
        raise No(403, "CSRF Failed: CSRF token missing.")
    if headers.get("Referer") != f"http://{headers.get('Host')}/":
        raise No(403, "CSRF Failed: Referer checking failed - no Referer.")


def _json(headers: Any, body: bytes) -> Any:
    if headers.get("Content-Type") != "application/json":
        raise No(400, "the Content-Type header is not application/json")
    return json.loads(body)


def _wrong_post(original: str) -> Answer:
    if not original:
        return {"post": ["This field may not be blank."]}
    return _wrong_length("post", "Posted message", original, SHORTEST, LONGEST)


def _wrong_title(title: str) -> Answer:
    return _wrong_length("title", "Thread title", title, SHORTEST_TITLE, LONGEST_TITLE)


def _wrong_length(name: str, what: str, text: str, least: int, most: int) -> Answer:
    if len(text) < least:
        return {name: [f"{what} should be at least {least} characters long (it has {len(text)})."]}
    if len(text) > most:
        return {name: [f"{what} cannot be longer than {most} characters (it has {len(text)})."]}
    return {}


def _url(thread: Thread) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", thread.title.lower()).strip("-")
    return f"/{'p' if thread.private else 't'}/{slug}/{thread.id}/"


def _hour(hour: datetime) -> str:
    return hour.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
