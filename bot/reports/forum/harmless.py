"""Words made harmless: what a forum of any kind would take for more than words.

Names, deals and questions are written by players. Mentions, links and smileys are broken up where they stand, so that
they show almost as they were written; signs that nobody sees are left out.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # kinds of sign: controls, signs that turn writing, unassigned
_LINK = re.compile(r"(?i)([a-z]:)(?=//)|(\bwww)(?=\.)")
_SMILEY = re.compile(
    r"(?i)(?<!\w)(?:[:;](?=[-^']?[()\[\]{}|/\\dpox?!$*3c@s])|8(?=-?\))|=(?=-?[()]))"  # :) ;-D 8) =)
    r"|:(?=[a-z0-9_+-]+:)"  # :smile:
)

_EYES = re.compile(r"[:;=8]")  # without any there is no smiley


@lru_cache(maxsize=4096)
def harmless(text: str) -> str:
    """The text on one line without mentions, links, smileys or signs that cannot be seen.

    >>> harmless("@all: see https://example.org :D (8)")
    '(at)all: see https: //example.org : D (8 )'
    """
    line = text if text.isascii() and text.isprintable() else _visible(text)
    line = line.replace("@", "(at)").replace("\uff20", "(at)")
    if "//" in line or "." in line:
        line = _LINK.sub(lambda found: f"{found[0]} ", line)
    return _SMILEY.sub(lambda found: f"{found[0]} ", line) if _EYES.search(line) else line


def _visible(text: str) -> str:
    """The text composed (NFC), with a blank for whatever sets apart, and nothing for what nobody sees."""
    seen = (" " if character.isspace() else character for character in unicodedata.normalize("NFC", text))
    return "".join(character for character in seen if unicodedata.category(character) not in _UNSEEN)


def pieces(text: str, longest: int) -> list[str]:
    """The text in pieces of at most so many characters, cut between words where that can be.

    >>> pieces("one two three", 8)
    ['one two', 'three']
    """
    found, rest = [], text
    while len(rest) > longest:
        at = rest.rfind(" ", 1, longest + 1)
        at = at if at > 0 else longest
        found.append(rest[:at])
        rest = rest[at:].lstrip(" ")
    return [*found, rest] if rest or not found else found
