"""A mail address as a person types it: into the settings, into a mail, into a command."""

from __future__ import annotations

import re

LONGEST = 254
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
    return said.isascii() and len(said) <= LONGEST and _ONE.fullmatch(said) is not None
