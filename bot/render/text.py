"""A letter as plain text of at most 78 columns, except for the lines of a form, which must not be broken."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from bot.render.blocks import (
    Ask,
    Block,
    Board,
    Button,
    Buttons,
    Document,
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

WIDTH = 78
INDENT = "  "
BAR = "  | "  # marks each line of another person's words
LONGEST_LABEL = 22


def as_text(document: Document) -> str:
    parts: list[str] = []
    before: Block | None = None
    for block in document.blocks:
        if isinstance(block, Buttons) and not _ready(block.buttons):
            continue
        if before is not None and not (isinstance(before, Heading) and not isinstance(block, FormBlock)):
            parts.append("")
        parts += _lines(block)
        before = block
    return "\n".join(line.rstrip() for line in parts) + "\n"


def wrap_text(text: str, first: str = "", others: str | None = None, width: int = WIDTH) -> list[str]:
    """Wrap the text at `width` columns. The first line is prefixed with `first`, and every other line with `others`. A
    word longer than a line is cut, except for an address, which may make a line too long."""
    return list(_wrapped(text, first, first if others is None else others, width))


@lru_cache(maxsize=4096)  # most texts of a letter also appeared in an earlier letter
def _wrapped(text: str, first: str, hanging: str, width: int) -> Sequence[str]:
    lines, line, filled = [], first, False
    for piece in text.split():
        for word in _cut(piece, width - max(len(first), len(hanging))):
            if not filled:
                line, filled = line + word, True
            elif _columns(line) + 1 + _columns(word) <= width:
                line += " " + word
            else:
                lines.append(line)
                line = hanging + word
    return [*lines, line] if filled else lines


def _cut(word: str, width: int) -> list[str]:
    if _columns(word) <= width or "://" in word or "@" in word:
        return [word]
    pieces = [""]
    for character in word:
        if _columns(pieces[-1] + character) > width:
            pieces.append("")
        pieces[-1] += character
    return pieces


def _columns(text: str) -> int:
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.category(character) in ("Mn", "Me", "Cf") for character in text)


def _lines(block: Block) -> list[str]:
    match block:
        case Title(text, below):
            lines = wrap_text(text)
            return [*lines, "=" * max(map(len, lines), default=0), *wrap_text(below)]
        case Heading(text, after):
            return wrap_text(f"{text.upper()} {after}")
        case Part(text, blocks, _, after):
            return as_text(Document("", blocks=[Heading(text, after), *blocks])).splitlines()
        case List(items):
            return [line for item in items for line in wrap_text(str(item), "- ", INDENT)]
        case Paragraph(text):
            return [line for piece in text.split("\n") for line in wrap_text(piece) or [""]]
        case Quote(text):
            return [line for piece in text.split("\n") for line in wrap_text(piece, BAR) or [BAR]]
        case Rows():
            return _rows(block)
        case Fields(rows):
            return _rows(Rows(rows))
        case Race():
            return wrap_text(block.told)
        case Story(chapters):
            return [line for chapter in chapters for line in (chapter.label, *_sentences(chapter.lines))]
        case Table():
            return _table(block)
        case Fight():
            return _fight(block)
        case Due(by, silent):
            return wrap_text(f"{by} {silent}")
        case Ask(title, details):
            lines = wrap_text(title, "* ", INDENT)
            return lines + [line for detail in details for line in wrap_text(detail, INDENT)] + _ready(block.buttons)
        case Buttons(buttons):
            return _ready(buttons)
        case Verdict():
            return _verdict(block)
        case FormBlock(begin, form, end):
            return [begin, *form, end]
        case Board(says, rows):
            return [*wrap_text(says), "", *_rows(Rows(rows))]
        case Footer(_, said, pages):
            lines = [line for piece in said for line in wrap_text(piece)]
            return lines + [line for page in pages for line in wrap_text(f"{page.label} {page.link}")]


def _ready(buttons: Sequence[Button]) -> list[str]:
    return _rows(Rows(tuple(Row(button.label, (button.line,)) for button in buttons if button.line)))


def _rows(block: Rows) -> list[str]:
    if not block.rows:
        return []
    width = min(max(len(row.label) for row in block.rows), LONGEST_LABEL) + 2
    hanging = INDENT + " " * width
    found: list[str] = []
    for row in block.rows:
        lines = [wrap_text(text, hanging, hanging + INDENT) or [""] for text in row.lines or ("",)]
        flat = [line for piece in lines for line in piece]
        if len(row.label) > LONGEST_LABEL:
            found.append(INDENT + row.label)
        else:
            flat[0] = f"{INDENT}{row.label:{width}}{flat[0].strip()}"
        found += flat
    return found


def _sentences(sentences: tuple[str, ...]) -> list[str]:
    return [line for sentence in sentences for line in wrap_text(sentence, INDENT, INDENT + INDENT)]


def _table(block: Table) -> list[str]:
    table = [block.head, *([str(cell) for cell in row] for row in block.rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(block.head))]
    below = ("", *(block.below or ("",) * len(block.rows)))
    found: list[str] = []
    for row, under in zip(table, below, strict=True):
        cells = [
            f"{cell:>{widths[column]}}" if column in block.numeric else f"{cell:{widths[column]}}"
            for column, cell in enumerate(row)
        ]
        found.append(INDENT + "  ".join(cells))
        found += wrap_text(under, INDENT + INDENT)
    return found


def _fight(block: Fight) -> list[str]:
    heads = ["", *(side.told for side in block.sides)]
    table = [heads, *block.rows]
    label, first, second = (max(len(row[column]) for row in table) for column in range(3))
    aligned = len(INDENT) + label + first + second + 4 <= WIDTH
    found = [block.place, *wrap_text(block.about, INDENT)]
    for name, one, other in table:
        if aligned:
            found.append(f"{INDENT}{name:{label}}  {one:{first}}  {other}")
        else:
            found += wrap_text(f"{name:{label}}  {one} | {other}", INDENT, INDENT + " " * (label + 2))
    return found + [line for remark in block.remarks for line in wrap_text(remark, INDENT, INDENT + INDENT)]


def _verdict(block: Verdict) -> list[str]:
    lines = [line for row in block.line.splitlines() for line in wrap_text(row, INDENT, INDENT + INDENT)]
    first, *others = block.details or ("",)
    hanging = " " * 16
    word = f"      {block.word:9} "
    lines += wrap_text(first, word, hanging) or [word]
    for detail in others:
        lines += wrap_text(detail, hanging)
    for suggestion in block.suggestions:
        lines += wrap_text(suggestion, hanging + INDENT)
    return lines
