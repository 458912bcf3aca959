"""Whether words of an HTML mail stand out by a colour: that is how players mark what they write into a quote.

In Outlook nothing else tells an answer that is typed into the answered mail from that mail itself. Letters of ours are
brown and black but for the colours in `LETTER_COLOURS`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

LETTER_COLOURS = frozenset(
    ("8f3d0c", "a3261b", "f2ad6b", "ff9b8f", "2f7d3b", "3a5fb0", "b3202c", "f2c531", "e8792b", "5b4a9c")
)  # fmt: skip
"""The colours of our own letters (`templates/letters/page.html.j2`, the discs of factions); a mail program hands them
on as they are."""
OLD_LETTER_COLOURS = frozenset(("b0712b", "c0392b", "4c8c4a", "8f5a1e", "c9822f"))
"""Those of letters of before, which players still answer."""

_OURS = LETTER_COLOURS | OLD_LETTER_COLOURS
_NAMED = frozenset(
    ("red", "blue", "green", "purple", "magenta", "fuchsia", "orange", "maroon", "navy", "teal", "lime", "cyan", "aqua",
     "yellow", "violet")
)  # fmt: skip
_WRITTEN_COLOUR = re.compile(r"(?:^|[;\s])color\s*:\s*([^;!]+)", re.IGNORECASE)
_HIGHLIGHT = re.compile(r"(?:^|[;\s])(?:background(?:-color)?|mso-highlight)\s*:\s*([^;!]+)", re.IGNORECASE)
_HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})$")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})")
_VIVID = 70
"""How far the strongest and the weakest part of a colour are apart (of 255) where it is not a shade of grey."""

_WORDS = frozenset(("span", "font", "b", "i", "u", "em", "strong", "mark", "big", "small"))
"""Elements within a line; a highlight on a larger one is the box of a program."""


def stands_out(tag: str, attributes: Mapping[str, str | None]) -> bool | None:
    """Whether this element gives its words a colour or a highlight that is none of ours; None where it gives none.

    >>> stands_out("span", {"style": "font-size:11pt;color:red"}), stands_out("p", {"style": "color:#888"})
    (True, False)
    """
    style = attributes.get("style") or ""
    if tag in _WORDS:
        highlight = _HIGHLIGHT.search(style)
        if tag == "mark" or (highlight and _is_vivid(highlight.group(1))):
            return True
    found = _WRITTEN_COLOUR.search(style)
    colour = found.group(1) if found else attributes.get("color")
    return _is_vivid(colour) if colour else None


def _is_vivid(colour: str) -> bool:
    colour = colour.strip().lower()
    parts = _parts(colour)
    if parts is None:
        return colour in _NAMED
    return max(parts) - min(parts) >= _VIVID and "".join(f"{part:02x}" for part in parts) not in _OURS


def _parts(colour: str) -> tuple[int, ...] | None:
    if digits := _HEX.match(colour):
        text = digits.group(1)
        text = text if len(text) == 6 else "".join(2 * digit for digit in text)
        return tuple(int(text[place : place + 2], 16) for place in (0, 2, 4))
    if numbers := _RGB.match(colour):
        return tuple(min(int(number), 255) for number in numbers.groups())
    return None
