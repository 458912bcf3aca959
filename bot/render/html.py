"""A letter as HTML: tables and inline styles, one column of at most 600 pixels, for light and dark screens.

It needs no external resources, and stays legible if a mail program drops its `<style>`. The picture of the board is
inserted afterwards (`with_board`); the letter is complete without it.

Throughout the HTML, a disc precedes the name of each faction: the faction's initial on its colour. Colour alone means
nothing to people who cannot see it, and an initial alone is hard to spot, so the disc combines both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from bot.render.blocks import Button, Document
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
    return _page().render(document=document, opens=Markup(OPENS), closes=Markup(CLOSES))


@cache
def _page() -> Template:
    made = environment()
    made.filters |= {"discs": with_discs, "letter": _letter, "tint": _tint, "button_rows": button_rows}
    return made.get_template(PAGE)


def button_rows(buttons: Sequence[Button], main: bool) -> list[list[Button]]:
    # Return the buttons in rows that fit a phone screen, short ones first; a `main` button is alone in the first row.
    rows = [[buttons[0]]] if main else []
    for button in sorted(buttons[main:], key=_most_beside, reverse=True):
        if len(rows) > main and len(rows[-1]) < _most_beside(button):
            rows[-1].append(button)
        else:
            rows.append([button])
    return rows


def _most_beside(button: Button) -> int:
    return next((most for most, longest in ((4, 6), (2, 14)) if len(button.label) <= longest), 1)


def with_board(html: str, alt: str) -> str:
    """Replace the description of the board with its picture, using `alt` as the alternative text. The mail must attach
    the picture with the content id `CID`."""
    image = (
        f'<img class="board" src="cid:{CID}" alt="{escape(alt)}" width="544" '
        'style="display:block;width:100%;max-width:544px;height:auto;border:0;border-radius:6px;margin:8px 0">'
    )
    return _BOARD.sub(lambda _: image, html, count=1)


@dataclass(frozen=True, slots=True)
class Disc:
    """The disc of a faction: its letter, the colour of the background and the colour of the letter. Their contrast is
    at least 5:1."""

    letter: str
    ground: str
    ink: str


@cache
def discs() -> Mapping[Faction, Disc]:
    colours = geometry().factions
    return {faction: Disc(FACTION_FACTS[faction].abbreviation, *both) for faction, both in colours.items()}


_FACTION_BY_NAME = {
    spelt: faction for faction in FACTION_FACTS for name in [faction_name(faction)] for spelt in (name, name.upper())
}
_ANY_FACTION_NAME = re.compile(
    rf"(\(?)\b({'|'.join(sorted(map(re.escape, _FACTION_BY_NAME), key=len, reverse=True))})\b(?! Rep| Ghola)"
)
"""A faction's name after an optional opening bracket, but not in “Guild Representative” or “Tleilaxu Ghola”."""


@cache
def disc(faction: Faction) -> Markup:
    """Return the disc in HTML. It is hidden from screen readers, because the name next to it says the same."""
    known = discs()[faction]
    return Markup(
        '<span class="chip" aria-hidden="true" style="display:inline-block;width:18px;border-radius:12px;'
        f"border:1px solid #93805f;background:{known.ground};color:{known.ink};font:700 13px/18px Arial,sans-serif;"
        f'text-align:center">{known.letter}</span>'
    )


def _letter(faction: Faction) -> str:
    return discs()[faction].letter


def _tint(faction: Faction) -> str:
    known = discs()[faction]
    return f"background:{known.ground};color:{known.ink}"


@lru_cache(maxsize=8192)  # most texts of a letter also appeared in an earlier letter
def with_discs(text: str, narrow: bool = False) -> Markup:
    """Return a text as HTML in which a disc precedes each faction's name, on the same line. In a `narrow` column, a
    name of two words may be spread over two lines."""
    return replace_faction_names(text, _narrow if narrow else _together)


def replace_faction_names(text: str, written: Callable[[Faction, str, str], str]) -> Markup:
    """Return a text as HTML in which each faction name is replaced by `written(faction, bracket, name)`. `bracket` is
    the opening bracket directly before the name, or ""."""
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
