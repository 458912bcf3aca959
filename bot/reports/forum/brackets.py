"""Forums with tags in brackets: BBCode as phpBB and its kin read it, and the dialect of BoardGameGeek.

Brackets of players become round ones, so no word of theirs can be a tag. BoardGameGeek cuts a post off without a word
where a "<" stands before anything but a space, after its preview looked right: none is written. Neither has tables;
these stand in letters of one width. BoardGameGeek has no lists.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.reports.document import Grid
from bot.reports.forum.columns import in_columns
from bot.reports.forum.dialect import Dialect
from bot.reports.forum.harmless import harmless

_ROUND = str.maketrans({"[": "(", "]": ")", "<": "\u2039", ">": "\u203a"})


class Brackets(Dialect):
    """Tags by their names: ``fixed`` keeps letters of one width, ``cover`` hides, ``large`` is the size of a title."""

    def __init__(self, limit: int, width: int, fixed: str, cover: str, large: int, lists: bool) -> None:
        self.limit, self._width = limit, width
        self._fixed, self._cover, self._large, self._has_lists = fixed, cover, large, lists

    def words(self, text: str) -> str:
        """With round brackets for square ones."""
        return harmless(text.translate(_ROUND))

    def title(self, text: str) -> str:
        """Large and bold."""
        return f"[size={self._large}][b]{self.words(text)}[/b][/size]"

    def heading(self, text: str) -> str:
        """Bold and underlined, for small headings stand in bold alone."""
        return f"[b][u]{self.words(text)}[/u][/b]"

    def strong(self, text: str) -> str:
        """Bold."""
        return f"[b]{self.words(text)}[/b]"

    def items(self, lines: Sequence[str]) -> str:
        """A list, or lines with a dash where there are no lists."""
        if not lines:
            return ""
        if self._has_lists:
            return "\n".join(["[list]", *(f"[*]{line}" for line in lines), "[/list]"])
        return "\n".join(f"- {line}" for line in lines)

    def table(self, grid: Grid) -> str:
        """Columns in letters of one width."""
        lines = in_columns(grid, self.words, self._width)
        return "\n".join([f"[{self._fixed}]", *lines, f"[/{self._fixed}]"])

    def covered(self, label: str, inside: str) -> str:
        """Behind a button; the label stands before it, for not every forum lets it have one."""
        return f"{self.strong(label)}\n[{self._cover}]\n{inside}\n[/{self._cover}]"


BBCODE = Brackets(60_000, 72, "code", "spoiler", 150, lists=True)
"""phpBB takes 60,000 characters a post unless its owner says otherwise."""

BGG = Brackets(50_000, 60, "c", "o", 18, lists=False)
"""No limit is written anywhere; longer posts than this were seen to load badly, and a table wider than 60 columns
breaks on a telephone."""
