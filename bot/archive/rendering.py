"""Pages from their templates: one Jinja environment for the archive, in which everything is escaped.

What players wrote (names, words of deals) reaches a page through a filter or as it is, never as HTML.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from jinja2 import Environment
from markupsafe import Markup, escape

from bot.reports.discs import named
from bot.wording import sentences
from bot.wording.sentences import say
from rules.components import Faction

Scripts = Literal["none", "inline", "files"]

_SCRIPTS: Mapping[Scripts, str] = {
    "none": "",
    "inline": "; script-src 'unsafe-inline'",
    "files": "; script-src 'unsafe-inline' 'self' file:",
}
_MARKS = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")
"""Signs that turn the direction of what follows: in a name they would turn the page's own words."""


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead somewhere; ``to`` is relative to the page."""

    words: str
    to: str


@dataclass(frozen=True, slots=True)
class Page:
    """What every page has: its ``title`` for the window, one ``heading`` with a line ``below``, where it stands.

    ``root`` leads to the folder of the archive ("../../"), ``way`` are the pages above this one, ``before`` and
    ``after`` those beside it. ``scripts`` says which the page may run: none, its own, or those of files beside it.
    ``unlisted`` pages (of running games) ask search engines to leave them out. A ``kind`` of page may have a style of
    its own.
    """

    title: str
    heading: str
    root: str = ""
    below: str = ""
    way: Sequence[Link] = ()
    before: Link | None = None
    after: Link | None = None
    scripts: Scripts = "none"
    unlisted: bool = False
    kind: str = ""

    @property
    def content_security(self) -> Markup:
        """What the page may load: pictures and styles beside it, and the scripts that it needs; nothing else."""
        return Markup(
            "default-src 'none'; style-src 'unsafe-inline' 'self' file:; img-src data: 'self' file:; base-uri 'none'; "
            f"form-action 'none'{_SCRIPTS[self.scripts]}"
        )

    @property
    def foot(self) -> str:
        """The words at the end of every page."""
        return say("page.foot")


def render(template: str, page: Page, **values: Any) -> bytes:
    """A page from its template below ``templates/``: ``render("archive/document.html.j2", page, blocks=[…])``."""
    text = environment().get_template(template).render(page=page, **values)
    return _EMPTY_LINES.sub("\n", text).encode()


_EMPTY_LINES = re.compile(r"\n\s*\n+")


@cache
def environment() -> Environment:
    """The environment of all templates of the archive: that of the letters, in which everything is escaped."""
    made = sentences.environment().overlay(autoescape=True, finalize=_without_marks)
    made.filters = made.filters | {"discs": with_discs, "disc": disc}
    made.globals = made.globals | {"say": say}
    return made


def with_discs(text: str) -> Markup:
    """A text as HTML, each faction with its disc before its name."""
    return named(_MARKS.sub("", text), _with_name)


def disc(faction: Faction) -> Markup:
    """A faction's letter on its colour. The name stands beside it, so it is not read out."""
    letter = faction[0]
    return Markup('<b class="f f-{}" aria-hidden="true">{}</b>').format(letter, letter.upper())


def _with_name(faction: Faction, opens: str, words: str) -> str:
    first, *others = words.split(" ")
    return " ".join([f'<span class="w">{opens}{disc(faction)}&nbsp;{escape(first)}</span>', *map(escape, others)])


def _without_marks(value: Any) -> Any:
    """What is filled in, without signs that turn the direction of writing."""
    return _MARKS.sub("", value) if type(value) is str else value
