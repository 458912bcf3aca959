"""What is done in a forum or on a list, step by step, by people and by us, with all that can go wrong between: what
each step gives, and what is known of the forum's limits then."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import httpx

from bot.channels.channel import (
    Channel,
    ChannelError,
    Dialect,
    Gone,
    Limits,
    Page,
    Post,
    PrivateMessage,
    Thread,
    TooSoon,
)
from bot.channels.discourse import DEFAULT as DISCOURSE_LIMITS
from bot.channels.discourse import Discourse
from bot.channels.mailing_list import DEFAULT as LIST_LIMITS
from bot.channels.mailing_list import Arrived, MailingList
from bot.channels.paste import PasteChannel
from bot.channels.posters import Proofs
from tests.approved.json_inputs import vary_json
from tests.approved.subject import Subject
from tests.channels import discourse_server
from tests.channels.benches import Clock
from tests.channels.in_memory import InMemory
from tests.channels.kept_in_memory import KeptInMemory
from tests.channels.list_server import ADDRESS, US, ListInMemory, mail

HERE = "http://localhost"
SAID = "Words of a post, which are long enough for any forum. "
MOST_STEPS = 40
Steps = list[list[Any]]


# --- the forums ------------------------------------------------------------------------------------------------------


class _Forum:
    """A forum with its people and our channel to it. Threads and posts are called by their place."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.threads: list[Thread] = []
        self.posts: list[str] = []
        self.cursors: dict[str, str] = {}
        self.channel: Any = None

    def now(self) -> float:
        return self.clock().timestamp()

    def thread(self, place: int) -> Thread:
        return self.threads[place] if 0 <= place < len(self.threads) else Thread("7" if place < 50 else "no thread")

    def post(self, place: int) -> str:
        return self.posts[place] if 0 <= place < len(self.posts) else ("77" if place < 50 else "no post")

    def member(self, who: int) -> Any:
        raise NotImplementedError

    def fault(self, what: str) -> None:
        raise LookupError(what)


class _Paste(_Forum):
    def __init__(self) -> None:
        super().__init__()
        self.kept = KeptInMemory()
        self.restart()

    def restart(self) -> None:
        self.channel = PasteChannel(self.kept, Limits(Dialect.BGG, 200, 9, characters_at_least=10), self.clock)

    def write(self, who: int, place: int, text: str, number: int | None = None) -> str:
        post = self.channel.hand_in(self.thread(place), f"member {who}", f"seat-{who}", text, number)
        return f"{_post(post)}"

    def edit(self, place: int, text: str) -> str:
        return str(self.channel.struck(self.thread(0), self.post(place)))

    def done(self, number: int, forum_number: int | None = None) -> str:
        self.channel.done(number, forum_number)
        return f"{self.channel.waiting()} wait, next {self.channel.next_block()}"


class _List(_Forum):
    def __init__(self) -> None:
        super().__init__()
        self.list = ListInMemory(self.clock)
        self.list.members |= {f"member{who}@example.org" for who in range(3)}
        self.written = 0
        self.restart()

    def restart(self) -> None:
        proofs = Proofs(ADDRESS, lambda: self.list.members, envelope_header="X-MailFrom")
        limits = replace(LIST_LIMITS, characters=900, characters_at_least=3)
        self.channel = MailingList(self.list, US, proofs, b"a secret", limits, clock=self.now)

    def fault(self, what: str) -> None:
        self.list.faults.append(what)

    def write(
        self, who: int, place: int, text: str, number: int | None = None, subject: str = "Re: [Dune] the game"
    ) -> str:
        self.written += number is None
        to = self.thread(place).id if place < 60 else None
        address = f"member{who}@example.org"
        named = f"<{number or self.written}@example.org>"
        message = mail(address, text, subject, to, named, f"Member {who}")
        self.list.deliver(message.as_bytes(), address if who != 2 else "feyd@example.org")
        self.posts.append(named)
        return named

    def raw(self, headers: dict[str, str], text: str) -> str:
        """A mail as it came, with the opening post of the first thread for T."""
        lines = [f"{name}: {value}".replace("<T>", self.thread(0).id) for name, value in headers.items()]
        source = "\r\n".join([*lines, "", text]).encode("utf-8", "surrogateescape")
        number = f"mail-{len(self.list.arrived) + 1}"
        self.list.arrived.append(Arrived(number, self.clock(), source))
        return number


