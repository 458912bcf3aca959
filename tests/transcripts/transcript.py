"""A transcript: named pieces of text, kept in a file, and how two of them differ.

A piece is a heading ("to guild@players.example: Turn 1, storm") and a text. Headings need not differ from each other.
In a file a heading stands behind a mark of its own; whole transcripts are compressed, as letters repeat much.
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
    """A part of a transcript that is compared by itself."""

    heading: str
    text: str


def kept_file(name: str) -> Path:
    """Return the file that holds the transcript of a game."""
    return KEPT / f"{name}.txt.xz"


def as_text(pieces: Iterable[Piece]) -> str:
    """A transcript as it is read, and as it lies in its file.

    >>> as_text([Piece("to guild", "storm 3")])
    '━━━ to guild\\nstorm 3\\n'
    """
    return "".join(f"{_MARK}{_one_line(heading)}\n{_set_in(text)}\n" for heading, text in pieces)


def as_pieces(text: str) -> list[Piece]:
    """The other way round.

    >>> as_pieces("━━━ to guild\\nstorm 3\\n")
    [Piece(heading='to guild', text='storm 3')]
    """
    parts = ("\n" + text.removesuffix("\n")).split(f"\n{_MARK}")[1:]
    return [Piece(*part.partition("\n")[::2]) for part in parts]


def read(name: str) -> list[Piece] | None:
    """The kept transcript of a game; None if there is none yet."""
    file = kept_file(name)
    return as_pieces(lzma.decompress(file.read_bytes()).decode()) if file.exists() else None


def keep(name: str, pieces: Iterable[Piece]) -> int:
    """Keep a transcript, and say how many bytes its file has."""
    content = lzma.compress(as_text(pieces).encode(), preset=9 | lzma.PRESET_EXTREME)
    KEPT.mkdir(exist_ok=True)
    return kept_file(name).write_bytes(content)


def differences(before: Sequence[Piece], after: Sequence[Piece]) -> Iterator[str]:
    """Where a transcript is another one than before: for each piece that is new, gone or changed a few lines, the
    heading first. They come in the order of the transcript and are made one by one, so that the first are there soon
    however much has changed."""
    before, after = _read_back(before), _read_back(after)
    start = _same(before, after)
    end = _same(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    for gone, come in _blocks([hash(piece) for piece in old], [hash(piece) for piece in new]):
        yield from _changes(old[gone], new[come])


def _changes(old: Sequence[Piece], new: Sequence[Piece]) -> Iterator[str]:
    """The differences of two rows of pieces that have none in common; those with the same heading belong together."""
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
    """The parts in which two rows differ."""
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield slice(a, b), slice(c, d)


def _same(one: Sequence[Piece], other: Sequence[Piece]) -> int:
    """How many pieces two rows have in common from their beginning."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _read_back(pieces: Iterable[Piece]) -> list[Piece]:
    """As they will be read from a file."""
    return [Piece(_one_line(heading), _set_in(text)) for heading, text in pieces]


def _one_line(heading: str) -> str:
    return " ".join(heading.split())


def _set_in(text: str) -> str:
    """A text in which no line can be taken for a heading."""
    return ("\n" + text).replace(f"\n{_MARK}", f"\n {_MARK}")[1:]


def _quoted(sign: str, text: str) -> str:
    return "\n".join(sign + line for line in text.split("\n"))
