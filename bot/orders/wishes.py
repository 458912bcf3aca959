"""Talk that wishes for something for which there is a command: to leave the game, more time, to be away.

Nothing is done on it, for it may be meant otherwise; its writer is told the line that would do it. The words stand in
``data/plain-words.toml`` (``[wishes]``).
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.orders.lines import LONGEST
from bot.orders.plain.table import folded, table
from bot.wording.sentences import say


def answer_to_talk(lines: Sequence[str]) -> str:
    """What is answered to lines in which there is no order: how what they wish for is written, if that can be told."""
    for wish, phrases in table().wishes.items():
        for line in lines:
            words = folded(line[:LONGEST])
            if any(phrases.length(words, place) for place in range(len(words))):
                return say(f"unread.wish-{wish}")
    return say("unread.no-order")
