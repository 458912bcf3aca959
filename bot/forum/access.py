"""Access to a forum: the channel that the settings describe, the mails of a mailing list, and a trial of a forum.

Each channel knows the limits of its kind of forum; the settings may correct them. From a list's mails Mentat reads only
the writers' own words, not their quotations, and trusts a writer's name only with proof. A list's mails arrive in
Mentat's own mailbox, are kept with all other mail (``bot.moderator.intake``), and are sent through Mentat's own mail
server. They do not wait in the outbox, because a channel must know whether its post was sent.

A trial performs every action of a game thread once, in its own thread, without touching any game. It reports the
forum's answer to each step and, if the forum refuses a step, the missing permission. It reports the limits last,
because Mentat learns some of them from the forum's answers.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from email import policy
from email.message import EmailMessage
from email.utils import getaddresses
from typing import Literal, TypeVar

from bot.channels import (
    Channel,
    ChannelError,
    Dialect,
    Gone,
    Limits,
    NotPossible,
    Post,
    Refused,
    Thread,
    TooSoon,
    Unreachable,
)
from bot.channels.mailing_list import DEFAULT as LIST
from bot.channels.mailing_list import Arrived, Mailbox, MailingList, Proofs, header_values, plain_text
from bot.channels.paste import Kept, PasteChannel
from bot.config import ForumSettings, Settings
from bot.forum.own_lines import LONGEST_POST
from bot.mail.authentication import doubt_about
from bot.mail.identity import is_own_address
from bot.mail.message import Incoming, Malformed, Text, parse
from bot.mail.own_words import own_lines
from bot.mail.transport import SendDeferred, SendRefused, Transport
from bot.store import forum_pastes
from bot.store.database import Engine, reading
from bot.wording import say

MARK = 50
"""The number of characters reserved in a post for the mark by which Mentat recognises its own posts."""
PASTED = {Dialect.BBCODE: 60_000, Dialect.BGG: 60_000, Dialect.MARKDOWN: 10_000, Dialect.TEXT: 10_000}
"""The default maximum length of a post by hand in each dialect; most forums accept more."""


def no_members() -> Collection[str]:
    return ()


def open_channel(
    name: str,
    settings: Settings,
    *,
    kept: Kept | None = None,
    list_mailbox: Mailbox | None = None,
    members: Callable[[], Collection[str]] = no_members,
) -> Channel:
    """Return the channel to the forum with this name in the settings, without contacting the forum.

    ``kept`` stores the state of a forum in which a person posts by hand. ``list_mailbox`` carries a list's mails.
    ``members`` returns the addresses, in lower case, that may belong to members of a list. Raise ValueError if this
    kind of forum needs one of these and it is missing.
    """
    forum = settings.forums[name]
    if forum.kind == "discourse":
        from bot.channels import discourse  # loads the HTTP client

        limits = _limits(forum, discourse.DEFAULT, MARK)
        return discourse.Discourse(forum.url, _key(name, settings), forum.username, forum.category, limits)
    if forum.kind == "list":
        if list_mailbox is None:
            raise ValueError(f"the list {name} needs a mailbox")
        return MailingList(
            list_mailbox,
            settings.sender,
            proofs(forum, members),
            _secret(name, settings),
            _limits(forum, LIST),
            lambda message: own_words(message, settings),
        )
    if kept is None:
        raise ValueError(f"the forum {name} needs storage for its posts")
    dialect = Dialect(forum.dialect or "text")
    return PasteChannel(kept, _limits(forum, Limits(dialect, PASTED[dialect], seconds_between_posts=0)))


def proofs(forum: ForumSettings, members: Callable[[], Collection[str]] = no_members) -> Proofs:
    server = forum.authserv_id

    def proved(message: EmailMessage, claimed: str) -> bool:
        found = tuple(header_values(message, "Authentication-Results"))
        return not doubt_about(claimed.rpartition("@")[2], found, server)

    return Proofs(
        forum.address.lower(), members, proved=proved if server else None, envelope_header=forum.envelope_header or None
    )


def own_words(message: EmailMessage, settings: Settings) -> str:
    """Return the writer's own lines of a list mail, without quotations, signatures and footers. Return Mentat's own
    posts, and mails that the order reader cannot read, unchanged."""
    ours = (settings.sender, settings.mentat.address)
    senders = [address for _, address in getaddresses(header_values(message, "From"))]
    if any(is_own_address(sender, own) for sender in senders for own in ours):
        return plain_text(message)
    try:
        incoming = parse(message.as_bytes(policy=policy.compat32), settings.limits.max_message_bytes)
    except (LookupError, ValueError, TypeError, AttributeError):  # a malformed mail that cannot be serialized
        return plain_text(message)
    if isinstance(incoming, Malformed):
        return plain_text(message)
    read = own_lines(
        _without_digests(incoming), lambda _code: None, settings.mentat.address, LONGEST_POST, LONGEST_POST
    )
    return "\n".join(line for section in read.sections if not section.token for line in section.spaced)


def _without_digests(incoming: Incoming) -> Incoming:
    def without(text: Text) -> Text:
        return text if text.is_page else text._replace(content=_DIGEST.sub("", text.content))

    kept = (
        replace(passage, versions=tuple(tuple(map(without, version)) for version in passage.versions))
        for passage in incoming.passages
    )
    return replace(incoming, passages=tuple(kept))


_DIGEST = re.compile(
    r"^(?:Send .{1,80} mailing list submissions to|Today's Topics:)[ \t]*\n(?s:.*?)"
    r"(?:^End of .{1,80} Digest\b[^\n]*(?:\n\*{5,}[ \t]*)?$|\Z)",
    re.MULTILINE,
)
"""A mailing list's digest without quote marks: other people's mails, up to the last line of the digest."""


def _limits(forum: ForumSettings, usual: Limits, mark: int = 0) -> Limits:
    seconds, in_a_row = forum.seconds_between_posts, forum.posts_in_a_row
    return replace(
        usual,
        characters=forum.characters - mark if forum.characters else usual.characters,
        seconds_between_posts=usual.seconds_between_posts if seconds is None else seconds,
        posts_in_a_row=usual.posts_in_a_row if in_a_row is None else in_a_row or None,
        pictures=usual.pictures and forum.pictures,
    )


def _key(name: str, settings: Settings) -> str:
    return settings.forum_keys[name].get_secret_value()


def _secret(name: str, settings: Settings) -> bytes:
    """Return the secret that goes into the Message-IDs of Mentat's posts to a list, so that nobody can predict them."""
    return hmac.new(settings.key, f"list-posts\0{name}".encode(), hashlib.sha256).digest()