class _Discourse(_Forum):
    def __init__(self) -> None:
        super().__init__()
        self.standin = discourse_server.Standin(self.clock)
        self.standin.longest = 600
        self.limits = replace(DISCOURSE_LIMITS, characters=700)
        self.restart()

    def restart(self) -> None:
        self.channel = Discourse(
            HERE, discourse_server.KEY, "mentat", discourse_server.CATEGORY, self.limits, clock=self.now
        )
        _in_memory(self.channel, self.standin)

    def fault(self, what: str) -> None:
        self.standin.faults.append(what)

    def member(self, who: int) -> discourse_server.User:
        name = f"member{who}"
        return self.standin.users.get(name) or self.standin.join(name)

    def write(self, who: int, place: int, text: str, type: int = 1, reply: int | None = None) -> str:
        number = self.standin.write(self.member(who), int(self.thread(place).id), text, type)
        self.standin.posts[number].reply_to = reply
        self.posts.append(str(number))
        return str(number)

    def edit(self, place: int, text: str) -> str:
        number = int(self.post(place))
        if text:
            self.standin.edit(number, text)
        else:
            self.standin.delete_by_author(number)
        return "edited"

    def state(self, place: int, what: str) -> str:
        setattr(self.standin.posts[int(self.post(place))], what, True)
        return what

    def close(self, place: int) -> str:
        self.standin.topics[int(self.thread(place).id)].closed = True
        return "closed"

    def tell(self, who: int, text: str) -> str:
        return str(self.standin.tell(self.member(who), text))


def _in_memory(channel: Any, standin: Any) -> None:
    client: httpx.Client = channel._site._client
    client._transport = InMemory(standin)
    client._mounts = {}


FORUMS: dict[str, Callable[[], _Forum]] = {
    "paste": _Paste, "list": _List, "discourse": _Discourse,
}  # fmt: skip


# --- steps -----------------------------------------------------------------------------------------------------------


def _told(text: str) -> str:
    name, steps = json.loads(text)
    forum = FORUMS[name if name in FORUMS else "paste"]()
    told: list[str] = []
    limits = None
    for step in steps[:MOST_STEPS]:
        told.append(f"{step}: {_step(forum, step)}"[:3000])
        if forum.channel.limits != limits:
            limits = forum.channel.limits
            told.append(f"  {limits}")
    return "\n".join(told)


def _step(forum: _Forum, step: Sequence[Any]) -> str:
    verb, *given = step
    try:
        return _done(forum, verb, given)
    except TooSoon as error:
        return f"TooSoon: {error}, {error.seconds:g} seconds"
    except ChannelError as error:
        return f"{type(error).__name__}: {error}"
    except Exception as error:
        return f"cannot be done: {type(error).__name__}"


def _done(forum: _Forum, verb: str, given: Sequence[Any]) -> str:
    ours = getattr(_Ours(forum), f"do_{verb}", None)
    return str((ours or _theirs(forum, verb))(*given))


def _theirs(forum: _Forum, verb: str) -> Callable[..., str]:
    found: Callable[..., str] = getattr(forum, verb)
    return found


