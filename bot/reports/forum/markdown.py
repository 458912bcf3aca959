"""Markdown as Discourse reads it: with tables and covered details. Most forums with Markdown show it alike."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.reports.document import Grid
from bot.reports.forum.dialect import Dialect
from bot.reports.forum.harmless import harmless

_MARKS = re.compile(r"([\\`*_{}\[\]<>|~&#^$])")
_LINE_MARKS = re.compile(r"^(\s*)([-+=](?=\s|[-+=]|$)|\d+(?=[.)](?:\s|$)))")


class Markdown(Dialect):
    """Marks in words are escaped, so they show as they are."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def words(self, text: str) -> str:
        """With a backslash before each mark."""
        line = _MARKS.sub(r"\\\1", harmless(text).strip())
        return _LINE_MARKS.sub(lambda found: f"{found[1]}{_inert(found[2])}", line)

    def title(self, text: str) -> str:
        """A heading of the second order; the first is the thread's."""
        return f"## {self.words(text)}"

    def heading(self, text: str) -> str:
        """A heading of the third order."""
        return f"### {self.words(text)}"

    def strong(self, text: str) -> str:
        """Bold."""
        return f"**{self.words(text)}**"

    def items(self, lines: Sequence[str]) -> str:
        """A list."""
        return "\n".join(f"- {line}" for line in lines)

    def table(self, grid: Grid) -> str:
        """A table; what stands below a row follows its first cell in a new line."""
        cells = [[self.words(cell) for cell in row] for row in (grid.head, *grid.rows)]
        for row, under in zip(cells[1:], grid.below, strict=False):
            row[0] += f"<br>{self.words(under)}" if under else ""
        line = "|".join("---:" if column in grid.numeric else "---" for column in range(len(grid.head)))
        first, *others = ["| " + " | ".join(row) + " |" for row in cells]
        return "\n".join([first, f"|{line}|", *others])

    def covered(self, label: str, inside: str) -> str:
        """Details that open."""
        plain = harmless(label).replace('"', "'").translate({ord(mark): None for mark in "[]"})
        return f'[details="{plain}"]\n\n{inside}\n\n[/details]'


def _inert(mark: str) -> str:
    """A mark that opens a line; a number does so with the sign behind it, which stays."""
    return f"{mark}\\" if mark.isdigit() else f"\\{mark}"


MARKDOWN = Markdown(32_000)
"""Discourse takes 32,000 characters a post unless its owner says otherwise."""
