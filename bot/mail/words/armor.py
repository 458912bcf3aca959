"""OpenPGP inside a text: what is signed in clear is read, what is encrypted is said to be (RFC 9580 sections 6 and 7).

A clear signature wraps the text in marks and puts `- ` before lines that begin with a dash; both are undone, also where
two have signed, one around the other. Whether a signature fits is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bot.mail.words.lines import Line

_MARK = re.compile(r"^\s*-{5}(BEGIN|END) PGP ([A-Z ]{3,40}?)-{5}\s*$")
_FIELD = re.compile(r"^[A-Za-z]{2,20}: ")


_MOST_AROUND = 3
"""So many signatures around one another are undone."""


class Undressed(NamedTuple):
    """The lines without any armor; `encrypted` says whether there was a block that cannot be read."""

    lines: list[Line]
    encrypted: bool


def undressed(lines: Sequence[Line]) -> Undressed:
    """
    >>> undressed([Line("-----BEGIN PGP SIGNED MESSAGE-----"), Line("Hash: SHA256"), Line(""), Line("bid 4"),
    ...            Line("-----BEGIN PGP SIGNATURE-----"), Line("iQEz"), Line("-----END PGP SIGNATURE-----")]).lines
    [Line(text='bid 4', depth=0)]
    """
    found = _undressed(lines)
    for _ in range(_MOST_AROUND - 1):
        if not any(map(_mark, found.lines)):
            break
        inner = _undressed(found.lines)
        found = Undressed(inner.lines, found.encrypted or inner.encrypted)
    return found


def _mark(line: Line) -> re.Match[str] | None:
    return _MARK.match(line.text[:100]) if line.depth == 0 else None


def _undressed(lines: Sequence[Line]) -> Undressed:
    kept: list[Line] = []
    encrypted = signed = in_head = in_block = False
    for line in lines:
        mark = _mark(line)
        if mark:
            begins, kind = mark.group(1) == "BEGIN", mark.group(2)
            encrypted = encrypted or (begins and kind == "MESSAGE")
            signed = in_head = begins and kind == "SIGNED MESSAGE"
            in_block = begins and not signed
        elif in_head:
            in_head = bool(_FIELD.match(line.text))
            if not in_head and line.text.strip():
                kept.append(line)
        elif not in_block or line.depth != 0:
            text = line.text.removeprefix("- ") if signed and line.depth == 0 else line.text
            kept.append(Line(text, line.depth))
    return Undressed(kept, encrypted)
