"""Blocks of letters, and a few of the archive's own, as semantic HTML: headings, lists, tables with captions.

A page is a row of blocks (``bot.reports.document``), so what it says is said in the words of the letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bot.archive.rendering import Link, Page, render
from bot.reports.document import Block, Fight


@dataclass(frozen=True, slots=True)
class Links:
    """Several links in one place."""

    links: Sequence[Link]


@dataclass(frozen=True, slots=True)
class Name:
    """What a player is called, in whatever direction that is written; it may be broken anywhere, and lead ``to`` where
    more is said of them."""

    words: str
    to: str = ""


Cell = str | Link | Links | Name


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a page under a heading of its own, which links can lead to by its ``id``. One that ``flows`` is set in
    two columns on paper."""

    title: str
    blocks: Sequence[Laid]
    id: str = ""
    after: str = ""
    flows: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose first column heads its rows; its caption is ``seen``, or only read out. ``ids`` name the rows.
    ``below`` stands under the first cell of each row, ``across`` under the whole of it."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    numeric: frozenset[int] = frozenset()
    below: Sequence[str] = ()
    seen: bool = False
    ids: Sequence[str] = ()
    across: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Fought:
    """A battle that links can lead to."""

    fight: Fight
    id: str


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of a log, and whether its reader ``alone`` was told it so."""

    words: str
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Chapter:
    """A phase in a log."""

    label: str
    lines: Sequence[Line]
    id: str = ""


@dataclass(frozen=True, slots=True)
class Log:
    """All that was told, phase by phase; ``alone`` is what stands before lines for one reader alone."""

    chapters: Sequence[Chapter]
    alone: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """The board: what lies on it as a drawing over the picture of the ground."""

    alt: str
    drawing: Markup
    ground: str
    ground_height: int
    caption: str | Link = ""


@dataclass(frozen=True, slots=True)
class List:
    """A list of words and links; its ``kind`` is "links" for a row of them, "doors" for one below the other."""

    items: Sequence[Cell]
    kind: str = ""


Laid = Block | Part | Table | Fought | Log | Picture | List


def document(page: Page, blocks: Sequence[Laid]) -> bytes:
    """A whole page of blocks."""
    return render("archive/document.html.j2", page, blocks=blocks)


STYLE = "archive/style.css"
"""The look of all pages, below ``templates/``; it lies beside the index of the archive as `style.css`."""
