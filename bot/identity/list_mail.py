"""Which mails are no letters to Mentat but part of a forum: those of a list of which it is a member, and those by which
a forum tells that there is something to read.

No order is read from either. A list is known by the secret address under which Mentat subscribed, for anybody can write
a List-Id; where the provider delivers no plus addresses, by the word of our own mail server that the mail was sent by
the list's.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

from bot.config import Settings
from bot.mail.authentication import was_passed_on_by
from bot.mail.identity import find_list_tokens, list_address, list_token
from bot.mail.mime.message import Incoming
from bot.store.mail import DeduplicationKeys

_IN_BRACKETS = re.compile(r"<\s*(?:mailto:)?([^<>\s?]+)[^<>]*>")
_WORD = re.compile(r"[^\s,;<>]+")
_NAMES_OF_LISTS = ("list-id", "list-post", "mailing-list", "x-beenthere")


def subscribed_address(settings: Settings, forum: str) -> str:
    """The address under which Mentat is to be a member of the list of a forum."""
    address = settings.mentat.address
    return list_address(address, _token(settings, forum)) if settings.mentat.plus_addressing else address


def is_from_list(settings: Settings, incoming: Incoming) -> str | None:
    """The forum from whose list a mail came, or None."""
    for name, forum in settings.forums.items():
        if forum.kind == "list" and _names(incoming, forum.address.lower()) and _came_by(settings, incoming, name):
            return name
    return None


def is_notification(settings: Settings, incoming: Incoming) -> str | None:
    """The forum that tells by mail of something in it, or None. A mail that bears a reply token is a player's."""
    from_discourse = any(name.startswith("x-discourse-") for name in incoming.headers)
    places = [*_listed(incoming.header("list-id"))]
    if from_discourse:
        places += [address.rpartition("@")[2] for address in (*incoming.senders, incoming.message_id or "")]
    for name, forum in settings.forums.items():
        host = urlsplit(forum.url).hostname
        if host and any(place == host or place.endswith(f".{host}") for place in places):
            return name
    return None


def keys_in_list(keys: DeduplicationKeys, forum: str) -> DeduplicationKeys:
    """The deduplication keys of a mail from the list of a forum. They differ from those of the same mail to a player's
    reply address or to another list, as each of these counts by itself, whichever comes first."""
    content = hashlib.sha256(f"list {forum}\n{keys.content}".encode()).hexdigest()
    return replace(keys, content=content, written=f"{keys.written} list {forum}" if keys.written else "")


def _token(settings: Settings, forum: str) -> str:
    return list_token(settings.secrets.secret.get_secret_value().encode(), forum)


def _came_by(settings: Settings, incoming: Incoming, forum: str) -> bool:
    """Whether a mail that says so came by way of the list."""
    if settings.mentat.plus_addressing:
        return _token(settings, forum) in find_list_tokens(incoming, settings.mentat.address)
    domain = settings.forums[forum].address.rpartition("@")[2]
    results = incoming.headers.get("authentication-results", ())
    return was_passed_on_by(domain, results, settings.identity.authserv_id)


def _names(incoming: Incoming, address: str) -> bool:
    """Whether a mail says that it came from the list with this address."""
    known = (address, address.replace("@", "."))
    values = [value for name in _NAMES_OF_LISTS for value in incoming.headers.get(name, ())]
    return any(word in known for value in values for word in _listed(value))


def _listed(value: str) -> Iterator[str]:
    """What the header of a list names: `Games <dune.lists.example>`, `<mailto:dune@lists.example>`, `list a@b; ...`"""
    found = _IN_BRACKETS.findall(value) or _WORD.findall(value)
    return (word.lower() for word in found)
