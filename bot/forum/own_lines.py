"""The lines of a post that its writer says themself, in the open, at the left margin: what a reader sees as theirs.

A quote, code, a covered or struck part, the inside of a tag: nothing in them is somebody's own line. Markdown is read
by a parser of CommonMark, as a browser's page follows from it; the tags in brackets of other forums (which Discourse
knows too) are followed besides (``bot.forum.covered``), and so is what some forums read in another way
(``bot.forum.doubtful``). A line that only one of these takes for an own one is in doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from bot.channels.channel import Dialect
from bot.forum.covered import Cover, covers
from bot.forum.doubtful import QUOTED, doubtful_lines
from bot.forum.open_html import OpenHtml

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST_POST = 60_000
"""A longer post is not read: no forum that is spoken to takes one."""

_PLAIN = ("text", "em_open", "em_close", "strong_open", "strong_close")
_BREAKS = ("softbreak", "hardbreak")
_EMPHASIS = str.maketrans("", "", "*_")


def own_lines(raw: str, dialect: Dialect) -> list[tuple[str, bool]]:
    """The lines of a post that stand open at the left margin, in order, each with whether it is beyond doubt, and
    nothing but words.

    >>> own_lines("> !bid 9\\n\\n!bid 3\\n`!pass`", Dialect.MARKDOWN)
    [('!bid 3', True), ('`!pass`', False)]
    """
    text = re.sub(r"\r\n?", "\n", raw.encode("utf-8", "replace").decode("utf-8"))
    if len(text) > LONGEST_POST:
        return []
    lines = text.split("\n")
    code: set[int] = set()
    if dialect == Dialect.MARKDOWN:
        said = dict(_said(text, lines, code))
    else:
        said = {number: True for number, line in enumerate(lines) if not QUOTED.match(line)}
    kinds = ["code" if number in code else _kind(line) for number, line in enumerate(lines)]
    cover = covers(text, kinds, angles=dialect != Dialect.MARKDOWN)
    inside = code.union(number for number, of_line in enumerate(cover) if of_line)
    doubtful = doubtful_lines(lines, dialect, inside) | inside
    return [
        (lines[number], said[number] and number not in doubtful)
        for number in sorted(said)
        if cover[number] != Cover.SURE
    ]


def _kind(line: str) -> str:
    """Of which kind a line is, for the tags that stand in it."""
    return "quoted" if QUOTED.match(line) else "code" if "`" in line else ""


def _said(text: str, lines: Sequence[str], code: set[int]) -> Iterator[tuple[int, bool]]:
    """The numbers of the lines that stand in paragraphs of Markdown and in nothing else, and whether each is words
    alone. The numbers of lines that are code are added to ``code``."""
    html = OpenHtml()
    for token in _markdown().parse(text):
        if token.type in ("fence", "code_block", "html_block") and token.map:
            code.update(range(*token.map))
        if token.type == "html_block":
            html.follow(token.content)
        if token.type != "inline" or token.map is None:
            continue
        covered, in_doubt = html.covers, bool(html)
        for child in token.children or ():
            if child.type == "html_inline":
                html.follow(child.content)
            in_doubt = in_doubt or (child.type in _BREAKS and bool(html))
        if token.level == 1 and not covered and not html.covers:
            for number, words in _lines_of(token, lines):
                yield number, words and not in_doubt


def _lines_of(token: Token, lines: Sequence[str]) -> list[tuple[int, bool]]:
    """The lines of a paragraph, each with whether it is words alone, and shown as it was typed."""
    assert token.map is not None
    children = token.children or ()
    first = token.map[0]
    if sum(child.type in _BREAKS for child in children) != token.content.count("\n"):
        # code, a picture or a link goes over several lines: nobody knows where they are
        return [(first + more, False) for more in range(token.content.count("\n") + 1)]
    found: list[tuple[int, bool]] = []
    shown, words, within = "", True, 0
    for child in (*children, None):
        if child is None or child.type in _BREAKS:
            number = first + len(found)
            typed = lines[number].strip().removesuffix("\\") if child else lines[number].strip()
            same = shown.strip().translate(_EMPHASIS) == typed.rstrip().translate(_EMPHASIS)
            found.append((number, words and same))
            shown, words = "", not within
        elif child.type in _PLAIN:
            shown += child.content
        else:
            words, within = False, within + child.nesting  # what is struck, or a link, may go over several lines
    return found


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt  # takes a while, and only forums need it

    return MarkdownIt("commonmark", {"maxNesting": 20}).enable("strikethrough").enable("table")
