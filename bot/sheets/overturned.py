"""Orders that the lines around them overturn: "Do not / bid 5", "bid 5 / unless the Guild is out".

The words by which this is seen stand in ``data/plain-words.toml`` (``[around]``).
"""

from __future__ import annotations

from bot.orders.lines import LONGEST, tidy
from bot.orders.plain.table import folded, table

LONGEST_CONDITION = 4  # words of a condition that stands alone on its line
_ENDS = ".!?;,"


def overturned(before: str, after: str) -> bool:
    """Whether the line before or behind an order makes it a part of something that is no order. A line that is read by
    itself, or parted from it by an empty one, has no such power: it comes as empty."""
    return _leads(before.strip()) or _limits(after.strip()) or takes_back(after)


def takes_back(after: str) -> bool:
    """Whether a line takes back the one before: "no wait"."""
    words = _words(after.strip())
    return bool(words) and table().around["takes_back"].length(words, 0) > 0


def _leads(before: str) -> bool:
    """Whether a line goes on in the next, and leads it away: a denial, a condition, the words of another."""
    words = _words(before)
    if not words or before[-1] in _ENDS:
        return False
    around = table().around
    if before[-1] == ":":
        return any(around["reports"].length(words, place) for place in range(len(words)))
    ends = any(around["leads"].length(words, place) == len(words) - place for place in range(len(words)))
    return ends or (len(words) <= LONGEST_CONDITION and around["conditions"].length(words, 0) > 0)


def _limits(after: str) -> bool:
    """Whether a line is the condition of the one before."""
    words = _words(after)
    if not words:
        return False
    around = table().around
    goes_on = after[0].islower() and around["conditions"].length(words, 0)
    return bool(goes_on or around["limits"].length(words, 0))


def _words(line: str) -> tuple[str, ...]:
    return folded(tidy(line).plain) if 0 < len(line) <= LONGEST else ()
