"""A letter as a post for a forum: Markdown (with tables, as GitHub and most forums read it).

Names and sentences may hold what Markdown takes for marks; they are escaped, so they show as they are.
"""

from __future__ import annotations

import re

from bot.reports.document import (
    Ask,
    Block,
    Board,
    Buttons,
    Document,
    FormBlock,
    Grid,
    Heading,
    Paragraph,
    Quote,
    Row,
    Rows,
    Story,
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
        case Heading(text, after):
            return f"### {_md(f'{text} {after}'.strip())}"
        case Paragraph(text, tone):
            lines = "  \n".join(_md(line) for line in text.split("\n"))
            return f"**{lines}**" if tone == "lead" else lines
        case Rows(rows) | Story(rows):
            return "\n".join(["| | |", "|---|---|", *(_markdown_row(row) for row in rows)]) if rows else ""
        case Grid(head, rows, numeric):
            line = "|".join("---:" if column in numeric else "---" for column in range(len(head)))
            table = [head, *rows]
            first, *others = ["| " + " | ".join(map(_md, row)) + " |" for row in table]
            return "\n".join([first, f"|{line}|", *others])
        case Board(alt):
            return _md(alt)
        case Ask() | Buttons() | Quote() | Verdict() | FormBlock():
            raise TypeError(f"{type(block).__name__} is for one reader, not for a forum")


def _markdown_row(row: Row) -> str:
    return f"| {_md(row.label)} | {'<br>'.join(map(_md, row.lines))} |"
