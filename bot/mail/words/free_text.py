"""Orders that hold a person's own words (docs/orders.md): press, deals, questions under Truthtrance.

Anything may stand in them, also what elsewhere would be an attribution, a warning or a footer.
"""

from __future__ import annotations

import re

FREE_TEXT_CHARS = 5_000
"""Of such an order; others are shorter."""
_SIGNED = r"(?:(?:un)?signed|grey)"
_PRESS = rf"(?:{_SIGNED} )?press(?: {_SIGNED})? to"
_FREE_TEXT = re.compile(
    rf"^\W{{0,4}}(?:(?:standing|when [^:]{{1,200}}): ?)?"
    rf"(?:{_PRESS}|(?:(?:secret|private) )?deal with|truthtrance)\b[^:：]{{1,120}}[:：]",
    re.IGNORECASE,
)


_ANY_PRESS = re.compile(rf"^\W{{0,4}}(?:{_SIGNED} )?press\b[^:：]{{0,120}}[:：]", re.IGNORECASE)
"""Press without the word "to" as well, which a heading may look like."""


def most_chars(line: str, most: int) -> int:
    """How long a line may be where others have so many characters at most.

    >>> most_chars("press all: bid 4", 1000), most_chars("bid 4", 1000)
    (5000, 1000)
    """
    return max(most, FREE_TEXT_CHARS) if holds_free_text(line) or _ANY_PRESS.match(line[:400]) else most


def holds_free_text(line: str) -> bool:
    """Whether the line is an order of that kind.

    >>> holds_free_text("press to all: Mentat wrote:"), holds_free_text("Mentat wrote:")
    (True, False)
    """
    return bool(_FREE_TEXT.match(line[:400]))
