"""A letter before it is laid out: a row of blocks that text, HTML and forum posts are all written from.

So all of them say the same. The words in the blocks are finished; ``text``, ``html`` and ``forum_posts`` only lay them
out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Title:
    """The headline of a letter: what changed, and ``below`` it in a line what that means."""

    text: str
    below: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """Opens a part of the letter; what comes ``after`` the title is not set as one. ``top`` is the first of a letter
    without a headline, and stands in its place."""

    text: str
    after: str = ""
    top: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running words. ``lead`` is what must be seen first, ``small`` what may be overlooked."""

    text: str
    tone: Literal["plain", "lead", "small"] = "plain"


@dataclass(frozen=True, slots=True)
class Quote:
    """Somebody else's words, set off so that they cannot pass for ours."""

    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A label and what belongs to it, one line each. ``orders`` says that the lines are orders, as they are sent."""

    label: str
    lines: tuple[str, ...]
    orders: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """Labels on the left, their lines on the right."""

    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """What happened: titles, and below each its sentences."""

    chapters: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; ``numeric`` are the columns set to the right. ``below`` holds for each row what stands under its first
    cells, across the whole width, or nothing; ``own`` is the number of the reader's row."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    below: tuple[str, ...] = ()
    own: int | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a battle: who, with how much, and how it went."""

    name: str
    score: str
    result: str

    @property
    def told(self) -> str:
        """All of it: "Guild 12 won", or "Guild won" where nobody counted."""
        return " ".join(filter(None, (self.name, self.score, self.result)))


@dataclass(frozen=True, slots=True)
class Fight:
    """A battle: where, what is to be known of it, its two sides, a line for each part of the plans (what it is, and
    what each side had), and what else happened there."""

    place: str
    about: str
    sides: tuple[Side, Side]
    rows: tuple[tuple[str, str, str], ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Button:
    """A link that opens a ready reply. In the text the same words stand in the form."""

    label: str
    link: str


@dataclass(frozen=True, slots=True)
class Buttons:
    """Ready replies that belong to no one question. The text has them in the form alone."""

    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """One thing that is wanted: in a few words, by when, the question, what silence means, what was ordered so far.
    ``more`` is said below the buttons where there are not as many as answers."""

    title: str
    details: tuple[str, ...]
    buttons: tuple[Button, ...] = ()
    more: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A line of the reader's mail, what became of it in one word, and why. ``order`` says that the first detail is an
    order in canonical words; ``buttons`` send the suggestions back, where these are complete."""

    line: str
    word: str
    tone: Literal["good", "bad", "plain"]
    details: tuple[str, ...]
    suggestions: tuple[str, ...] = ()
    order: bool = False
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class FormBlock:
    """The lines between the marks of a form, and the marks."""

    begin: str
    lines: tuple[str, ...]
    end: str


@dataclass(frozen=True, slots=True)
class Board:
    """The board: ``says`` tells what stands on no area, and who stands where. Where a letter shows the picture,
    the picture stands in the place of the rows, and has all of it as its words."""

    says: str
    rows: tuple[Row, ...]

    @property
    def alt(self) -> str:
        """All of it in one line, for who does not see the picture."""
        return " ".join([self.says, *(f"{row.label}: {', '.join(row.lines)}." for row in self.rows)])


@dataclass(frozen=True, slots=True)
class Footer:
    """The end of a letter: ready mails to the game master and for help, and in words what to send for them. ``pages``
    are addresses to read on, each with its name."""

    buttons: tuple[Button, ...]
    lines: tuple[str, ...]
    pages: tuple[Button, ...] = ()


Block = (
    Title | Heading | Paragraph | Quote | Rows | Story | Grid | Fight | Buttons | Ask | Verdict | FormBlock | Board
    | Footer
)  # fmt: skip


@dataclass(slots=True)
class Document:
    """A letter: its subject, a line that mail programs show beside it, and its blocks."""

    subject: str
    preview: str = ""
    blocks: list[Block] = field(default_factory=list)

    def add(self, *blocks: Block) -> None:
        self.blocks.extend(blocks)
