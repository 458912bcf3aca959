"""Text of the type `text/enriched` (RFC 1896) and its forerunner `text/richtext` (RFC 1341) as plain text.

Emacs, Eudora, Evolution and older Apple programs wrote it. Its commands fall away, its quotes (`<excerpt>`) get the
marks of plain text, and its line ends become what they mean: one is a space, n are n - 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

TYPES = ("text/enriched", "text/richtext")

_PIECE = re.compile(r"<<|<(/?)([A-Za-z0-9-]{1,60})>|\n+|[^<\n]+|<")
_MAX_DEPTH = 9


def plain_text(text: str) -> str:
    """What a program would show of enriched text.

    >>> plain_text("<bold>ship 4</bold> to\\ncarthag\\n\\n<excerpt>bid 9</excerpt>")
    'ship 4 to carthag\\n> bid 9\\n'
    >>> plain_text("<excerpt>bid 9</excerpt>pass")
    '> bid 9\\npass'
    """
    return "".join(_shown(text))


def _shown(text: str) -> Iterator[str]:
    verbatim = parameters = depth = 0
    starts_line = True
    for found in _PIECE.finditer(text):
        piece, command = found.group(), (found.group(2) or "").lower()
        change = -1 if found.group(1) else 1
        if command == "param":
            parameters = max(parameters + change, 0)
        elif command == "nofill":
            verbatim = max(verbatim + change, 0)
        elif command == "excerpt":
            depth = min(max(depth + change, 0), _MAX_DEPTH)
            if not starts_line:
                yield "\n"
            starts_line = True
        elif command in ("nl", "paragraph", "lt"):
            yield "<" if command == "lt" else "\n"
            starts_line = command != "lt"
        elif command or parameters:
            continue
        elif piece.startswith("\n"):
            ends = len(piece) if verbatim else len(piece) - 1
            yield "\n" * ends or ("" if starts_line else " ")
            starts_line = starts_line or ends > 0
        else:
            marks = "> " * depth if starts_line else ""
            yield marks + ("<" if piece == "<<" else piece)
            starts_line = False
