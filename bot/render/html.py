"""A letter as HTML: tables and styles in place, one column of at most 600 pixels, for light and dark screens.

It needs nothing from elsewhere, and stays legible where a mail program drops its ``<style>``. The picture of the board
is put in afterwards (``with_board``): without it the letter is complete.

The disc of a faction, its letter on its colour, stands before the name of the faction wherever the HTML has it. Colour
alone says nothing to people who do not see it, and a letter alone is slow to find; so both, and the name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from bot.render.blocks import Document
from bot.render.board import geometry
from bot.wording import environment
from rules.components import FACTION_FACTS, Faction, faction_name

if TYPE_CHECKING:
    from jinja2 import Template


PAGE = "letters/page.html.j2"
OPENS, CLOSES = "<!--board-->", "<!--end of board-->"
CID = "board"
_BOARD = re.compile(f"{OPENS}.*?{CLOSES}", re.DOTALL)


def as_html(document: Document) -> str:
    """The letter as a whole HTML page."""
    return _page().render(document=document, opens=Markup(OPENS), closes=Markup(CLOSES))


@cache
def _page() -> Template:
    made = environment()
    made.filters["discs"] = with_discs
    return made.get_template(PAGE)


def with_board(html: str, alt: str) -> str:
    """The page with the picture of the board in the place of its words, which stand in ``alt``; the picture is attached
    under the content id ``CID``."""
    image = (
        f'<img src="cid:{CID}" alt="{escape(alt)}" width="544" '
        'style="display:block;width:100%;max-width:544px;height:auto;border:0;border-radius:6px;margin:8px 0">'
    )
    return _BOARD.sub(lambda _: image, html, count=1)


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


_FACTION_BY_NAME = {
    spelt: faction for faction in FACTION_FACTS for name in [faction_name(faction)] for spelt in (name, name.upper())
}
_ANY_FACTION_NAME = re.compile(
    rf"(\(?)\b({'|'.join(sorted(map(re.escape, _FACTION_BY_NAME), key=len, reverse=True))})\b(?! Rep| Ghola)"
)
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
    return replace_faction_names(text, _narrow if narrow else _together)


def replace_faction_names(text: str, written: Callable[[Faction, str, str], str]) -> Markup:
    """A text as HTML, each name of a faction as ``written`` writes it: given the faction, the bracket that opens before
    its name, if one does, and the name as it is spelt there."""
    return Markup(
        _ANY_FACTION_NAME.sub(lambda found: written(_FACTION_BY_NAME[found[2]], found[1], found[2]), str(escape(text)))
    )


@cache
def _narrow(faction: Faction, opens: str, spelt: str) -> str:
    first, *others = spelt.split()
    return " ".join([_together(faction, opens, first), *others])


@cache
def _together(faction: Faction, opens: str, spelt: str) -> str:
    shown = spelt.replace(" ", "&nbsp;")
    return f'<span style="white-space:nowrap">{opens}{disc(faction)}&nbsp;{shown}</span>'
