"""A letter as a post for a forum: Markdown (with tables, as GitHub and most forums read it).

Names and sentences may hold what Markdown takes for marks; they are escaped, so they show as they are.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from bot.reports.document import (
    Ask,
    Block,
    Board,
    Buttons,
    Document,
    Fight,
    Footer,
    FormBlock,
    Grid,
    Heading,
    Paragraph,
    Quote,
    Row,
    Rows,
    Story,
    Title,
    Verdict,
)

_MARKS = re.compile(r"([\\`*_{}\[\]<>|~])")
_LINE_MARKS = re.compile(r"^(\s*)(#|[-+](?=\s)|\d+[.)](?=\s))")


def as_markdown(document: Document) -> str:
    """The blocks as Markdown."""
    return "\n\n".join(filter(None, map(_markdown, document.blocks))) + "\n"


def _md(text: str) -> str:
    return _LINE_MARKS.sub(r"\1\\\2", _MARKS.sub(r"\\\1", text))


def _markdown(block: Block) -> str:
    match block:
        case Title(text, below):
            return f"## {_md(text)}" + (f"\n\n{_md(below)}" if below else "")
        case Heading(text, after):
            return f"### {_md(f'{text} {after}'.strip())}"
        case Paragraph(text, tone):
            said = "  \n".join(map(_md, text.split("\n")))
            return f"**{said}**" if tone == "lead" else said
        case Rows(rows) | Story(rows):
            return _markdown_rows(rows)
        case Grid(head, rows, numeric, below):
            cells = [[_md(cell) for cell in row] for row in rows]
            for line, under in zip(cells, below, strict=False):
                line[0] += f"<br>{_md(under)}" if under else ""
            return _markdown_table(list(map(_md, head)), numeric, cells)
        case Fight(place, about, sides, parts, remarks):
            heads = ["", *(_md(side.told) for side in sides)]
            plans = _markdown_table(heads, frozenset(), [list(map(_md, part)) for part in parts])
            return "\n\n".join([f"**{_md(place)}** {_md(about)}", plans, *map(_md, remarks)])
        case Board(says, rows):
            return f"{_md(says)}\n\n{_markdown_rows(rows)}"
        case Footer():
            return ""
        case Ask() | Buttons() | Quote() | Verdict() | FormBlock():
            raise TypeError(f"{type(block).__name__} is for one reader, not for a forum")


def _markdown_rows(rows: Sequence[Row]) -> str:
    return "\n".join(["| | |", "|---|---|", *map(_markdown_row, rows)]) if rows else ""


def _markdown_table(head: Sequence[str], numeric: Container[int], rows: Sequence[Sequence[str]]) -> str:
    line = "|".join("---:" if column in numeric else "---" for column in range(len(head)))
    first, *others = ["| " + " | ".join(row) + " |" for row in (head, *rows)]
    return "\n".join([first, f"|{line}|", *others])


def _markdown_row(row: Row) -> str:
    return f"| {_md(row.label)} | {'<br>'.join(map(_md, row.lines))} |"
