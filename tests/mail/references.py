"""How a mail program finds threads: REFERENCES of RFC 5256, by Message-IDs alone.

Steps 1 to 4 of its section on REFERENCES; the last ones only sort, and join threads by their subjects, which these
tests do without: what is one thread here is one thread in a program that looks at no subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from email.message import EmailMessage

_ID = re.compile(r"<([^<>\s]+)>")


@dataclass
class _Node:
    """A Message-ID in the forest; ``held`` if there is a message with it."""

    parent: _Node | None = None
    held: bool = False

    @property
    def root(self) -> _Node:
        node = self
        while node.parent:
            node = node.parent
        return node


def threads(messages: Iterable[EmailMessage]) -> list[set[str]]:
    """The threads among these messages, each by its Message-IDs."""
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
        own.parent = None  # what others said of its parent counts less than what it says itself
        if above and above.root is not own:
            own.parent = above
    found: dict[int, set[str]] = {}
    for name, node in nodes.items():
        if node.held:
            found.setdefault(id(node.root), set()).add(name)
    return list(found.values())
