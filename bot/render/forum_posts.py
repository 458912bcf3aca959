"""Posts for forums: the blocks of a letter, written in the markup that forums read and cut into posts.

Each dialect has its own markup for words, headings, tables and hidden parts; the parts of a block come in the same
order in all dialects. Blocks that only one reader may see (questions, forms, quotes of a mail) are never posted.

- Markdown as Discourse reads it, with tables and collapsible details. Most forums with Markdown show it in the same
  way.
- Tags in square brackets: BBCode as phpBB and its relatives read it, and the dialect of BoardGameGeek. Square brackets
  in players' words become round ones, so that none of their words can be a tag. BoardGameGeek silently cuts off a post
  at a "<" before anything but a space, although its preview looks right, so Mentat never writes one. Neither dialect
  has tables, so tables are set in monospace. BoardGameGeek has no lists.
- Plain text of 72 columns, for mailing lists and newsgroups.

Players write names, deals and questions. Anything in them that some forum would treat as markup is made harmless:
mentions, links and smileys are broken up in place, so that they look almost unchanged. Invisible characters are
dropped.

A long report is cut into several posts, between turns if possible, otherwise at the end of a phase, and never inside a
table.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from bot.render.blocks import (
    Ask,
    Block,
    Board,
    Buttons,
    Due,
    Fields,
    Fight,
    Footer,
    FormBlock,
    Heading,
    List,
    Paragraph,
    Part,
    Quote,
    Race,
    Row,
    Rows,
    Story,
    Table,
    Title,
    Verdict,
)

LONGEST_LINE = 2000  # characters of a player's words in one piece; longer texts are spread over several lines
LONGEST_LIST = 8000  # a post never ends inside a list of up to this many characters


class Dialect(ABC):
    limit: int

    # --- differences between the dialects -------------------------------------------------------------------------

    @abstractmethod
    def words(self, text: str) -> str:
        """Return the text for use in a sentence, neutralising anything that looks like markup to the forum."""

    @abstractmethod
    def title(self, text: str) -> str: ...

    @abstractmethod
    def heading(self, text: str) -> str: ...

    @abstractmethod
    def strong(self, text: str) -> str: ...

    @abstractmethod
    def items(self, lines: Sequence[str]) -> str:
        """Write a list; its lines have already passed through `words`."""

    @abstractmethod
    def table(self, table: Table) -> str: ...

    @abstractmethod
    def covered(self, label: str, inside: str) -> str:
        """Hide text until the reader asks for it; `inside` is already in the forum's markup."""

    # --- common to all dialects -----------------------------------------------------------------------------------

    def labelled(self, label: str, text: str) -> str:
        return f"{self.strong(f'{label}:')} {self.words(text)}"

    def written(self, blocks: Iterable[Block]) -> str:
        return "\n\n".join(unit for block in blocks for unit in self.units(block))

    def units(self, block: Block) -> list[str]:
        """Return a block split into its smallest units; a post may end after each unit. Raise TypeError for a block
        that only one reader may see."""
        match block:
            case Title(text, below):
                return ["\n\n".join([self.title(text), *self._lines((below,))])]
            case Heading(text, after):
                return [self.heading(f"{text} {after}".strip())]
            case Part(text, blocks, _, after):
                return [unit for each in (Heading(text, after), *blocks) for unit in self.units(each)]
            case List(items):
                return self._lists(map(str, items))
            case Paragraph(text, tone):
                return [self.strong(text)] if tone == "lead" else ["\n".join(self._lines(text.split("\n")))]
            case Race():
                return ["\n".join(self._lines((block.told,)))]
            case Rows(rows) | Fields(rows):
                return [self.items([self.labelled(row.label, "; ".join(row.lines)) for row in rows])] if rows else []
            case Story(chapters):
                return [unit for chapter in chapters for unit in self._chapter(chapter)]
            case Table():
                return [self.table(block)]
            case Fight(place, about, sides, parts, remarks):
                plans = self.table(Table(("", *(side.told for side in sides)), parts))
                return [f"{self.labelled(place, about)}\n\n{plans}", *self._lists(remarks)]
            case Board(says, rows):
                there = Table(("", ""), tuple((row.label, ", ".join(row.lines)) for row in rows))
                return ["\n\n".join([*self._lines((says,)), *([self.table(there)] if rows else [])])]
            case Footer():
                return []
            case Due() | Ask() | Buttons() | Quote() | Verdict() | FormBlock():
                raise TypeError(f"{type(block).__name__} is for one reader, not for a forum")

    def _lines(self, texts: Iterable[str]) -> list[str]:
        return [self.words(piece) for text in texts if text for piece in cut_text(harmless(text), LONGEST_LINE)]

    def _lists(self, texts: Iterable[str]) -> list[str]:
        lists: list[list[str]] = [[]]
        for line in self._lines(texts):
            if lists[-1] and sum(map(len, lists[-1])) + len(line) > LONGEST_LIST:
                lists.append([])
            lists[-1].append(line)
        return [self.items(lines) for lines in lists if lines]

    def _chapter(self, row: Row) -> list[str]:
        first, *others = self._lists(row.lines) or [""]
        return [f"{self.strong(row.label)}\n{first}", *others]


