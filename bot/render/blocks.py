"""The blocks from which letters, forum posts and pages of the archive are laid out.

Because all of these are made from the same blocks, they have the same content. The words in the blocks are final;
`text`, `html`, `forum_posts` and `bot.archive.html` only lay them out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec


class Link(msgspec.Struct, frozen=True):
    words: str
    to: str

    def __str__(self) -> str:
        return self.words


class Name(msgspec.Struct, frozen=True):
    """A player's name, in any writing direction. Lines may break anywhere in it, and it may link `to` a page about the
    player."""

    words: str
    to: str = ""

    def __str__(self) -> str:
        return self.words


Cell = str | Link | Name


class Title(msgspec.Struct, frozen=True):
    text: str
    below: str = ""


class Heading(msgspec.Struct, frozen=True):
    text: str
    after: str = ""


class Paragraph(msgspec.Struct, frozen=True):
    """A paragraph of text. A `lead` paragraph must catch the eye first; a `small` one may be overlooked."""

    text: str
    tone: Literal["plain", "lead", "small"] = "plain"


class Quote(msgspec.Struct, frozen=True):
    text: str


class Row(msgspec.Struct, frozen=True):
    """A label and its lines. `orders` is true if the lines are orders, written as they are sent. `alone` holds the
    numbers of the lines that only the reader may see. Links reach the row by its `id`."""

    label: str
    lines: tuple[str, ...]
    orders: bool = False
    alone: frozenset[int] = frozenset()
    id: str = ""


class Rows(msgspec.Struct, frozen=True):
    rows: tuple[Row, ...]
    running: bool = False  # on a page, each label begins its lines instead of being in a separate column


class Mark(msgspec.Struct, frozen=True):
    """A coloured box. On a page it links `to` an address, and `said` gives its meaning in words."""

    faction: str = ""
    text: str = ""
    to: str = ""
    said: str = ""


class Fields(msgspec.Struct, frozen=True):
    """Rows of coloured boxes; the lines of each row repeat the content in words. A box has a faction's colour, and
    shows the faction's letter and a text ("A 10").

    Without `head`, each row is a tile: one box with its label, and `below` under it. With `head`, each row is a strip
    with one box for each entry of `head`.
    """

    rows: tuple[Row, ...]
    marks: tuple[tuple[Mark, ...], ...]
    below: tuple[str, ...] = ()
    head: tuple[str, ...] = ()


class Runner(msgspec.Struct, frozen=True):
    name: str
    has: int
    needs: int
    said: str


class Race(msgspec.Struct, frozen=True):
    label: str
    runners: tuple[Runner, ...]

    @property
    def told(self) -> str:
        return f"{self.label}: {'; '.join(f'{one.name} {one.said}' for one in self.runners)}."


class Story(msgspec.Struct, frozen=True):
    chapters: tuple[Row, ...]


class Table(msgspec.Struct, frozen=True):
    """A table. On a page the first column holds the headings of the rows, `ids` name the rows, and a screen reader
    reads out the `caption`.

    `numeric` columns are aligned to the right. `below` has, for each row, a full-width text to show below it, or "".
    `own` is the number of the reader's own row.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    numeric: frozenset[int] = frozenset()
    below: Sequence[str] = ()
    own: int | None = None
    caption: str = ""
    ids: Sequence[str] = ()


class List(msgspec.Struct, frozen=True):
    """A list of words and links. The `kind` "links" puts them in a row, and "doors" in a column. With "buttons", the
    first one is filled with colour."""

    items: Sequence[Cell]
    kind: Literal["", "links", "doors", "buttons", "story"] = ""


class Part(msgspec.Struct, frozen=True):
    """A part of a page under its own heading, which links reach by its `id`. If it `flows`, it is set in two columns on
    paper; if it is `folded`, it stays closed until the reader opens it at its heading."""

    title: str
    blocks: Sequence[Block]
    id: str = ""
    after: str = ""
    flows: bool = False
    folded: bool = False


class Side(msgspec.Struct, frozen=True):
    name: str
    score: str
    result: str

    @property
    def told(self) -> str:
        """Return the side in words: "Guild 12 won", or "Guild won" if no strengths were compared."""
        return " ".join(filter(None, (self.name, self.score, self.result)))


class Fight(msgspec.Struct, frozen=True):
    """A battle: its place, a note about it, its two sides, and remarks. Each of its `rows` names a part of the battle
    plans and what each side played for it."""

    place: str
    about: str
    sides: tuple[Side, Side]
    rows: tuple[tuple[str, str, str], ...]
    remarks: tuple[str, ...] = ()
    id: str = ""


class Button(msgspec.Struct, frozen=True):
    """A link to a prepared reply. The text version shows `line`; if that is empty, the form has the same words."""

    label: str
    link: str
    line: str = ""


class Buttons(msgspec.Struct, frozen=True):
    """Prepared replies that belong to no particular question. If one of them is the `main` answer, it comes first."""

    buttons: tuple[Button, ...]
    main: bool = True


class Due(msgspec.Struct, frozen=True):
    """A bar below the headline: the deadline in the reader's time zone, and the default if they do not answer."""

    by: str
    silent: str


class Ask(msgspec.Struct, frozen=True):
    """A decision for the reader. `title` is the question, or "" if the headline already asks it; `details` follow. The
    first button is the main answer. If some answers have no button, `more` follows the buttons and says so."""

    title: str
    details: tuple[str, ...]
    buttons: tuple[Button, ...] = ()
    more: str = ""


class Verdict(msgspec.Struct, frozen=True):
    """A line of the reader's mail, its outcome in one word, and the reason. `order` is true if the first of the
    `details` is an order in canonical words. `buttons` send the suggestions that are complete."""

    line: str
    word: str
    tone: Literal["good", "bad", "plain"]
    details: tuple[str, ...]
    suggestions: tuple[str, ...] = ()
    order: bool = False
    buttons: tuple[Button, ...] = ()


class FormBlock(msgspec.Struct, frozen=True):
    begin: str
    lines: tuple[str, ...]
    end: str


class Board(msgspec.Struct, frozen=True):
    """The board: `rows` describe the contents of the areas, and `says` describes everything outside them.

    If a letter shows the picture, the picture replaces the rows, and its alternative text contains them all. A page
    shows the pieces as a `drawing` (SVG) laid over the picture of the `ground`.
    """

    says: str
    rows: tuple[Row, ...]
    drawing: str = ""
    ground: str = ""
    caption: Cell = ""

    @property
    def alt(self) -> str:
        return " ".join([self.says, *(f"{row.label}: {', '.join(row.lines)}." for row in self.rows)])


class Footer(msgspec.Struct, frozen=True):
    """The end of a letter: buttons that open a mail to the game master or for help, with the same content in words.
    `pages` are links to pages for further reading."""

    buttons: tuple[Button, ...]
    lines: tuple[str, ...]
    pages: tuple[Button, ...] = ()


Block = (
    Title | Heading | Part | Paragraph | Quote | Rows | Fields | Race | Story | Table | List | Fight | Board | Buttons
    | Due | Ask | Verdict | FormBlock | Footer
)  # fmt: skip


class Document(msgspec.Struct):
    subject: str
    preview: str = ""
    blocks: list[Block] = []

    def add(self, *blocks: Block) -> None:
        self.blocks.extend(blocks)
