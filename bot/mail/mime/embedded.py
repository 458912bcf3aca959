"""Files that stand in the text of a mail itself: uuencoded (POSIX) or yEnc, as news readers and old programs send them.

Their rows are not words of anybody. A file with a text's name is read as an attached one; the others are named.
"""

from __future__ import annotations

import binascii
import re
from typing import NamedTuple

MAX_FILES = 10

_UU_BEGIN = re.compile(r"begin(?:-base64)? [0-7]{3,4} (\S[^\n]{0,200})")
_YENC_BEGIN = re.compile(r"=ybegin [^\n]{0,200}?name=([^\n]{1,200})")
_UU_ROW = re.compile(r"[ -`]{1,90}")


class EmbeddedFile(NamedTuple):
    """A file found in a text; `content` is empty where it is not worth decoding."""

    name: str
    content: bytes


def without_files(text: str) -> tuple[str, list[EmbeddedFile]]:
    """The text without the files in it, and the files.

    >>> without_files("bid 4\\nbegin 644 a.txt\\n$<&%S<P``\\n`\\nend\\nno move")
    ('bid 4\\nno move', [EmbeddedFile(name='a.txt', content=b'pass')])
    """
    if "\nend" not in text and "\n=yend" not in text:
        return text, []
    rows = text.split("\n")
    kept: list[str] = []
    files: list[EmbeddedFile] = []
    position = 0
    while position < len(rows):
        end = _end_of_file(rows, position) if len(files) < MAX_FILES else None
        if end is None:
            kept.append(rows[position])
            position += 1
            continue
        begin = _UU_BEGIN.fullmatch(rows[position].rstrip())
        yenc = _YENC_BEGIN.match(rows[position])
        if begin:
            files.append(EmbeddedFile(begin.group(1), _decoded(rows[position + 1 : end])))
        elif yenc:
            files.append(EmbeddedFile(yenc.group(1).strip(), b""))
        position = end + 1
    return "\n".join(kept), files


def _end_of_file(rows: list[str], start: int) -> int | None:
    """The row that ends a file which begins here; None where none begins. Anything that is no row of a file in between
    shows that the words were a person's."""
    if _YENC_BEGIN.match(rows[start]):
        return next((index for index in range(start + 1, len(rows)) if rows[index].startswith("=yend ")), None)
    if not _UU_BEGIN.fullmatch(rows[start].rstrip()):
        return None
    for index in range(start + 1, len(rows)):
        row = rows[index].rstrip("\r")
        if row.rstrip() == "end":
            return index if index > start + 1 else None
        if row.rstrip() and not (_UU_ROW.fullmatch(row) and _fits(row)):
            return None
    return None


def _fits(row: str) -> bool:
    """Whether the first sign of a row says about how long the row is, as every uuencoded row does."""
    coded = (((ord(row[0]) - 32) & 63) + 2) // 3 * 4
    return len(row.rstrip()) - 1 <= coded + 2 and len(row) - 1 <= coded + 6


def _decoded(rows: list[str]) -> bytes:
    pieces = []
    for row in filter(None, (row.rstrip("\r\n") for row in rows)):  # an empty one would be taken for 32 zeros
        try:
            pieces.append(binascii.a2b_uu(row))
        except binascii.Error:
            continue
    return b"".join(pieces)
