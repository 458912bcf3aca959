"""The channel to a forum, as the settings say how to get there.

What a kind of forum takes is known to its channel; the settings may know better. Of a list's mails only the words of
their writers are read, not what they quote, and who wrote is believed only where something proves it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Collection
from dataclasses import replace
from email import policy
from email.message import EmailMessage
from email.utils import getaddresses

from bot.channels.channel import Channel, Dialect, Limits
from bot.channels.mailing_list import DEFAULT as LIST
from bot.channels.mailing_list import Mailbox, MailingList, plain_text
from bot.channels.paste import Kept, PasteChannel
from bot.channels.posters import Proofs, fields
from bot.config import ForumSettings, Settings
from bot.mail.authentication import doubt_about
from bot.mail.identity import is_own_address
from bot.mail.mime.message import Malformed, parse
from bot.mail.words.reading import own_lines

MARK = 50
"""Characters that a forum's own limit must leave for the mark by which a post of ours is found again."""
PASTED = {Dialect.BBCODE: 60_000, Dialect.BGG: 60_000, Dialect.MARKDOWN: 10_000, Dialect.TEXT: 10_000}
"""How long a post by hand may be where the settings do not say: most forums take more."""


def nobody() -> Collection[str]:
    """The members of a list of whom nobody is known yet."""
    return ()


def open_channel(
    name: str,
    settings: Settings,
    *,
    kept: Kept | None = None,
    list_mailbox: Mailbox | None = None,
    members: Callable[[], Collection[str]] = nobody,
) -> Channel:
    """The channel to the forum with this name in the settings. Nothing is asked of the forum yet.

    ``kept`` is what a forum by hand must not forget, ``list_mailbox`` the way of a list's mails, ``members`` the
    addresses in small letters that may be somebody on a list. ValueError where a kind lacks what it needs.
    """
    forum = settings.forums[name]
    if forum.kind == "discourse":
        from bot.channels import discourse  # brings the client of HTTP with it

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
        raise ValueError(f"the forum {name} needs a place where its posts are kept")
    dialect = Dialect(forum.dialect or "text")
    return PasteChannel(kept, _limits(forum, Limits(dialect, PASTED[dialect], seconds_between_posts=0)))


def proofs(forum: ForumSettings, members: Callable[[], Collection[str]] = nobody) -> Proofs:
    """By what the writers on a list are believed."""
    server = forum.authserv_id

    def proved(message: EmailMessage, claimed: str) -> bool:
        found = tuple(fields(message, "Authentication-Results"))
        return not doubt_about(claimed.rpartition("@")[2], found, server)

    return Proofs(
        forum.address.lower(),
        members,
        proved=proved if server else None,
        envelope_header=forum.envelope_header or None,
    )


def own_words(message: EmailMessage, settings: Settings) -> str:
    """What the writer of a list mail wrote themselves, a line each, without quotations, signatures and footers. A post
    of ours is given as it stands, and so is a mail that the reader of orders cannot read."""
    ours = (settings.sender, settings.mentat.address)
    senders = [address for _, address in getaddresses(fields(message, "From"))]
    if any(is_own_address(sender, own) for sender in senders for own in ours):
        return plain_text(message)
    try:
        incoming = parse(message.as_bytes(policy=policy.compat32), settings.limits.max_message_bytes)
    except (LookupError, ValueError, TypeError, AttributeError):  # a malformed mail that cannot be written out again
        return plain_text(message)
    if isinstance(incoming, Malformed):
        return plain_text(message)
    limits = settings.limits
    read = own_lines(incoming, lambda _code: None, settings.mentat.address, limits.max_lines, limits.line_chars)
    return "\n".join(read.lines)


def _limits(forum: ForumSettings, usual: Limits, mark: int = 0) -> Limits:
    """What a channel takes, with what the settings say of it; ``mark`` characters of a limit are ours."""
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
    """The secret that goes into the Message-IDs of our posts to a list, so that nobody else can know them before."""
    secret = settings.secrets.secret.get_secret_value().encode()
    return hmac.new(secret, f"list-posts\0{name}".encode(), hashlib.sha256).digest()
