"""Reply tokens and mail addresses: the game and faction of a mail, and the mailbox behind an address.

A token is a keyed hash of game, faction and generation, which nobody can guess. When a seat gets a new generation, for
example after a change of players or a leaked token, all its older tokens become invalid. The token is sent along in the
reply address (`mentat+TOKEN@host`), in our message ids for programs and servers that lose the address, and as a last
resort in a tag in the subject, `[#TOKEN]`. A token shows only which seat a mail claims to be for. The caller decides
whether the sender may act for that seat.

Two addresses belong to one person if they differ only in a subaddress after a plus (RFC 5233), in letter case, or in
dots that the provider ignores.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from bot.mail.message import Incoming

TOKEN_CHARS = 16
"""The length of a token: 80 bits in the alphabet of base32."""

_TOKEN = rf"[a-z2-7]{{{TOKEN_CHARS}}}"
_SUBJECT_TAG = re.compile(rf"\[\s*#\s*({_TOKEN})\s*\]", re.IGNORECASE)
_TAG_ALONE = re.compile(
    rf"(?:(?:subject|betreff|re|aw): *[^#]{{0,200}}|\[[^\]#]{{0,80}}\] *[^#]{{0,120}})?{_SUBJECT_TAG.pattern}:?",
    re.IGNORECASE,
)
_OWN_MESSAGE_ID = re.compile(rf"[a-z0-9][a-z0-9-]*\.[a-z0-9.-]*\.{_TOKEN}|notice\.[0-9a-f]{{24}}")
_BOUNCE_MARK = "b-"
_LEAVING_MARK = "u-"
_LIST_MARK = "list-"
_LEAVING_SUBJECT = "unsubscribe"


def reply_token(secret: bytes, game: str, faction: str, generation: int = 1) -> str:
    """Return the token of a seat: 16 lower-case characters, which are the same for the same arguments. `secret` should
    consist of 32 random bytes.

    >>> reply_token(b"spice", "sietch-12", "harkonnen")
    'ypowzixiqjin3ijg'
    """
    return _token(secret, "reply-token", game, faction, str(generation))


def bounce_token(secret: bytes, game: str, faction: str, generation: int = 1) -> str:
    """Return the token that identifies a seat in the envelope sender of its letters. It differs from the reply token,
    because every server on the way logs envelopes."""
    return _token(secret, "bounce-token", game, faction, str(generation))


def bounce_token_of(token: str) -> str:
    """Return the bounce token for a reader who has no seat. Nobody can compute the reply token from it.

    >>> bounce_token_of("ypowzixiqjin3ijg") == "ypowzixiqjin3ijg"
    False
    """
    digest = hashlib.sha256(f"bounce-token\0{token}".encode()).digest()
    return base64.b32encode(digest).decode("ascii").lower()[:TOKEN_CHARS]


def confirmation_code(secret: bytes, *parts: str) -> str:
    """Return a one-time code, which people send back as they would a reply token, but which belongs to no seat. `parts`
    say what the code confirms."""
    return _token(secret, "confirmation", *parts)


def list_token(secret: bytes, forum: str) -> str:
    return _token(secret, "list-token", forum)


def list_address(address: str, token: str) -> str:
    """Return the address with which Mentat is subscribed to a mailing list.

    >>> list_address("mentat@arrakis.example", "ypowzixiqjin3ijg")
    'mentat+list-ypowzixiqjin3ijg@arrakis.example'
    """
    return plus_address(address, _LIST_MARK + token)


def find_list_tokens(incoming: Incoming, address: str) -> list[str]:
    return list(dict.fromkeys(_in_recipients(incoming, address, mark=_LIST_MARK)))


def _token(secret: bytes, *parts: str) -> str:
    if not secret:
        raise ValueError("the secret for reply tokens is empty; set MENTAT_SECRET to at least 32 random characters")
    digest = hmac.new(secret, "\0".join(parts).encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode("ascii").lower()[:TOKEN_CHARS]


def plus_address(address: str, token: str) -> str:
    """Return the reply address of a seat (RFC 5233 subaddressing).

    >>> plus_address("mentat@arrakis.example", "ypowzixiqjin3ijg")
    'mentat+ypowzixiqjin3ijg@arrakis.example'
    """
    local, _, host = address.rpartition("@")
    return f"{local}+{token}@{host}"


def bounce_address(address: str, token: str) -> str:
    """Return the envelope sender for mail to a seat (VERP), so that a bounce always identifies the seat."""
    return plus_address(address, _BOUNCE_MARK + token)


def tagged_subject(subject: str, token: str) -> str:
    return f"{subject} [#{token}]"


def message_id(serial: str, token: str, address: str) -> str:
    """Return a message id, without angle brackets. A reply to the letter brings the token back in In-Reply-To.

    `serial` is the letter's name, which consists of letters, digits, dots and hyphens. The same serial gives the same
    id.

    >>> message_id("sietch-12.41", "ypowzixiqjin3ijg", "mentat@arrakis.example")
    'sietch-12.41.ypowzixiqjin3ijg@arrakis.example'
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*", serial):
        raise ValueError(f"a message serial holds letters, digits, dots and hyphens only: {serial!r}")
    return f"{serial}.{token}@{address.rpartition('@')[2]}"


