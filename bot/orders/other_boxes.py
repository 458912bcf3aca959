"""Treachery cards of boxes that Mentat does not play (IT.CARD.2, `data/other-boxes.toml`): whoever orders one is told
so, as there is no form for it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from bot.orders.names import FACTION_NAMES, words_of
from bot.wording.sentences import say
from rules.components.facts import load_toml

_PLAYED = ("play", "use")


def told_of_other_box(text: str) -> str:
    """Where a line is the name of such a card, alone, behind "play" or "use", or with a faction at its end, the
    sentence that tells of its box; "" for any other line.

    >>> told_of_other_box("distrans Lasgun to guild") != ""
    True
    """
    words = words_of(text)
    if words and words[0] in _PLAYED:
        words = words_of(" ".join(words[1:]))
    known = _boxes()
    longest = len(words) if words and FACTION_NAMES.whole(words[-1]) else 0
    for length in (len(words), *range(longest - 1, 0, -1)):
        if found := known.get(words[:length]):
            card, box = found
            return say("unread.other-box", card=card, box=box)
    return ""


@cache
def _boxes() -> Mapping[tuple[str, ...], tuple[str, str]]:
    """Each card and the title of its box, by the words of its name."""
    boxes = load_toml("other-boxes.toml")["box"]
    return {words_of(card): (card, box["title"]) for box in boxes for card in box["cards"]}
