"""Mail addresses: one as a person types it, and the mailbox behind it.

A tag after a plus (RFC 5233), letter case, and dots where a provider ignores them make no other person. Every command
loads this module with the settings, so it imports nothing.
"""

from __future__ import annotations

import re

LONGEST_ADDRESS = 254
"""Characters (RFC 5321, 4.5.3.1.3)."""

_WORD = r"""[^\s@<>,;:"()\[\]\\.\x00-\x1f\x7f]+"""
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_ONE = re.compile(rf"{_WORD}(?:\.{_WORD})*@{_LABEL}(?:\.{_LABEL})*")


def is_one_address(said: str) -> bool:
    """Whether it is one address and nothing else: words and a host of labels, in ASCII (RFC 5321, 4.1.2), without a
    name, quotes or brackets around it. The host need not have a dot.

    >>> is_one_address("rey@example.org"), is_one_address("Rey <rey@example.org>")
    (True, False)
    """
    return said.isascii() and len(said) <= LONGEST_ADDRESS and _ONE.fullmatch(said) is not None


_WITHOUT_DOTS = {"gmail.com": "gmail.com", "googlemail.com": "gmail.com"}
"""Providers that read past dots, and the name that all of theirs stand for."""


def mailbox_of(address: str) -> str:
    """The mailbox behind an address.

    >>> mailbox_of("Ann+dune@Example.org"), mailbox_of("a.nn+x@googlemail.com"), mailbox_of("+odd@example.org")
    ('ann@example.org', 'ann@gmail.com', '+odd@example.org')
    """
    local, _, domain = address.strip().lower().rpartition("@")
    domain = domain.rstrip(".")
    local = local.partition("+")[0] or local
    if known := _WITHOUT_DOTS.get(domain):
        local, domain = local.replace(".", "") or local, known
    return f"{local}@{domain}"
