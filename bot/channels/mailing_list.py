"""A mailing list: our posts are mails to the list, and other people's posts arrive as mails from the list.

A post is identified by its Message-ID. The Message-IDs of our own posts are derived from the key and a secret. So a
post always has the same Message-ID, nobody else can send a mail with it first, and a mail delivered twice is still one
post. A thread consists of the mail that opened it, all mails that refer to it or to one of its posts, and all others
with the same subject. Mails cannot be changed.

**The poster.** A list relays mails that claim to come from a member, so the `From:` alone proves nothing. Two things
can prove the sender: a verified domain (Authentication-Results from a trusted host), or the envelope sender as recorded
by the list's own server (Mailman: X-MailFrom). The envelope sender must match the `From:`, and the game master must be
sure that the server prevents forgeries. A reply token proves nothing, because every reader of the list would have it.
If the list has put its own address into the `From:` (for DMARC), the poster is found in X-Original-From, the envelope
or the Reply-To.
"""

import hashlib
import hmac
import re
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email import message_from_bytes, policy
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.utils import getaddresses, parseaddr
from typing import NoReturn, Protocol

from bot import channels

UNPROVEN = "unproven:"
"""The prefix of an unverified author identifier."""

_ORIGINAL = ("X-Original-From", "X-MailFrom", "Reply-To")


@dataclass(frozen=True)
class Proofs:
    list_address: str
    members: Callable[[], Collection[str]]
    """Returns the addresses of the list's members, in lower case."""
    proved: Callable[[EmailMessage, str], bool] | None = None
    """Returns True if a mail verifiably comes from the domain of an address. With None, this is not checked."""
    envelope_header: str | None = None
    """The header in which the list's server records the envelope sender, replacing any earlier value. None if there is
    no such header."""


def poster_of(message: EmailMessage, proofs: Proofs) -> str:
    """Return the address of the member who posted a mail. If there is no proof, return UNPROVEN followed by the claimed
    address.

    >>> message = EmailMessage()
    >>> message["From"], message["X-MailFrom"] = "Chani <chani@example.org>", "feyd@example.org"
    >>> poster_of(message, Proofs("dune@lists.example", lambda: {"chani@example.org"}, envelope_header="X-MailFrom"))
    'unproven:chani@example.org'
    """
    claimed = _claimed(message, proofs.list_address)
    proved = (proofs.proved is not None and proofs.proved(message, claimed)) or _enveloped(message, claimed, proofs)
    return claimed if claimed in proofs.members() and proved else UNPROVEN + claimed


def _claimed(message: EmailMessage, list_address: str) -> str:
    """Return the claimed sender of a mail. Headers other than From: count only if the list has replaced the From:.
    Since the poster may have forged an X-Original-From that the list did not remove, it counts only if the Reply-To
    does not contradict it."""
    senders = _addresses(message, "From")
    if senders != [list_address.lower()]:
        return ",".join(senders)
    named = {
        name: [address for address in _addresses(message, name) if address != list_address.lower()]
        for name in _ORIGINAL
    }
    original, answered = set(named["X-Original-From"]), set(named["Reply-To"])
    if original and answered and original != answered:
        return ""
    return next((found[0] for found in named.values() if len(found) == 1), "")


def _enveloped(message: EmailMessage, claimed: str, proofs: Proofs) -> bool:
    if proofs.envelope_header is None:
        return False
    return _addresses(message, proofs.envelope_header) == [claimed]


def _addresses(message: EmailMessage, name: str) -> list[str]:
    return [address.lower() for _, address in getaddresses(header_values(message, name)) if address]


def header_values(message: EmailMessage, name: str) -> list[str]:
    """Return the unfolded but otherwise unchanged values of a header. The standard library's parser fails on some
    malformed values."""
    return [" ".join(str(value).split()) for found, value in message.raw_items() if found.lower() == name.lower()]


PAGE = 50
PATIENCE = 600.0
"""Seconds to wait for a mail that may have been sent before sending it again."""
DEFAULT = channels.Limits(channels.Dialect.TEXT, characters=10_000, seconds_between_posts=0)
"""Mailman's default limit is 40 KB per message."""