class _Ours:
    """What is done by our channel, and with the clock and the line."""

    def __init__(self, forum: _Forum) -> None:
        self.forum = forum
        self.channel: Channel = forum.channel

    def do_open(self, title: str, text: str | int, key: str) -> str:
        thread, post = self.channel.open_thread(title, _words(text), key)
        if thread not in self.forum.threads:
            self.forum.threads.append(thread)
        self._note(post)
        return f"{thread.id} {thread.url}, {post}"

    def do_post(self, place: int, text: str | int, key: str) -> str:
        post = self.channel.post(self.forum.thread(place), _words(text), key)
        self._note(post)
        return post

    def do_revise(self, place: int, text: str | int) -> str:
        self.channel.revise(self.forum.post(place), _words(text))
        return "revised"

    def do_retitle(self, place: int, title: str) -> str:
        self.channel.retitle(self.forum.thread(place), title)
        return "renamed"

    def do_upload(self, name: str) -> str:
        shown = self.channel.upload(b"a picture", name)
        return re.sub(r"[0-9a-f]{40}", "…", shown)  # of a request whose parts are kept apart by lot

    def do_read(self, place: int, cursor: str | None = "next") -> str:
        if cursor == "next":
            cursor = self.forum.cursors.get(str(place))
        page = self.channel.read_since(self.forum.thread(place), cursor)
        self.forum.cursors[str(place)] = page.cursor
        for post in page.posts:
            self._note(post.id)
        return _page(page)

    def do_again(self, place: int, *posts: int) -> str:
        found = self.channel.look_again(self.forum.thread(place), [self.forum.post(post) for post in posts])
        return "; ".join(f"gone {one.id}" if isinstance(one, Gone) else _post(one) for one in found)

    def do_messages(self, cursor: str | None = "next") -> str:
        if cursor == "next":
            cursor = self.forum.cursors.get("messages")
        messages, self.forum.cursors["messages"] = self.channel.messages_since(cursor)
        return f"{'; '.join(map(_message, messages))} until {self.forum.cursors['messages']}"

    def do_wait(self, seconds: float) -> str:
        self.forum.clock.wait(seconds)
        return "later"

    def do_fault(self, what: str) -> str:
        self.forum.fault(what)
        return "ordered"

    def do_restart(self) -> str:
        self.forum.restart()  # type: ignore[attr-defined]
        return "started anew"

    def do_set(self, what: str, value: Any) -> str:
        setattr(self.forum.standin, what, value)  # type: ignore[attr-defined]
        return "so be it"

    def do_crowd(self, number: int, place: int) -> str:
        """So many posts of somebody."""
        for count in range(min(number, 70)):
            self.forum.write(1, place, f"{SAID}{count}")  # type: ignore[attr-defined]
        return "written"

    def _note(self, post: str) -> None:
        if post not in self.forum.posts:
            self.forum.posts.append(post)


def _words(text: str | int) -> str:
    return (SAID * 20)[:text] if isinstance(text, int) else text


def _page(page: Page) -> str:
    return f"{'; '.join(map(_post, page.posts))} until {page.cursor}{', more' if page.more else ''}"


def _post(post: Post) -> str:
    told = f"{post.id} by {post.author} ({post.author_id}) {post.posted:%d %H:%M:%S} {post.raw[:60]!r}"
    return f"{told} #{post.number} v{post.version} {post.edited} to {post.reply_to}"


def _message(message: PrivateMessage) -> str:
    return f"{message.id} by {message.author} ({message.author_id}) {message.sent:%d %H:%M:%S} {message.raw[:60]!r}"


# --- seeds -----------------------------------------------------------------------------------------------------------

OPEN: list[Any] = ["open", "The game of sietch-7 begins", 120, "key-1"]
FAULTS = ("drop", "late", "lost", "half", "slow", "few", "twice", "null", "page502", "page200", "refused")
ANSWERS = (
    [429, {"Retry-After": "90"}, {}], [429, {"Retry-After": "0"}, {}], [429, {}, {"extras": {"wait_seconds": 7}}],
    [429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, {}], [429, {"Retry-After": "soon"}, {"extras": {}}],
    [301, {"Location": "/t/1000.json"}, {}], [302, {"Location": "https://elsewhere.example/x"}, {}],
    [302, {"Location": "http://[x"}, {}], [304, {}, {}], [500, {}, {"errors": ["x"]}], [499, {}, {}],
    [403, {}, {"errors": ["You may not", "do that"]}], [404, {}, {"detail": "Not found."}], [400, {}, ["x"]],
    [410, {}, {"title": ["Too short", 5]}], [200, {}, []], [200, {}, {"id": "x"}], [200, {}, None], [200, {}, {}],
    [422, {}, {"errors": ["No more than 2 consecutive replies"]}], [200, {}, {"action": "enqueued"}],
    [422, {}, {"errors": ["Body is limited to 1500 characters"]}], [422, {}, {"errors": ["minimum is 150 characters"]}],
    [200, {}, {"action": "other"}], [403, {}, {"detail": "You can't post message so quickly."}],
)  # fmt: skip


