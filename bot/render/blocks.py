"""A letter before it is laid out: a sequence of blocks from which text, HTML and forum posts are all written.

So all of them say the same. The words in the blocks are final; `text`, `html` and `forum_posts` only lay them out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Title:
    """The headline of a letter: what changed, with its meaning in one line `below`."""

    text: str
    below: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a part of the letter; `after` is set in plain type. `top` marks the first heading of a letter
    without a headline, which it replaces."""

    text: str
    after: str = ""
    top: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text. `lead` must be seen first; `small` may be overlooked."""

    text: str
    tone: Literal["plain", "lead", "small"] = "plain"


@dataclass(frozen=True, slots=True)
class Quote:
    """Somebody else's words, set off so that they cannot pass for ours."""

    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A label and its lines. `orders` says that the lines are orders, as they are sent."""

    label: str
    lines: tuple[str, ...]
    orders: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    rows: tuple[Row, ...]
    running: bool = False  # on a page, labels open their lines instead of having a column of their own


@dataclass(frozen=True, slots=True)
class Mark:
    faction: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Fields:
    """Rows with coloured fields for the eye; the lines of a row say the same in words. A field shows the letter of a
    faction on its colour and a text ("A 10").

    As tiles, each row is one field with its label and `below`; else each row is a strip with a field for each of
    `head`.
    """

    rows: tuple[Row, ...]
    marks: tuple[tuple[Mark, ...], ...]
    below: tuple[str, ...] = ()
    head: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Runner:
    name: str
    has: int
    needs: int
    said: str


@dataclass(frozen=True, slots=True)
class Race:
    label: str
    runners: tuple[Runner, ...]

    @property
    def told(self) -> str:
        return f"{self.label}: {'; '.join(f'{one.name} {one.said}' for one in self.runners)}."


@dataclass(frozen=True, slots=True)
class Story:
    chapters: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    `numeric` columns are aligned to the right. `below` holds for each row the text below its first cells, across the
    whole width, or "". `own` is the number of the reader's row.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    below: tuple[str, ...] = ()
    own: int | None = None


@dataclass(frozen=True, slots=True)
class Side:
    name: str
    score: str
    result: str

    @property
    def told(self) -> str:
        """Return the side in words: "Guild 12 won", or "Guild won" if nobody counted."""
        return " ".join(filter(None, (self.name, self.score, self.result)))


@dataclass(frozen=True, slots=True)
class Fight:
    """A battle: its place, a note about it, its two sides, a row for each part of the plans (the part, and what each
    side had), and remarks."""

    place: str
    about: str
    sides: tuple[Side, Side]
    rows: tuple[tuple[str, str, str], ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Button:
    """A link that opens a ready reply. In the text version the form has the same words."""

    label: str
    link: str


@dataclass(frozen=True, slots=True)
class Buttons:
    """Ready replies that belong to no single question. The text version has them only in the form."""

    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing that the reader must decide: a title, the deadline, the question, the default, and their orders so far.

    `more` follows the buttons if there are fewer buttons than answers.
    """

    title: str
    details: tuple[str, ...]
    buttons: tuple[Button, ...] = ()
    more: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A line of the reader's mail, its outcome in one word, and why.

    `order` says that the first detail is an order in canonical words. `buttons` send the suggestions that are complete.
    """

    line: str
    word: str
    tone: Literal["good", "bad", "plain"]
    details: tuple[str, ...]
    suggestions: tuple[str, ...] = ()
    order: bool = False
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class FormBlock:
    begin: str
    lines: tuple[str, ...]
    end: str


@dataclass(frozen=True, slots=True)
class Board:
    """The board: `says` has what stands on no area, `rows` who stands where.

    Where a letter shows the picture, it replaces the rows and has all of them as its alternative text.
    """

    says: str
    rows: tuple[Row, ...]

    @property
    def alt(self) -> str:
        return " ".join([self.says, *(f"{row.label}: {', '.join(row.lines)}." for row in self.rows)])


@dataclass(frozen=True, slots=True)
class Footer:
    """The end of a letter: ready mails to the game master and for help, and in words what to send for them.

    `pages` are named addresses for further reading.
    """

    buttons: tuple[Button, ...]
    lines: tuple[str, ...]
    pages: tuple[Button, ...] = ()


Block = (
    Title | Heading | Paragraph | Quote | Rows | Fields | Race | Story | Grid | Fight | Buttons | Ask | Verdict
    | FormBlock | Board | Footer
)  # fmt: skip


@dataclass(slots=True)
class Document:
    """A letter: its subject, the preview line that mail programs show beside it, and its blocks."""

    subject: str
    preview: str = ""
    blocks: list[Block] = field(default_factory=list)

    def add(self, *blocks: Block) -> None:
        self.blocks.extend(blocks)