_OURS = re.compile(r"<mentat\.[0-9a-f]{32}@[^>]+>")
_MESSAGE_ID = re.compile(r"<[^<>\s]+>")
_SUBJECT = re.compile(r"^(\s*(\[[^\]]*\]|(re|aw|sv|antw|fw|fwd)(\[\d+\])?:)\s*)+", re.IGNORECASE)
_FOOTER = re.compile(r"\n_{20,}[ ]*\n(?:[^\n]*\n?){0,12}\Z")


@dataclass(frozen=True)
class Arrived:
    id: str
    """The permanent identifier that our mailbox gives the message."""
    received: datetime
    source: bytes


class Mailbox(Protocol):
    def send(self, message: EmailMessage) -> None:
        """Send a mail to the list. Raise Unreachable if it is unclear whether the mail was sent, and Refused if it can
        never be sent."""
        ...

    def since(self, place: str | None) -> Sequence[Arrived]: ...


def plain_text(message: EmailMessage) -> str:
    """Return the text of a mail as its writer typed it, with quotations but without the list's footer. Return "" if the
    mail cannot be read."""
    try:
        body = message.get_body(("plain",))
        text = str(body.get_content()) if body else ""
    except (LookupError, ValueError, AttributeError, TypeError):  # an unknown charset, a malformed header
        return ""
    return _FOOTER.sub("", text.replace("\r\n", "\n")).strip("\n")


@dataclass
class _Archive:
    arrivals: list[tuple[str, str, channels.Post | None]] = field(default_factory=list)
    """For each mail: its identifier in the mailbox, its thread, and its post. The post is None for a duplicate, and for
    a mail that belongs to none of our threads."""
    places: dict[str, int] = field(default_factory=dict)
    posts: dict[str, channels.Post] = field(default_factory=dict)
    thread_of: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)


