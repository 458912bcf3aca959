"""What the dialects of forums share: which blocks a post is made of, and what each of them must know to write.

A dialect writes words, headings, tables and covered parts in its own way; in which order the parts of a block stand is
said here. Blocks that are for one reader alone (questions, forms, quotes of a mail) are never posted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from bot.reports.document import (
    Ask,
    Block,
    Board,
    Buttons,
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
from bot.reports.forum.harmless import harmless, pieces

LONGEST_LINE = 2000  # letters of a player's words in one piece; what is longer is told in several lines
LONGEST_LIST = 8000  # letters in a list that a post does not end within


class Dialect(ABC):
    """How a forum wants its posts. ``limit`` is how many characters one may have, with room to spare."""

    limit: int

    # --- what differs ---------------------------------------------------------------------------------------------

    @abstractmethod
    def words(self, text: str) -> str:
        """Running words, with nothing in them that the forum reads as a mark."""

    @abstractmethod
    def title(self, text: str) -> str:
        """The headline of a part, from plain words."""

    @abstractmethod
    def heading(self, text: str) -> str:
        """Opens a smaller part."""

    @abstractmethod
    def strong(self, text: str) -> str:
        """Words that stand out."""

    @abstractmethod
    def items(self, lines: Sequence[str]) -> str:
        """A list of lines that are ``words`` already."""

    @abstractmethod
    def table(self, grid: Grid) -> str:
        """A table of plain words; its head may be of empty ones."""

    @abstractmethod
    def covered(self, label: str, inside: str) -> str:
        """What shows only when it is asked for; ``inside`` is written already."""

    # --- what they share ------------------------------------------------------------------------------------------

    def labelled(self, label: str, text: str) -> str:
        """Words behind a label that stands out."""
        return f"{self.strong(f'{label}:')} {self.words(text)}"

    def written(self, blocks: Iterable[Block]) -> str:
        """The blocks one below the other."""
        return "\n\n".join(unit for block in blocks for unit in self.units(block))

    def units(self, block: Block) -> list[str]:
        """One block in the smallest parts between which a post may end; TypeError for one that is for one reader
        alone."""
        match block:
            case Title(text, below):
                return ["\n\n".join([self.title(text), *self._lines((below,))])]
            case Heading(text, after):
                return [self.heading(f"{text} {after}".strip())]
            case Paragraph(text, tone):
                return [self.strong(text)] if tone == "lead" else ["\n".join(self._lines(text.split("\n")))]
            case Rows(rows):
                return [self.items([self.labelled(row.label, "; ".join(row.lines)) for row in rows])] if rows else []
            case Story(chapters):
                return [unit for chapter in chapters for unit in self._chapter(chapter)]
            case Grid():
                return [self.table(block)]
            case Fight(place, about, sides, parts, remarks):
                plans = self.table(Grid(("", *(side.told for side in sides)), parts))
                return [f"{self.labelled(place, about)}\n\n{plans}", *self._lists(remarks)]
            case Board(says, rows):
                there = Grid(("", ""), tuple((row.label, ", ".join(row.lines)) for row in rows))
                return ["\n\n".join([*self._lines((says,)), self.table(there)])]
            case Footer():
                return []
            case Ask() | Buttons() | Quote() | Verdict() | FormBlock():
                raise TypeError(f"{type(block).__name__} is for one reader, not for a forum")

    def _lines(self, texts: Iterable[str]) -> list[str]:
        return [self.words(piece) for text in texts if text for piece in pieces(harmless(text), LONGEST_LINE)]

    def _lists(self, texts: Iterable[str]) -> list[str]:
        """The texts as a list; as several, where they are long."""
        lists: list[list[str]] = [[]]
        for line in self._lines(texts):
            if lists[-1] and sum(map(len, lists[-1])) + len(line) > LONGEST_LIST:
                lists.append([])
            lists[-1].append(line)
        return [self.items(lines) for lines in lists if lines]

    def _chapter(self, row: Row) -> list[str]:
        first, *others = self._lists(row.lines) or [""]
        return [f"{self.strong(row.label)}\n{first}", *others]
