"""Plain text of 72 columns, for mailing lists and news groups."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reports.document import Grid
from bot.reports.forum.columns import in_columns
from bot.reports.forum.dialect import Dialect
from bot.reports.forum.harmless import harmless, pieces

WIDTH = 72


class PlainText(Dialect):
    """Nothing but lines of at most 72 columns."""

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def words(self, text: str) -> str:
        """Wrapped."""
        return "\n".join(pieces(harmless(text), WIDTH))

    def title(self, text: str) -> str:
        """Underlined."""
        lines = pieces(harmless(text), WIDTH)
        return "\n".join([*lines, "=" * max(map(len, lines))])

    def heading(self, text: str) -> str:
        """Underlined lightly."""
        lines = pieces(harmless(text), WIDTH)
        return "\n".join([*lines, "-" * max(map(len, lines))])

    def strong(self, text: str) -> str:
        """As it is: nothing stands out in plain text."""
        return self.words(text)

    def items(self, lines: Sequence[str]) -> str:
        """A dash before each, the lines after it set in."""
        found = []
        for line in lines:
            first, *others = pieces(" ".join(line.split("\n")), WIDTH - 2)
            found += [f"- {first}", *(f"  {other}" for other in others)]
        return "\n".join(found)

    def table(self, grid: Grid) -> str:
        """Columns, set in a little."""
        lines = in_columns(grid, harmless, WIDTH - 2)
        return "\n".join(f"  {line}".rstrip() for line in lines)

    def labelled(self, label: str, text: str) -> str:
        """Wrapped together with the label."""
        return self.words(f"{label}: {text}")

    def covered(self, label: str, inside: str) -> str:
        """Nothing can be covered here: it stands below an empty page."""
        return f"{self.strong(label)}{_EMPTY_PAGE}{inside}"


_EMPTY_PAGE = "\n\n" + ".\n" * 20 + "\n"

TEXT = PlainText(36_000)
"""Mailman holds mails of more than 40 KB back unless a list's owner says otherwise; headers want some of that."""