_MARKS = re.compile(r"([\\`*_{}\[\]<>|~&#^$])")
_LINE_MARKS = re.compile(r"^(\s*)([-+=](?=\s|[-+=]|$)|\d+(?=[.)](?:\s|$)))")


class Markdown(Dialect):
    def __init__(self, limit: int) -> None:
        self.limit = limit

    def words(self, text: str) -> str:
        line = _MARKS.sub(r"\\\1", harmless(text).strip())
        return _LINE_MARKS.sub(lambda found: f"{found[1]}{_inert(found[2])}", line)

    def title(self, text: str) -> str:
        return f"## {self.words(text)}"

    def heading(self, text: str) -> str:
        return f"### {self.words(text)}"

    def strong(self, text: str) -> str:
        return f"**{self.words(text)}**"

    def items(self, lines: Sequence[str]) -> str:
        return "\n".join(f"- {line}" for line in lines)

    def table(self, table: Table) -> str:
        cells = [[self.words(str(cell)) for cell in row] for row in (table.head, *table.rows)]
        for row, under in zip(cells[1:], table.below, strict=False):
            row[0] += f"<br>{self.words(under)}" if under else ""
        line = "|".join("---:" if column in table.numeric else "---" for column in range(len(table.head)))
        first, *others = ["| " + " | ".join(row) + " |" for row in cells]
        return "\n".join([first, f"|{line}|", *others])

    def covered(self, label: str, inside: str) -> str:
        plain = harmless(label).replace('"', "'").translate({ord(mark): None for mark in "[]"})
        return f'[details="{plain}"]\n\n{inside}\n\n[/details]'


def _inert(mark: str) -> str:
    return f"{mark}\\" if mark.isdigit() else f"\\{mark}"


MARKDOWN = Markdown(32_000)
"""By default, Discourse accepts up to 32,000 characters in a post."""


_ROUND = str.maketrans({"[": "(", "]": ")", "<": "\u2039", ">": "\u203a"})


class Brackets(Dialect):
    """A dialect that writes its tags in square brackets. `fixed` is the tag for monospace, `cover` is the tag that
    hides text, and `large` is the font size of a title."""

    def __init__(self, limit: int, width: int, fixed: str, cover: str, large: int, lists: bool) -> None:
        self.limit, self._width = limit, width
        self._fixed, self._cover, self._large, self._has_lists = fixed, cover, large, lists

    def words(self, text: str) -> str:
        return harmless(text.translate(_ROUND))

    def title(self, text: str) -> str:
        return f"[size={self._large}][b]{self.words(text)}[/b][/size]"

    def heading(self, text: str) -> str:
        """Write a heading in bold and underlined, since bold alone already marks small headings."""
        return f"[b][u]{self.words(text)}[/u][/b]"

    def strong(self, text: str) -> str:
        return f"[b]{self.words(text)}[/b]"

    def items(self, lines: Sequence[str]) -> str:
        if not lines:
            return ""
        if self._has_lists:
            return "\n".join(["[list]", *(f"[*]{line}" for line in lines), "[/list]"])
        return "\n".join(f"- {line}" for line in lines)

    def table(self, table: Table) -> str:
        lines = in_columns(table, self.words, self._width)
        return "\n".join([f"[{self._fixed}]", *lines, f"[/{self._fixed}]"])

    def covered(self, label: str, inside: str) -> str:
        """Hide text behind a button. The label comes before the button, because not every forum can label the button
        itself."""
        return f"{self.strong(label)}\n[{self._cover}]\n{inside}\n[/{self._cover}]"