class DatabaseMailbox:
    """The mails of one list, as stored in the database (see ``bot.channels.mailing_list.Mailbox``). Each is identified
    by its database number."""

    def __init__(self, forum: str, settings: Settings, engine: Engine, transport: Transport) -> None:
        self._forum = forum
        self._address = settings.forums[forum].address
        self._sender = settings.sender
        self._engine = engine
        self._transport = transport

    def send(self, message: EmailMessage) -> None:
        try:
            self._transport.send(self._sender, self._address, message.as_bytes())
        except SendDeferred as away:
            raise Unreachable(str(away)) from away
        except SendRefused as no:
            raise Refused(str(no)) from no

    def since(self, place: str | None) -> Sequence[Arrived]:
        with reading(self._engine) as conn:
            found = forum_pastes.list_mail_after(conn, self._forum, int(place or 0))
        return [Arrived(str(mail.number), mail.arrived_at, mail.raw) for mail in found]


T = TypeVar("T")
State = Literal["well", "cannot", "wrong", "left"]
PAUSE = 2.0
PAGES = 20
CLOCK_APART = 60
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKklEQVR42u3NQQkAAAgEsGtvJdOYxRQ+hMH+y3SdikAgEAgEAoFAIPgSLKkN"
    "dHmAtmOOAAAAAElFTkSuQmCC"
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a trial. Its state is ``well`` if it worked, ``wrong`` if it failed (see ``advice``), and ``left`` if
    it was skipped because an earlier step failed. ``cannot`` means that this kind of forum does not offer the step, and
    that Mentat does not need it."""

    name: str
    state: State
    told: str
    advice: str = ""


class _Failed(Exception):
    def __init__(self, why: str, advice: str = "") -> None:
        super().__init__(why)
        self.advice = advice


@dataclass
class Trial:
    """A trial of one forum.

    ``wait`` is the maximum number of seconds to wait for slow answers: for pauses that a forum demands, and for mails
    through a list. ``between`` is called for each wait, with its number of seconds, and may fetch mail meanwhile.
    """

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
                yield Step(name, "left", "there is no thread in which to try it")
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
            advice = "Try again later, or allow more seconds of waiting with --wait."
            return Step(name, "wrong", f"the forum asks for {patience.seconds:.0f} seconds of waiting", advice)
        except Unreachable as away:
            advice = LIST_AWAY if self.kind == "list" else "Check whether its address opens in a browser."
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
                raise _Failed(f"post {identifier} does not read back as it was written: {found[identifier].raw[:80]!r}")
        if not all(post.author_id for post in found.values()):
            raise _Failed("it does not show which account wrote a post", self._permission("read it back"))
        self._posts = found
        apart = (found[self.first].posted - self.now()).total_seconds() + self._waited
        if self.kind != "list" and abs(apart) > CLOCK_APART:
            return f"as it was written, by a clock about {abs(apart):.0f} seconds {'ahead' if apart > 0 else 'behind'}"
        return f"as it was written, by {found[self.first].author}"

    def _all_of(self, wanted: set[str]) -> dict[str, Post]:
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
            raise Unreachable(f"{len(missing)} of the {len(wanted)} posts cannot be read yet")
        return found

    def _revise(self) -> str:
        assert self.thread is not None
        thread, words = self.thread, say("forum-trial.changed", sign=self.sign)
        self._patiently(lambda: self.channel.revise(self.first, words))
        [again] = self._patiently(lambda: self.channel.look_again(thread, [self.first]))
        if isinstance(again, Gone) or " ".join(again.raw.split()) != " ".join(words.split()):
            raise _Failed("the change does not appear", self._permission("change the first post"))
        return "changed, and read back"

    def _rename(self) -> str:
        assert self.thread is not None
        thread, title = self.thread, say("forum-trial.title", sign=f"{self.sign}, renamed")
        self._patiently(lambda: self.channel.retitle(thread, title))
        return title

    def _picture(self) -> str:
        shown = self._patiently(lambda: self.channel.upload(PICTURE, f"mentat-{self.sign}.png"))
        return f"a post shows it with {shown}"

    def _messages(self) -> str:
        messages, _ = self._patiently(lambda: self.channel.messages_since(None))
        return f"{len(messages)} there now; a code sent this way also links an account"

    # --- patience ------------------------------------------------------------------------------------------------

    def _patiently(self, ask: Callable[[], T]) -> T:
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


TWICE = "Remove one of them there, and report this to the makers of Mentat: games depend on it."
LIST_AWAY = (
    "Check whether Mentat is a member of the list under the address that `mentat forum status` shows, whether that "
    "member gets single mails and also its own, and whether the list holds back mails from Mentat's address. Or allow "
    "more seconds of waiting with --wait."
)
_DISCOURSE_KEY = (
    "Create the key in Admin > API for the account of `username` (or for all users), global or with the scopes to read "
    "and write topics, to edit posts and to upload. A key that nobody uses for 180 days is revoked. "
)
_DISCOURSE_CATEGORY = "In the category's Security, let a group of that account Create / Reply / See."
PERMISSIONS = {
    "discourse": {
        "open a thread": f"{_DISCOURSE_KEY}{_DISCOURSE_CATEGORY}",
        "post in it": f"{_DISCOURSE_CATEGORY} A staff account can post more than three times in a row.",
        "change the first post": "The account must be allowed to edit its posts at any time: make it staff, or raise "
        "`post edit time limit`.",
        "rename the thread": "The account must be allowed to edit titles of its own topics at any time: make it staff, "
        "or raise `post edit time limit`.",
        "bring a picture": "The account must be allowed to upload png files (`authorized extensions`, `embedded media "
        "post allowed groups`). Or set pictures = false.",
        "read private messages": "The account must be allowed to read its own messages: a key of its own user allows "
        "this, a key of limited scope does not. Players then post their code in the thread instead.",
        "": _DISCOURSE_KEY,
    },
    "list": {"": "The list does not take posts from this address: make it a member, or allow it to post."},
}
"""The permission that is missing if a forum refuses a step, by kind of forum and step ("" for all other steps)."""
