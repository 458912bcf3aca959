"""A letter before it is laid out: a row of blocks that text, HTML and forum posts are all written from.

So all of them say the same. The words in the blocks are finished; ``plain``, ``page`` and ``forum`` only lay them out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Heading:
    """Opens a part of the letter; what comes ``after`` the title is not set as one."""

    text: str
    after: str = ""


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
    """A label and what belongs to it, one line each."""

    label: str
    lines: tuple[str, ...]


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
    """A table; ``numeric`` are the columns set to the right."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()


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
    """One thing that is wanted: in a few words, by when, the question, what silence means, what was ordered so far."""

    title: str
    details: tuple[str, ...]
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """A line of the reader's mail, what became of it in one word, and why. ``buttons`` send the suggestions back, where
    these are complete."""

    line: str
    word: str
    tone: Literal["good", "bad", "plain"]
    details: tuple[str, ...]
    suggestions: tuple[str, ...] = ()
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class FormBlock:
    """The lines between the marks of a form, and the marks."""

    begin: str
    lines: tuple[str, ...]
    end: str


@dataclass(frozen=True, slots=True)
class Board:
    """The place of the picture; ``alt`` says in words what it shows."""

    alt: str


Block = Heading | Paragraph | Quote | Rows | Story | Grid | Buttons | Ask | Verdict | FormBlock | Board


@dataclass(slots=True)
class Document:
    """A letter: its subject, a line that mail programs show beside it, and its blocks."""

    subject: str
    preview: str = ""
    blocks: list[Block] = field(default_factory=list)

    def add(self, *blocks: Block) -> None:
        self.blocks.extend(blocks)
