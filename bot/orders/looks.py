"""A blank for how a player wants the board drawn: ``map names dark``."""

from __future__ import annotations

from bot.orders.blanks import Misread, Node, Reading
from bot.wording.sentences import say

LOOKS = ("codes", "names", "light", "dark")
"""Short codes or all names, on light paper or dark; what is not said stays as it was."""


def read_look(reading: Reading, node: Node) -> str:
    """Words of ``LOOKS``, none of which takes back another."""
    words = reading.words(node)
    wanted = words.text.lower().replace(",", " ").replace(" and ", " ").split()
    pairs = (set(LOOKS[:2]), set(LOOKS[2:]))
    if not set(wanted) <= set(LOOKS) or any(pair <= set(wanted) for pair in pairs):
        raise Misread(say("unread.look", text=words.text), words.span)
    return " ".join(dict.fromkeys(wanted))
