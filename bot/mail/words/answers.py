"""Answers that a player wrote into the middle of our letter, where no quote mark tells the two apart.

So it is done in Outlook, which quotes without marks: it puts the writer's name before what they add ("[Paul] bid 4"),
or they give their words a colour and say so at the top ("see my answers below in red").

A name is enough. A colour counts only where the player says to look below, for programs colour what they quote, too;
else they are told that it was not read. It never counts where it fills the letter. Only our own letter is looked
through, not the older mails below it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from bot.mail.phrases import any_of, rows
from bot.mail.words.header_blocks import is_header_block
from bot.mail.words.lines import COLOURED, Line

_NAMED = re.compile(r"^\[([^\[\]]{2,60})\]:?\s*(\S.*)$")
_SEE_BELOW = rows(lambda: any_of("answers", "see_below"), re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_AT_MOST_COLOURED = 1 / 3


@dataclass(slots=True)
class Answers:
    """Lines that were written into the letter; the `doubtful` ones are coloured, but nothing says that they count."""

    taken: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)


def answers_within(letter: Sequence[Line], above: Sequence[str], names: Collection[str]) -> Answers:
    """What the sender wrote into `letter`, the lines of a letter of ours and all below it.

    `above` are the lines that they wrote elsewhere; `names` are the words of their name in lower case.

    >>> answers_within([Line("Your bid?", 1), Line("bid 4", -2), Line("More: help", 1)], ["see below"], ()).taken
    ['bid 4']
    """
    letter = _without_older_mails(letter)
    texts = [(line, line.text.strip()) for line in letter if line.text.strip()]
    coloured = sum(line.depth == COLOURED for line, _ in texts)
    some = 0 < coloured <= _AT_MOST_COLOURED * len(texts)
    meant = some and any(_SEE_BELOW.search(text[:200]) for text in above)
    found = Answers()
    for line, text in texts:
        named = _NAMED.match(text[:300])
        if named and _is_name(named.group(1), names):
            found.taken.append(text[named.start(2) :])
        elif line.depth == COLOURED and some:
            (found.taken if meant else found.doubtful).append(text)
    return found


def _without_older_mails(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines above the next mail that is quoted deeper, or unmarked under a header block."""
    unmarked = [Line(line.text) for line in lines[:400]]
    for index, line in enumerate(lines[:400]):
        if line.depth > 1 or (line.text.strip() and is_header_block(unmarked, index)):
            return lines[:index]
    return lines[:400]


def _is_name(text: str, names: Collection[str]) -> bool:
    words = _WORD.findall(text.casefold())
    return bool(words) and all(word in names for word in words)
