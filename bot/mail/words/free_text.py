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


def holds_free_text(line: str) -> bool:
    """Whether the line is an order of that kind.

    >>> holds_free_text("press to all: Mentat wrote:"), holds_free_text("Mentat wrote:")
    (True, False)
    """
    return bool(_FREE_TEXT.match(line[:400]))
