"""A line as it came, made readable: signs of typography and mail made plain; list marks, ticked boxes and last stops
taken off.

What is read by the grammar is ``Line.plain``: lower case, plain hyphens and quotes. ``Line.text`` has the same signs at
the same places in the player's own letters, and is what free text (a question, a bargain) is cut from.
"""

from __future__ import annotations

import re
import string
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

LONGEST = 1000  # characters of a line that is read

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹘", "-"),
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        "⁄": "/",
        **dict(zip(string.ascii_uppercase, string.ascii_lowercase, strict=True)),
    }
)
LIST_MARK = re.compile(r"(?:[-*+•·‣▪–—]+|\(?[0-9]{1,2}[.)]|\[ ?[xX✓✔] ?\])\s*(?<=[\s\]])(?=[^\W\d_])")
_OTHER_DIGITS = re.compile(r"(?<=[0-9])(?=[²³¹¼-¾⁰-₉⅐-↉①-⓿❶-➓])")
"""Where a raised, circled or broken number stands behind a digit: ``1²`` is not 12, and no number of any order."""
_LAST_STOPS = " .!?;,"
_QUOTES = "\"'“”‘’„‚«»‹›"


@dataclass(frozen=True, slots=True)
class Line:
    """One line; ``plain`` may be shorter at its end than ``text``, and is otherwise as long."""

    text: str
    plain: str

    @property
    def empty(self) -> bool:
        """Whether it says nothing: blank, or a comment."""
        return not self.text or self.text.startswith("#")


@lru_cache(maxsize=1024)  # a line is tried as an order, as a line for the sheet, and in parts
def tidy(line: str) -> Line:
    """``tidy(" - Move 3 from “Carthag” …").plain == 'move 3 from "carthag"'``"""
    text = line if line.isascii() and line.isprintable() else _in_plain_signs(line)
    text = " ".join(text.split())
    text = LIST_MARK.sub("", text, count=1) if LIST_MARK.match(text) else text
    if len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
        text = text[1:-1].strip()
    plain = text.translate(_PLAIN).rstrip(_LAST_STOPS)
    return Line(text, plain)


def _in_plain_signs(line: str) -> str:
    """The line without signs that cannot be seen, each space and letter in its usual form."""
    text = re.sub(r"(?<=[0-9]) ?½", ".5", line.replace("\u00ad", "")).replace("½", "0.5")
    text = unicodedata.normalize("NFKC", _OTHER_DIGITS.sub("^", text))
    return "".join(
        " " if c.isspace() else c for c in text if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf", "Cs")
    )