def find_tokens(incoming: Incoming, address: str) -> list[str]:
    """Return the distinct reply tokens that a mail names. Two or more mean that the mail is for two or more games.

    Tokens in the recipient fields come first. Only if there are none, In-Reply-To and then References are searched, the
    newest first, because older ids may contain a token that has been replaced since. A tag in the subject comes last.
    The tag is included even if it names a different seat from the address.
    """
    found = list(_in_recipients(incoming, address, mark=""))
    if not found:
        host = address.rpartition("@")[2].lower()
        own = re.compile(rf"[^@]+\.[^@]*\.({_TOKEN})@{re.escape(host)}", re.IGNORECASE)
        for identifier in (*incoming.in_reply_to, *reversed(incoming.references)):
            match = own.fullmatch(identifier)
            if match:
                found = [match.group(1).lower()]
                break
    found += (token.lower() for token in _SUBJECT_TAG.findall(incoming.subject))
    return list(dict.fromkeys(found))


def token_in_line(line: str, address: str) -> str:
    """Return the token of a line that contains only a token tag or a reply address, or "" for any other line.

    In a mail for several seats, the lines below such a line are for the seat of its token.

    >>> token_in_line("[#ypowzixiqjin3ijg]", ""), token_in_line("bid 4", "")
    ('ypowzixiqjin3ijg', '')
    """
    line = line.strip().strip("*").strip()[:400]
    tag = _TAG_ALONE.fullmatch(line)
    if tag:
        return tag.group(1).lower()
    local, _, host = address.lower().rpartition("@")
    own = rf"(?:to:? *)?<?(?:mailto:)?{re.escape(local)}\+({_TOKEN})@{re.escape(host)}>?"
    alone = re.fullmatch(own, line.lower()) if local else None
    return alone.group(1) if alone else ""


def find_bounced_tokens(incoming: Incoming, address: str) -> list[str]:
    return list(dict.fromkeys(_in_recipients(incoming, address, mark=_BOUNCE_MARK)))


def leaving_address(address: str, token: str, plus_addressing: bool) -> str:
    """Return the mailto URL with which the observer who has this token unsubscribes (List-Unsubscribe, RFC 2369 section
    3.2).

    >>> leaving_address("mentat@arrakis.example", "ypowzixiqjin3ijg", True)
    'mailto:mentat+u-ypowzixiqjin3ijg@arrakis.example?subject=unsubscribe'
    """
    if plus_addressing:
        return f"mailto:{plus_address(address, _LEAVING_MARK + token)}?subject={_LEAVING_SUBJECT}"
    return f"mailto:{address}?subject={quote(tagged_subject(_LEAVING_SUBJECT, token))}"


def find_leaving_tokens(incoming: Incoming, address: str) -> list[str]:
    found = list(_in_recipients(incoming, address, mark=_LEAVING_MARK))
    if _SUBJECT_TAG.sub("", incoming.subject).strip().lower() == _LEAVING_SUBJECT:
        found += (token.lower() for token in _SUBJECT_TAG.findall(incoming.subject))
    return list(dict.fromkeys(found))


def is_own_message_id(identifier: str, address: str) -> bool:
    """Return True if the Message-ID has the form of ours. Those of NeoMutt have the same form.

    >>> is_own_message_id("sietch-12.41.ypowzixiqjin3ijg@arrakis.example", "mentat@arrakis.example")
    True
    """
    name, _, host = identifier.lower().rpartition("@")
    return host == address.lower().rpartition("@")[2] and bool(_OWN_MESSAGE_ID.fullmatch(name))


def is_own_address(candidate: str, address: str) -> bool:
    local, _, host = candidate.lower().rpartition("@")
    own_local, _, own_host = address.lower().rpartition("@")
    return host == own_host and (local == own_local or local.startswith(own_local + "+"))


def _in_recipients(incoming: Incoming, address: str, mark: str) -> Iterable[str]:
    local, _, host = address.lower().rpartition("@")
    own = re.compile(rf"{re.escape(local)}\+{re.escape(mark)}({_TOKEN})@{re.escape(host)}")
    for recipient in incoming.recipients:
        match = own.fullmatch(recipient)
        if match:
            yield match.group(1)


LONGEST_ADDRESS = 254
"""The greatest number of characters in an address (RFC 5321, 4.5.3.1.3)."""

_WORD = r"""[^\s@<>,;:"()\[\]\\.\x00-\x1f\x7f]+"""
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_ONE = re.compile(rf"{_WORD}(?:\.{_WORD})*@{_LABEL}(?:\.{_LABEL})*")


def is_one_address(said: str) -> bool:
    """Return True if the text is a single ASCII address and nothing else: a dot-string, an @ and a domain (RFC 5321,
    4.1.2).

    A display name, quotes or brackets are not allowed. The domain need not contain a dot.

    >>> is_one_address("rey@example.org"), is_one_address("Rey <rey@example.org>")
    (True, False)
    """
    return said.isascii() and len(said) <= LONGEST_ADDRESS and _ONE.fullmatch(said) is not None


_WITHOUT_DOTS = {"gmail.com": "gmail.com", "googlemail.com": "gmail.com"}
"""The domains of providers that ignore dots, each with the one domain that represents all domains of that provider."""


def mailbox_of(address: str) -> str:
    """Return the mailbox to which mail for an address is delivered.

    >>> mailbox_of("Ann+dune@Example.org"), mailbox_of("a.nn+x@googlemail.com"), mailbox_of("+odd@example.org")
    ('ann@example.org', 'ann@gmail.com', '+odd@example.org')
    """
    local, _, domain = address.strip().lower().rpartition("@")
    domain = domain.rstrip(".")
    local = local.partition("+")[0] or local
    if known := _WITHOUT_DOTS.get(domain):
        local, domain = local.replace(".", "") or local, known
    return f"{local}@{domain}"
