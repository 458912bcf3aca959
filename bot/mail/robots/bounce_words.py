"""Bounces in free words: whom a server that knows no standard says it could not reach, and whether it will try again.

The words of the server come first in such a report, and what it returns of the letter below. Only the former are
read, as plain text or from HTML, in the languages that mail servers are sold in (`phrases/bounces.toml`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from bot.mail.identity import is_own_address
from bot.mail.mime import headers
from bot.mail.mime.message import Incoming
from bot.mail.phrases import any_of, rows

_SHOWN_LINES = 200
_LINE_CHARS = 500
_MOST_RECIPIENTS = 5

_RETURNED = rows(
    lambda: rf"^(?:received|return-path|dkim-signature|mime-version|x-mentat): |{any_of('bounces', 'returned')}",
    re.IGNORECASE,
)
_FAILED = rows(lambda: any_of("bounces", "failed"), re.IGNORECASE)
_LATER = rows(lambda: any_of("bounces", "later"), re.IGNORECASE)
_GONE = rows(lambda: any_of("bounces", "gone"), re.IGNORECASE)
_STATUS = re.compile(r"(?<![\w.])([45])\.\d{1,3}\.\d{1,3}(?![\w.]*\d)")
_REPLY_CODE = re.compile(r"(?:^|[\s'\"#:;(])([45])[0-7]\d(?=[ :;-])")
_LABEL = re.compile(r"^(?:[^@:]{1,40}:)?[\s<(\['\"*:–—-]*")
_BEHIND_ADDRESS = re.compile(r"[\s>)\]'\".,:;]*(?:\(.*|<.*)?$")
_OF_THE_SERVER = re.compile(r"^(?:postmaster|mailer-daemon|abuse|support|help|no-?reply)@", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Words:
    """What a report says in free words. `permanent` as in `bot.mail.robots.bounce.Bounce`."""

    recipients: tuple[str, ...] = ()
    permanent: bool | None = None
    fails: bool = False
    """Anything in it says that mail did not arrive."""


def bounce_words(incoming: Incoming, own_address: str) -> Words:
    """What the sender's own words say about mail that did not arrive.

    >>> from bot.mail.mime.message import parse
    >>> mail = parse(b"From: postmaster@b.example\\n\\nNot delivered:\\n\\n  a@b.example\\n\\n550 No such user\\n")
    >>> bounce_words(mail, "mentat@arrakis.example")
    Words(recipients=('a@b.example',), permanent=True, fails=True)
    """
    lines = list(_lines(incoming))
    alone: list[str] = []
    anywhere: list[str] = []
    for line in lines:
        for address in headers.addresses(line):
            address = address.strip("'.。`")
            if _OF_THE_SERVER.match(address) or address in incoming.senders or is_own_address(address, own_address):
                continue
            anywhere.append(address)
            if _stands_alone(line, address):
                alone.append(address)
    recipients = tuple(dict.fromkeys(alone or anywhere))[:_MOST_RECIPIENTS]
    permanent = _permanent([incoming.subject, *lines])
    fails = permanent is not None or any(_FAILED.search(line) for line in (incoming.subject, *lines))
    return Words(recipients, permanent, fails)


def _lines(incoming: Incoming) -> Iterator[str]:
    texts = (incoming.text_plain or "").splitlines()
    if not any(text.strip() for text in texts):
        from bot.mail.words.html_lines import html_lines  # its many expressions are for mail in HTML

        texts = [line.text for line in html_lines(incoming.html or "") or ()]
    for text in texts[:_SHOWN_LINES]:
        line = unicodedata.normalize("NFKC", text[:_LINE_CHARS]).strip()
        if _RETURNED.search(line):
            return
        yield line


def _stands_alone(line: str, address: str) -> bool:
    rest = line[_LABEL.match(line).end() :].lower()  # type: ignore[union-attr]  # it matches the empty string
    return rest.startswith(address) and bool(_BEHIND_ADDRESS.match(rest[len(address) :]))


def _permanent(lines: list[str]) -> bool | None:
    """A server that says that it will try again does, whatever codes it shows; codes say more than words."""
    if any(_LATER.search(line) for line in lines):
        return False
    for pattern in (_STATUS, _REPLY_CODE):
        classes = [found.group(1) for line in lines for found in pattern.finditer(line)]
        if classes:
            return "5" in classes
    return True if any(_GONE.search(line) for line in lines) else None
