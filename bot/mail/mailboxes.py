"""Which addresses lead into one mailbox: a tag after a plus (RFC 5233), letter case, and dots where a provider ignores
them make no other person."""

from __future__ import annotations

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
