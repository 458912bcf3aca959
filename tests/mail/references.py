"""The way in which a mail program finds threads: the REFERENCES algorithm of RFC 5256, by Message-IDs alone.

This module implements steps 1 to 4 of the algorithm. The remaining steps sort threads, and join them by subject, which
these tests do not need. So threads are those of a program that ignores subjects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.message import EmailMessage

_ID = re.compile(r"<([^<>\s]+)>")


@dataclass
class _Node:
    """A Message-ID in the forest. ``held`` is true if there is a message with this Message-ID."""

    parent: _Node | None = None
    held: bool = False

    @property
    def root(self) -> _Node:
        node = self
        while node.parent:
            node = node.parent
        return node


def threads(messages: Iterable[EmailMessage]) -> list[set[str]]:
    """Return the threads among these messages, each as a set of Message-IDs."""
    nodes: dict[str, _Node] = {}
    for message in messages:
        (name,) = _ID.findall(str(message["Message-ID"]))
        references = _ID.findall(str(message["References"] or "")) or _ID.findall(str(message["In-Reply-To"] or ""))[:1]
        above: _Node | None = None
        for reference in references:
            node = nodes.setdefault(reference, _Node())
            if above and node.parent is None and above.root is not node:
                node.parent = above
            above = node
        own = nodes.setdefault(name, _Node())
        assert not own.held, f"two messages are {name}"
        own.held = True
        own.parent = None  # a message's own references outrank what other messages say about its parent
        if above and above.root is not own:
            own.parent = above
    found: dict[int, set[str]] = {}
    for name, node in nodes.items():
        if node.held:
            found.setdefault(id(node.root), set()).add(name)
    return list(found.values())
