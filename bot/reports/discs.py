"""The disc of a faction: its letter on its colour, set before the name wherever a faction stands in the HTML.

Colour alone says nothing to who does not see it, and a letter alone is slow to find; so both, and the name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup, escape

from bot.reports.ground import geometry
from rules.components import FACTION_FACTS, Faction, faction_name


@dataclass(frozen=True, slots=True)
class Disc:
    """The letter, what it stands on, and its own colour; the contrast is 5:1 and more."""

    letter: str
    ground: str
    ink: str


@cache
def discs() -> Mapping[Faction, Disc]:
    """The discs in the colours of the board (`data/board-geometry.toml`)."""
    colours = geometry().factions
    return {faction: Disc(FACTION_FACTS[faction].abbreviation, *both) for faction, both in colours.items()}


_NAMES = {
    spelt: faction for faction in FACTION_FACTS for name in [faction_name(faction)] for spelt in (name, name.upper())
}
_NAMED = re.compile(rf"(\(?)\b({'|'.join(sorted(map(re.escape, _NAMES), key=len, reverse=True))})\b(?! Rep| Ghola)")
"""A faction's name with a bracket that opens before it, but not the leader “Guild Representative”, nor the card
“Tleilaxu Ghola”."""


@cache
def disc(faction: Faction) -> Markup:
    """The disc in HTML. It says nothing that the name beside it does not say, so it is not read out."""
    known = discs()[faction]
    return Markup(
        '<span class="chip" aria-hidden="true" style="display:inline-block;width:18px;border-radius:12px;'
        f"border:1px solid #93805f;background:{known.ground};color:{known.ink};font:700 13px/18px Arial,sans-serif;"
        f'text-align:center">{known.letter}</span>'
    )


def with_discs(text: str, narrow: bool = False) -> Markup:
    """A text as HTML, each faction with its disc before its name and on the same line; in a ``narrow`` column a name of
    two words may take two."""
    return named(text, _narrow if narrow else _together)


def named(text: str, written: Callable[[Faction, str, str], str]) -> Markup:
    """A text as HTML, each name of a faction as ``written`` writes it: given the faction, the bracket that opens before
    its name, if one does, and the name as it is spelt there."""
    return Markup(_NAMED.sub(lambda found: written(_NAMES[found[2]], found[1], found[2]), str(escape(text))))


@cache
def _narrow(faction: Faction, opens: str, spelt: str) -> str:
    first, *others = spelt.split()
    return " ".join([_together(faction, opens, first), *others])


@cache
def _together(faction: Faction, opens: str, spelt: str) -> str:
    shown = spelt.replace(" ", "&nbsp;")
    return f'<span style="white-space:nowrap">{opens}{disc(faction)}&nbsp;{shown}</span>'
