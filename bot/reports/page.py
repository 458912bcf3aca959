"""A letter as HTML: tables and styles in place, one column of at most 600 pixels, for light and dark screens.

It needs nothing from elsewhere, and stays legible where a mail program drops its ``<style>``. The picture of the board
is put in afterwards (``with_board``): without it the letter is complete.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from bot.reports.discs import with_discs
from bot.reports.document import Document
from bot.wording.sentences import environment

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