def _seeds() -> Iterator[str]:
    post: Steps = [["wait", 10], ["post", 0, 60, "key-2"]]
    people: Steps = [["write", 1, 0, "!bid 3, and some more"], ["write", 2, 0, "I pass, and that is that."]]
    look: Steps = [["read", 0], ["again", 0, 0, 1, 2, 3, 60], ["read", 0], ["read", 0, None], ["read", 0, "x"]]
    for name in FORUMS:
        yield _input(name, [OPEN, *post, ["restart"], *post, *people, *look, ["messages"], ["upload", "a.png"]])
        yield _input(
            name, [OPEN, ["wait", 10], ["revise", 0, 90], ["retitle", 0, "The game of sietch-7, turn 2"], *look]
        )
        yield _input(name, [OPEN, OPEN, ["open", "Another game altogether", 300, "key-9"], ["read", 1], ["read", 2]])
        yield _input(name, [OPEN, *people, ["read", 0], ["edit", 1, "!bid 9, as I said"], ["wait", 400],
                            ["edit", 2, "!pass, as I never said"], ["edit", 1, ""], *look])  # fmt: skip
        yield _input(name, [OPEN, ["crowd", 45, 0], ["read", 0], ["read", 0], ["read", 0], ["again", 0, 30, 2], *post])
        for many in (20, 21, 41):
            crowd: Steps = [OPEN, ["crowd", many, 0], *[["read", 0]] * 3]
            yield _input(name, [*crowd, ["again", 0, *range(many)], ["restart"], ["again", 0, many]])
        for length in (2, 3, 9, 10, 20, 199, 200, 201, 599, 701, 899, 901):
            yield _input(name, [OPEN, ["wait", 10], ["post", 0, length, "key-3"]])
        for fault in FAULTS:
            yield _input(name, [OPEN, ["wait", 10], ["fault", f"write:{fault}"], *post, *post, ["read", 0]])
            yield _input(
                name, [["fault", fault], OPEN, OPEN, ["wait", 700], OPEN, ["fault", fault], ["read", 0], ["read", 0]]
            )
    for name in ("discourse",):
        for answer in ANSWERS:
            say = ["fault", f"write:say:{json.dumps(answer)}"]
            asked = ["fault", f"say:{json.dumps(answer)}"]
            yield _input(name, [OPEN, say, *post, *post, ["wait", 100], *post])
            yield _input(name, [OPEN, ["wait", 9], asked, ["read", 0], ["wait", 61], ["read", 0], asked, *post])
            yield _input(name, [asked, OPEN, OPEN])
        told: Steps = [["tell", 1, "I am K7QX2M"], ["tell", 2, "Hello there"]]
        yield _input(name, [OPEN, *told, ["messages"], ["tell", 1, "Again"], ["messages"], ["messages", None]])
        yield _input(
            name, [OPEN, ["close", 0], *post, *people, ["read", 0], ["revise", 0, 50], ["retitle", 0, "Another title"]]
        )
        for each in range(2, 7):
            posts = [step for n in range(each) for step in (["wait", 6], ["post", 0, 40 + n, f"k{n}"])]
            yield _input(name, [OPEN, *posts, ["restart"], ["post", 0, 40, "k0"], ["read", 0]])
        for state in ("hidden", "deleted_by_author"):
            yield _input(name, [OPEN, *people, ["state", 1, state], *look])
        yield _input(name, [OPEN, ["write", 1, 0, "a whisper to all", 4], ["write", 1, 0, "a moderator", 2, 1], *look])
        yield _input(name, [OPEN, ["set", "approval", True], *post, ["set", "staff", True], *post])
        yield _input(name, [OPEN, ["set", "key", "x"], *post, ["read", 0]])
        yield _input(
            name,
            [
                OPEN,
                ["crowd", 19, 0],
                ["read", 0],
                ["edit", 3, ""],
                ["edit", 4, ""],
                ["write", 1, 0, "Late words here"],
                ["read", 0],
            ],
        )
    for number in (None, 41, 42):
        yield _input("paste", [OPEN, ["write", 1, 0, "bid 3", number], ["write", 1, 0, "bid 4", number],
                               ["write", 2, 0, "bid 5", number],
                               ["done", 1, number], ["done", 1], ["done", 3], *look])  # fmt: skip
    yield _input(
        "paste",
        [OPEN, *post, ["done", 2], ["done", 1], ["done", 2, 7], ["read", 0], ["read", 0, "1"], ["read", 0, "9"]],
    )
    for headers in _mails():
        yield _input("list", [OPEN, ["raw", headers, "bid 3\r\n"], *look])


