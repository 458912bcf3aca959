"""Lines of a mail's text and how deep each is quoted, from plain text or from HTML.

Plain text carries its quoting in `>` marks and, when it is flowed, hides line ends that nobody typed
(RFC 3676). Both are undone here, so everything after works on `Line(text, depth)`. The HTML way to the same
lines is `bot.mail.words.html_lines`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

MAX_LINES_SEEN = 20_000

SIGNATURE = -1
"""The depth of a line that an HTML mail itself marks as signature."""

COLOURED = -2
"""The depth of a line within the quoted mail that an HTML mail shows in another colour than the rest."""

_INVISIBLE = re.compile(
    r"[\u200b-\u200f\u202a-\u202e\u2060-\u206f\u061c\u180e\ufe0e\ufe0f\U000e0000-\U000e007f\ufeff\u00ad\ufffc\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
_SPACES = re.compile(r"[\t\u00a0\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")

_QUOTE_SIGNS = ">＞﹥》│┃"
# `> `, `>> `, ` > `, a full-width mark, `| `, `&gt;` that was escaped twice, a guillemet that none closes, and initials
# or a name before the mark as some programs write (`FR> `, `<Bob> `).
_QUOTE_MARK = re.compile(
    rf"(?:[ ]{{0,3}}(?:[{_QUOTE_SIGNS}]|&gt;|\|(?=[ |>]|$)|[»›](?![^«‹]{{0,200}}[«‹]))|"
    r"[ ]{0,8}<?[A-Za-z]{1,12}>(?=[ >]|$))[ ]?"
)


class Line(NamedTuple):
    """A line without its quote marks; depth 0 is not quoted."""

    text: str
    depth: int = 0


def clean(text: str) -> str:
    """The line as its writer saw it: no invisible characters, every kind of space a plain one, no space at the end."""
    return _SPACES.sub(" ", _INVISIBLE.sub("", text)).rstrip()


def plain_lines(text: str, flowed: bool = False, delsp: bool = False) -> list[Line]:
    """The lines of a plain text body, at most `MAX_LINES_SEEN`.

    >>> plain_lines("bid 4\\n> On Monday\\n>> you wrote")
    [Line(text='bid 4', depth=0), Line(text='On Monday', depth=1), Line(text='you wrote', depth=2)]
    """
    rows = islice(_rows(text), MAX_LINES_SEEN)
    return _unflowed(rows, delsp) if flowed else [quoted(clean(row)) for row in rows]


def more_than_seen(text: str) -> bool:
    return text.count("\n") >= MAX_LINES_SEEN


def _rows(text: str) -> Iterable[str]:
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


def quoted(row: str) -> Line:
    """The row without the quote marks that are typed before it, and how many there were."""
    if row.startswith(">>>") and row.endswith(">>>"):  # GroupWise says so above a quote who wrote it
        return Line(row)
    depth, position = 0, 0
    while depth < 50 and (mark := _QUOTE_MARK.match(row, position)):
        depth += 1
        position = mark.end()
    return Line(row[position:], depth)


def _unflowed(rows: Iterable[str], delsp: bool) -> list[Line]:
    """Paragraphs of flowed text as one line each (RFC 3676 section 4): only `>` at the very start quotes."""
    lines: list[Line] = []
    open_paragraph = False
    for row in rows:
        depth = len(row) - len(row.lstrip(">"))
        text = row[depth:].removeprefix(" ")
        flows_on = text.endswith(" ") and text != "-- "
        if flows_on and delsp:
            text = text[:-1]
        if open_paragraph and lines[-1].depth == depth and text != "-- ":
            lines[-1] = Line(lines[-1].text + text, depth)
        else:
            lines.append(Line(text, depth))
        open_paragraph = flows_on
    return [Line("-- " if line.text == "-- " else clean(line.text), line.depth) for line in lines]
