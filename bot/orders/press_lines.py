"""Press of several lines: what stands between its first line and ``end press`` is one order.

A mail program breaks long lines, and who writes a letter writes paragraphs. Without ``end press`` nothing below the
line belongs to it, or what was meant as an order would be read by others; a press whose words only begin below its
first line needs it.

>>> folded(["press to guild:", "Wait.", "Ann", "end press", "bid 3"])
['press to guild: Wait.⏎Ann', 'bid 3']
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.mail.words.free_text import FREE_TEXT_CHARS

LINE_END = "⏎"
"""Stands for a line's end within an order."""
_PRESS = re.compile(r"^\W{0,4}(?:(?:(?:un)?signed|grey) )?press\b[^:：]{0,160}[:：]", re.IGNORECASE)
_END = re.compile(r"^\W{0,4}(?:end ?(?:of )?press|press end)\W{0,4}$", re.IGNORECASE)
WITHOUT_END = "without end"


def folded(lines: Sequence[str]) -> list[str]:
    """The lines of a mail, each press of several lines as one."""
    found: list[str] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        opened = _PRESS.match(line)
        end = _end(lines, place + 1) if opened else None
        if opened and end is not None:
            words = [line[opened.end() :].strip(), *(each.strip() for each in lines[place + 1 : end])]
            found.append(f"{opened[0]} {LINE_END.join(filter(None, words))}"[:FREE_TEXT_CHARS])
            place = end + 1
        elif opened and not line[opened.end() :].strip() and place + 1 < len(lines):
            found.append(f"press {WITHOUT_END}: {LINE_END.join(lines[place:])}"[:FREE_TEXT_CHARS])
            return found
        else:
            found.append(line)
            place += 1
    return found


def unfolded(words: str) -> str:
    """The words with their lines."""
    return "\n".join(part.strip() for part in words.split(LINE_END))


def _end(lines: Sequence[str], first: int) -> int | None:
    """Where a press that began above this place ends, if it does before another begins."""
    for place in range(first, len(lines)):
        if _END.match(lines[place]):
            return place
        if _PRESS.match(lines[place]):
            return None
    return None
