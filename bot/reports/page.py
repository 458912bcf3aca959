"""A letter as HTML: simple tables and styles in place, one column of at most 640 pixels, for light and dark screens.

Nothing has a background of its own but the buttons, so a mail program may turn the colours around. The picture of the
board is put in afterwards (``with_board``): without it the letter is complete.
"""

from __future__ import annotations

from markupsafe import Markup, escape

from bot.reports.document import Document
from bot.wording.sentences import environment

PAGE = "letters/page.html.j2"
PLACE = "<!--board-->"
CID = "board"


def as_html(document: Document) -> str:
    """The letter as a whole HTML page."""
    return environment().get_template(PAGE).render(document=document, place=Markup(PLACE))


def with_board(html: str, alt: str) -> str:
    """The page with the picture of the board in its place, to be attached under the content id ``CID``."""
    image = (
        f'<img src="cid:{CID}" alt="{escape(alt)}" width="600" '
        'style="display:block;width:100%;max-width:600px;height:auto;border:0;margin:8px 0">'
    )
    return html.replace(PLACE, image, 1)


def without_board(html: str, why: str) -> str:
    """The page with a sentence where the picture would be."""
    return html.replace(PLACE, f'<p style="margin:8px 0">{escape(why)}</p>', 1)
