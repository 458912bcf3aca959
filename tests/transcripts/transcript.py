"""Transcripts: pieces of text with headings, stored in a file, and their differences.

A piece is a heading ("to guild@players.example: Turn 1, storm") and a text. Several pieces may have the same heading.
In the file, a special mark precedes each heading. Transcripts are compressed, because letters are repetitive.
"""

from __future__ import annotations

import difflib
import lzma
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

KEPT = Path(__file__).parent / "kept"
_MARK = "━━━ "
_CONTEXT = 2


class Piece(NamedTuple):
    """A part of a transcript that is compared separately."""

    heading: str
    text: str


def kept_file(name: str) -> Path:
    """Return the file that holds the transcript of a game."""
    return KEPT / f"{name}.txt.xz"


def as_text(pieces: Iterable[Piece]) -> str:
    """Return a transcript in the form in which it is stored.

    >>> as_text([Piece("to guild", "storm 3")])
    '━━━ to guild\\nstorm 3\\n'
    """
    return "".join(f"{_MARK}{_one_line(heading)}\n{_set_in(text)}\n" for heading, text in pieces)


def as_pieces(text: str) -> list[Piece]:
    """Parse a stored transcript.

    >>> as_pieces("━━━ to guild\\nstorm 3\\n")
    [Piece(heading='to guild', text='storm 3')]
    """
    parts = ("\n" + text.removesuffix("\n")).split(f"\n{_MARK}")[1:]
    return [Piece(*part.partition("\n")[::2]) for part in parts]


def read(name: str) -> list[Piece] | None:
    """Return the kept transcript of a game, or None if there is none yet."""
    file = kept_file(name)
    return as_pieces(lzma.decompress(file.read_bytes()).decode()) if file.exists() else None


def keep(name: str, pieces: Iterable[Piece]) -> int:
    """Store a transcript, and return the size of its file in bytes."""
    content = lzma.compress(as_text(pieces).encode(), preset=9 | lzma.PRESET_EXTREME)
    KEPT.mkdir(exist_ok=True)
    return kept_file(name).write_bytes(content)


def differences(before: Sequence[Piece], after: Sequence[Piece]) -> Iterator[str]:
    """Yield the differences between two transcripts: for each piece that is new, gone or changed, its heading and a few
    lines. They are in transcript order and computed one at a time, so the first appear quickly."""
    before, after = _read_back(before), _read_back(after)
    start = _same(before, after)
    end = _same(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    for gone, come in _blocks([hash(piece) for piece in old], [hash(piece) for piece in new]):
        yield from _changes(old[gone], new[come])


def _changes(old: Sequence[Piece], new: Sequence[Piece]) -> Iterator[str]:
    """Yield the differences between two lists without common pieces. Pieces with the same heading are compared."""
    matcher = difflib.SequenceMatcher(None, [one.heading for one in old], [one.heading for one in new], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal" or (kind == "replace" and b - a == d - c):
            for one, other in zip(old[a:b], new[c:d], strict=True):
                yield _changed(one, other)
        else:
            yield from (f"GONE     {heading}\n{_quoted('-', text)}" for heading, text in old[a:b])
            yield from (f"NEW      {heading}\n{_quoted('+', text)}" for heading, text in new[c:d])


def _changed(old: Piece, new: Piece) -> str:
    heading = f"CHANGED  {new.heading}"
    if old.heading != new.heading:
        heading = f"CHANGED  {old.heading}\n     now {new.heading}"
    lines = difflib.unified_diff(old.text.split("\n"), new.text.split("\n"), lineterm="", n=_CONTEXT)
    return "\n".join([heading, *list(lines)[2:]])


def _blocks(old: Sequence[int], new: Sequence[int]) -> Iterator[tuple[slice, slice]]:
    """Yield the parts in which two lists differ."""
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield slice(a, b), slice(c, d)


def _same(one: Sequence[Piece], other: Sequence[Piece]) -> int:
    """Return the number of pieces that two lists have in common at their start."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _read_back(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the pieces as they would be read from a file."""
    return [Piece(_one_line(heading), _set_in(text)) for heading, text in pieces]


def _one_line(heading: str) -> str:
    return " ".join(heading.split())


def _set_in(text: str) -> str:
    """Return a text in which no line can be mistaken for a heading."""
    return ("\n" + text).replace(f"\n{_MARK}", f"\n {_MARK}")[1:]


def _quoted(sign: str, text: str) -> str:
    return "\n".join(sign + line for line in text.split("\n"))