def _mails() -> Iterator[dict[str, str]]:
    usual = {"From": "Chani <member1@example.org>", "X-MailFrom": "member1@example.org", "To": ADDRESS}
    answer = {"In-Reply-To": "<T>", "Message-ID": "<a@b>", "Subject": "Re: [Dune] AW: The game of sietch-7 begins"}
    yield usual | answer
    yield usual | answer | {"From": ADDRESS, "X-Original-From": "member1@example.org"}
    yield (
        usual | answer | {"From": ADDRESS, "X-Original-From": "member1@example.org", "Reply-To": "member2@example.org"}
    )
    yield usual | answer | {"From": ADDRESS, "Reply-To": f"member1@example.org, {ADDRESS}"}
    yield usual | answer | {"From": "member1@example.org, member2@example.org"}
    yield usual | answer | {"From": "=?utf-8?q?Ch=C3=A0ni?= <member1@example.org>", "References": "<x@y> <T>"}
    yield usual | {"References": "<T> <x@y>", "Subject": "whatever"}
    yield usual | {"Subject": "[Dune] Re: The game of sietch-7 begins"}
    yield usual | {"Subject": ""}
    yield usual | {"Subject": "=?utf-8?q?wrong", "In-Reply-To": "<mentat.0123456789abcdef0123456789abcdef@example.net>"}
    yield {"From": "stranger@example.com", "In-Reply-To": "<T>"}
    yield usual | answer | {"Content-Type": "text/html"}
    yield usual | answer | {"Content-Type": "text/plain; charset=nonsense"}
    yield usual | answer | {"Message-ID": "<T>"}


def _input(name: str, steps: Steps) -> str:
    return json.dumps([name, steps])


_STEPS = vary_json()


def _vary(chance: Random, text: str, others: Sequence[str]) -> str:
    """Steps that are gone, doubled, moved or as elsewhere, with other numbers; or the same in another forum."""
    name, steps = json.loads(text)
    if chance.random() < 0.3:
        more = json.loads(chance.choice(others))[1]
        begin = chance.randrange(len(more) + 1)
        place = chance.randrange(len(steps) + 1)
        steps[place:place] = more[begin : begin + chance.choice((1, 2, 4))]
    if chance.random() < 0.1:
        name = chance.choice(list(FORUMS))
    steps = json.loads(_STEPS(chance, json.dumps(steps), [json.dumps(json.loads(chance.choice(others))[1])]))
    return _input(name, [step for step in steps if isinstance(step, list) and step and isinstance(step[0], str)])


SUBJECT = Subject("forum-channels", ("bot.channels",), _seeds, _vary, _told, slow=True)