class MailingList:
    def __init__(
        self,
        mailbox: Mailbox,
        address: str,
        proofs: Proofs,
        secret: bytes,
        limits: channels.Limits = DEFAULT,
        text: Callable[[EmailMessage], str] = plain_text,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._mailbox = mailbox
        self._address = address
        self._proofs = proofs
        self._secret = secret
        self._limits = limits
        self._text = text
        self._clock = clock
        self._archive = _Archive()
        self._sent: dict[str, float | None] = {}  # when a mail may have been sent; None if it certainly was

    @property
    def limits(self) -> channels.Limits:
        return self._limits

    def open_thread(self, title: str, first: str, key: str) -> tuple[channels.Thread, str]:
        identifier = self._identifier("thread", key)
        message = self._message(title, first, identifier)
        self._send(identifier, first, message)
        self._archive.titles.setdefault(identifier, title)
        return channels.Thread(identifier), identifier

    def post(self, thread: channels.Thread, text: str, key: str) -> str:
        identifier = self._identifier(thread.id, key)
        self._read()
        message = self._message(f"Re: {self._title(thread)}", text, identifier)
        message["In-Reply-To"] = message["References"] = thread.id
        self._send(identifier, text, message)
        return identifier

    def revise(self, post: str, text: str) -> None:
        _never("a mail cannot be changed")

    def retitle(self, thread: channels.Thread, title: str) -> None:
        _never("a mail cannot be changed")

    def upload(self, picture: bytes, name: str) -> str:
        _never("a mailing list cannot store pictures")

    def read_since(self, thread: channels.Thread, cursor: str | None) -> channels.Page:
        self._read()
        self._title(thread)
        archive = self._archive
        if cursor and cursor not in archive.places:
            raise channels.CursorForgotten(f"no mail {cursor} came from the list")
        start = archive.places[cursor] + 1 if cursor else 0
        posts: list[channels.Post] = []
        last = cursor or ""
        for arrival, where, post in archive.arrivals[start:]:
            if where == thread.id and post:
                if len(posts) == PAGE:
                    return channels.Page(tuple(posts), last, more=True)
                posts.append(post)
            last = arrival
        return channels.Page(tuple(posts), last)

    def look_again(self, thread: channels.Thread, posts: Sequence[str]) -> tuple[channels.Post | channels.Gone, ...]:
        self._read()
        archive = self._archive
        here = {post for post in posts if archive.thread_of.get(post) == thread.id}
        return tuple(archive.posts[post] if post in here else channels.Gone(post) for post in posts)

    def messages_since(self, cursor: str | None) -> tuple[tuple[channels.PrivateMessage, ...], str]:
        _never("private messages do not go through the list")

    # outgoing

    def _identifier(self, *words: str) -> str:
        said = "\0".join((self._proofs.list_address, *words)).encode()
        digest = hmac.new(self._secret, said, hashlib.sha256).hexdigest()[:32]
        return f"<mentat.{digest}@{self._address.rpartition('@')[2]}>"

    def _message(self, subject: str, text: str, identifier: str) -> EmailMessage:
        message = EmailMessage(policy=policy.SMTP)
        message["From"] = self._address
        message["To"] = self._proofs.list_address
        message["Subject"] = subject
        message["Message-ID"] = identifier
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(text, charset="utf-8", cte="quoted-printable")
        return message

    def _send(self, identifier: str, text: str, message: EmailMessage) -> None:
        self._read()
        if identifier in self._archive.posts:
            return
        if identifier in self._sent:
            sent = self._sent[identifier]
            if sent is None:
                return
            if self._clock() - sent < PATIENCE:
                raise channels.Unreachable("the mail may have gone out and has not come back from the list yet")
        if not self._limits.characters_at_least <= len(text) <= self._limits.characters:
            least, most = self._limits.characters_at_least, self._limits.characters
            raise channels.Refused(f"a post has {least} to {most} characters, not {len(text)}")
        self._sent[identifier] = self._clock()
        try:
            self._mailbox.send(message)
        except channels.Refused:
            del self._sent[identifier]
            raise
        self._sent[identifier] = None

    def _title(self, thread: channels.Thread) -> str:
        if thread.id in self._archive.titles:
            return self._archive.titles[thread.id]
        if _OURS.fullmatch(thread.id):
            raise channels.Unreachable("the mail that opens this thread has not come back from the list yet")
        raise channels.Refused(f"there is no thread {thread.id}")

    # incoming

    def _read(self) -> None:
        archive = self._archive
        place = archive.arrivals[-1][0] if archive.arrivals else None
        for arrived in self._mailbox.since(place):
            thread, post = self._take(arrived)
            archive.places[arrived.id] = len(archive.arrivals)
            archive.arrivals.append((arrived.id, thread, post))

    def _take(self, arrived: Arrived) -> tuple[str, channels.Post | None]:
        message = message_from_bytes(arrived.source, _class=EmailMessage, policy=policy.default)
        archive = self._archive
        found = _identifiers(message, "Message-ID")
        identifier = found[0] if found else f"<{arrived.id}>"
        if identifier in archive.posts:
            return "", None
        thread = self._thread(message, identifier)
        if not thread:
            return "", None
        name, address = parseaddr(" ".join(header_values(message, "From")))
        answered = _identifiers(message, "In-Reply-To")
        post = channels.Post(
            id=identifier,
            author=_decoded(name) or address,
            author_id=poster_of(message, self._proofs),
            posted=arrived.received,
            raw=self._text(message),
            reply_to=answered[0] if answered else None,
        )
        archive.posts[identifier] = post
        archive.thread_of[identifier] = thread
        return thread, post

    def _thread(self, message: EmailMessage, identifier: str) -> str | None:
        archive = self._archive
        subject = _subject(message)
        referred = _identifiers(message, "In-Reply-To") + _identifiers(message, "References")[::-1]
        for other in referred:
            if other in archive.thread_of:
                return archive.thread_of[other]
        if _OURS.fullmatch(identifier) and not referred:
            archive.titles[identifier] = subject
            return identifier
        for other in referred[::-1]:  # References begins with the mail that opened the thread, which may arrive later
            if _OURS.fullmatch(other):
                return other
        threads = [thread for thread, title in archive.titles.items() if _SUBJECT.sub("", title) == subject]
        return threads[0] if threads and subject else None


def _identifiers(message: EmailMessage, name: str) -> list[str]:
    return [found for value in header_values(message, name) for found in _MESSAGE_ID.findall(value)]


def _subject(message: EmailMessage) -> str:
    return _SUBJECT.sub("", _decoded(" ".join(header_values(message, "Subject"))))


def _decoded(value: str) -> str:
    try:
        return str(make_header(decode_header(value)))
    except (LookupError, ValueError, HeaderParseError):
        return value


def _never(why: str) -> NoReturn:
    raise channels.NotPossible(why)