BBCODE = Brackets(60_000, 72, "code", "spoiler", 150, lists=True)
"""By default, phpBB accepts up to 60,000 characters in a post."""

BGG = Brackets(50_000, 60, "c", "o", 18, lists=False)
"""The limit is undocumented: longer posts loaded badly in tests. A table wider than 60 columns breaks on a phone."""


TEXT_WIDTH = 72


class PlainText(Dialect):
    def __init__(self, limit: int) -> None:
        self.limit = limit

    def words(self, text: str) -> str:
        return "\n".join(cut_text(harmless(text), TEXT_WIDTH))

    def title(self, text: str) -> str:
        lines = cut_text(harmless(text), TEXT_WIDTH)
        return "\n".join([*lines, "=" * max(map(len, lines))])

    def heading(self, text: str) -> str:
        lines = cut_text(harmless(text), TEXT_WIDTH)
        return "\n".join([*lines, "-" * max(map(len, lines))])

    def strong(self, text: str) -> str:
        return self.words(text)

    def items(self, lines: Sequence[str]) -> str:
        found = []
        for line in lines:
            first, *others = cut_text(" ".join(line.split("\n")), TEXT_WIDTH - 2)
            found += [f"- {first}", *(f"  {other}" for other in others)]
        return "\n".join(found)

    def table(self, table: Table) -> str:
        lines = in_columns(table, harmless, TEXT_WIDTH - 2)
        return "\n".join(f"  {line}".rstrip() for line in lines)

    def labelled(self, label: str, text: str) -> str:
        return self.words(f"{label}: {text}")

    def covered(self, label: str, inside: str) -> str:
        """Put the text at the end of many blank lines, because plain text cannot hide anything."""
        return f"{self.strong(label)}{_EMPTY_PAGE}{inside}"


_EMPTY_PAGE = "\n\n" + ".\n" * 20 + "\n"

TEXT = PlainText(36_000)
"""By default, Mailman holds mails of more than 40 KB for approval, headers included."""


Format = Literal["bbcode", "bgg", "markdown", "text"]

DIALECTS: Mapping[Format, Dialect] = {"bbcode": BBCODE, "bgg": BGG, "markdown": MARKDOWN, "text": TEXT}

__all__ = ["DIALECTS", "Dialect", "Format"]


COLUMN_GAP = "  "
NARROWEST_COLUMN = 6  # minimum width of a column


def in_columns(table: Table, words: Callable[[str], str], width: int) -> list[str]:
    """Return the table as lines of at most `width` characters. The text of a cell that is too long continues on the
    next line.

    `words` converts the text of each cell to the dialect.

    >>> in_columns(Table(("", "Dial"), (("Guild", "4"), ("Emperor", "12")), frozenset({1})), str, 20)
    ['         Dial', 'Guild       4', 'Emperor    12']
    """
    cells = [[words(str(cell)) for cell in row] for row in (*([table.head] if any(table.head) else []), *table.rows)]
    wide = _widths(cells, width)
    below = [*[""] * (len(cells) - len(table.rows)), *map(words, table.below or [""] * len(table.rows))]
    found: list[str] = []
    for row, under in zip(cells, below, strict=True):
        found += _row(row, wide, table.numeric)
        found += [COLUMN_GAP + piece for piece in cut_text(under, width - len(COLUMN_GAP)) if under]
    return found


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return for each column the width of its widest cell. If the sum exceeds the total width, the widest columns are
    made narrower."""
    wide = [max((len(row[column]) for row in rows), default=0) for column in range(len(rows[0]) if rows else 0)]
    room = width - len(COLUMN_GAP) * (len(wide) - 1)
    while sum(wide) > room and max(wide) > NARROWEST_COLUMN:
        wide[wide.index(max(wide))] -= 1
    return wide


def _row(row: Sequence[str], wide: Sequence[int], numeric: Container[int]) -> list[str]:
    cells = [cut_text(cell, wide[column] or 1) for column, cell in enumerate(row)]
    lines = []
    for number in range(max(map(len, cells), default=0)):
        parts = [cell[number] if number < len(cell) else "" for cell in cells]
        set_out = [
            f"{part:>{wide[column]}}" if column in numeric else f"{part:{wide[column]}}"
            for column, part in enumerate(parts)
        ]
        lines.append(COLUMN_GAP.join(set_out).rstrip())
    return lines


_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # controls, format characters, unassigned
_LINK = re.compile(r"(?i)([a-z]:)(?=//)|(\bwww)(?=\.)")
_SMILEY = re.compile(
    r"(?i)(?<!\w)(?:[:;](?=[-^']?[()\[\]{}|/\\dpox?!$*3c@s])|8(?=-?\))|=(?=-?[()]))"  # :) ;-D 8) =)
    r"|:(?=[a-z0-9_+-]+:)"  # :smile:
)

_EYES_OF_SMILEY = re.compile(r"[:;=8]")  # every smiley contains one of these


@lru_cache(maxsize=4096)
def harmless(text: str) -> str:
    """Return the text on one line, with mentions, links and smileys broken up and without invisible characters.

    >>> harmless("@all: see https://example.org :D (8)")
    '(at)all: see https: //example.org : D (8 )'
    """
    line = text if text.isascii() and text.isprintable() else _visible(text)
    line = line.replace("@", "(at)").replace("\uff20", "(at)")
    if "//" in line or "." in line:
        line = _LINK.sub(lambda found: f"{found[0]} ", line)
    return _SMILEY.sub(lambda found: f"{found[0]} ", line) if _EYES_OF_SMILEY.search(line) else line


def _visible(text: str) -> str:
    """Return the text in composed form (NFC), with each separator replaced by a space and without invisible
    characters."""
    seen = (" " if character.isspace() else character for character in unicodedata.normalize("NFC", text))
    return "".join(character for character in seen if unicodedata.category(character) not in _UNSEEN)


def cut_text(text: str, longest: int) -> list[str]:
    """Cut the text into pieces of at most `longest` characters, between words if possible.

    >>> cut_text("one two three", 8)
    ['one two', 'three']
    """
    found, rest = [], text
    while len(rest) > longest:
        at = rest.rfind(" ", 1, longest + 1)
        at = at if at > 0 else longest
        found.append(rest[:at])
        rest = rest[at:].lstrip(" ")
    return [*found, rest] if rest or not found else found


ROOM_FOR_TITLE = 400  # for the first line of a post


@dataclass(frozen=True, slots=True)
class ReportPart:
    """The report of one turn or, with `number` 0, the part after the last turn. `opening` is its heading, and `again`
    is the heading if it continues in another post. A post never ends inside one of the `units`."""

    number: int
    opening: str
    again: str
    units: Sequence[str]

    @property
    def whole(self) -> str:
        return "\n\n".join([self.opening, *self.units])


@dataclass(slots=True)
class Post:
    texts: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n\n".join(self.texts)

    def add(self, text: str, number: int) -> None:
        self.texts.append(text)
        if number not in self.numbers:
            self.numbers.append(number)


def cut_into_posts(parts: Sequence[ReportPart], limit: int) -> list[Post]:
    room = limit - ROOM_FOR_TITLE
    posts = [Post()]
    for part in parts:
        if _fits(posts[-1], part.whole, room):
            posts[-1].add(part.whole, part.number)
        elif len(part.whole) <= room:
            posts.append(Post([part.whole], [part.number]))
        else:
            _add_over_posts(posts, part, room)
    return [post for post in posts if post.texts]


def _fits(post: Post, text: str, room: int) -> bool:
    return len(post.text) + 2 + len(text) <= room


def _add_over_posts(posts: list[Post], part: ReportPart, room: int) -> None:
    opening = part.opening
    if posts[-1].texts:
        posts.append(Post())
    for unit in part.units:
        text = f"{opening}\n\n{unit}" if opening else unit
        if posts[-1].texts and not _fits(posts[-1], text, room):
            posts.append(Post())
            text = f"{part.again}\n\n{unit}"
        posts[-1].add(text, part.number)
        opening = ""
