"""Signed and encrypted mail. Signed content is opened and read; encrypted content cannot be read.

S/MIME signed-data (RFC 8551 section 3.5.2) wraps the text in a CMS structure without encrypting it. The text is taken
out of it.

The OpenPGP cleartext signature framework (RFC 9580 sections 6 and 7) puts marks around the text and dash-escapes its
lines. Both are undone, even if two people have signed, one around the other. Somebody who sends encrypted text is told
that it cannot be read. Signatures are not checked here, because a mail's token, its address and DKIM prove who sent it
(`bot.mail.authentication`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bot.mail.lines import PASSAGE_ENDS, Line

SIGNED_TYPES = ("application/pkcs7-mime", "application/x-pkcs7-mime")
MAX_SEALED = 1_000_000

_SEQUENCE, _OBJECT, _OCTETS, _CHUNKS, _EXPLICIT, _END = 0x30, 0x06, 0x04, 0x24, 0xA0, 0x00
_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")  # 1.2.840.113549.1.7.2
_INDEFINITE = 0x80
_MOST_NESTED = 8


def signed_content(data: bytes) -> bytes | None:
    """Return the mail part inside a signed-data structure. Return None if the structure is encrypted, detached, too
    large, or malformed."""
    if len(data) > MAX_SEALED:
        return None
    try:
        return _content(_Cursor(data))
    except (ValueError, IndexError):
        return None


def _content(cursor: _Cursor) -> bytes | None:
    cursor.enter(_SEQUENCE)
    if cursor.value(_OBJECT) != _SIGNED_DATA:
        return None
    cursor.enter(_EXPLICIT)
    cursor.enter(_SEQUENCE)
    cursor.skip()  # the version
    cursor.skip()  # the algorithms of the digests
    end = cursor.enter(_SEQUENCE)
    cursor.skip()  # the type of the content
    if cursor.is_at(end):  # the content is detached
        return None
    cursor.enter(_EXPLICIT)
    return b"".join(cursor.chunks())


class _Cursor:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def enter(self, tag: int) -> int | None:
        """Enter the element at this position, which must have this tag. Return where the element ends, or None if its
        length is indefinite."""
        found, end = self._head()
        if found != tag:
            raise ValueError("another element is here")
        return end

    def is_at(self, end: int | None) -> bool:
        return self._data[self._at : self._at + 2] == b"\0\0" if end is None else self._at >= end

    def value(self, tag: int) -> bytes:
        end = self.enter(tag)
        assert end is not None
        begin, self._at = self._at, end
        return self._data[begin:end]

    def skip(self) -> None:
        depth = 0
        while True:
            tag, end = self._head()
            if end is None:
                depth += 1
            elif tag == _END and depth:
                depth -= 1
            else:
                self._at = end
            if not depth:
                return

    def chunks(self, depth: int = 0) -> list[bytes]:
        if self._data[self._at] == _OCTETS:
            return [self.value(_OCTETS)]
        if depth > _MOST_NESTED:
            raise ValueError("chunks are nested too deep")
        end, found = self.enter(_CHUNKS), list[bytes]()
        while not self.is_at(end):
            found += self.chunks(depth + 1)
        if end is None:
            self._at += len(b"\0\0")
        return found

    def _head(self) -> tuple[int, int | None]:
        tag, length = self._data[self._at], self._data[self._at + 1]
        self._at += 2
        if tag & 0x1F == 0x1F:
            raise ValueError("no element of CMS has a tag of several bytes")
        if length == _INDEFINITE:
            if not tag & 0x20:
                raise ValueError("a primitive element has no end")
            return tag, None
        if length > _INDEFINITE:
            size = length - _INDEFINITE
            length = int.from_bytes(self._data[self._at : self._at + size], "big")
            self._at += size
        if (end := self._at + length) > len(self._data):
            raise ValueError("an element reaches beyond the end of the data")
        return tag, end


_ARMOR_MARK = re.compile(r"^\s*-{5}(BEGIN|END) PGP ([A-Z ]{3,40}?)-{5}\s*$")
_ARMOR_FIELD = re.compile(r"^[A-Za-z]{2,20}: ")


_MOST_AROUND = 3


class TextWithoutArmor(NamedTuple):
    lines: list[Line]
    encrypted: bool


def undressed(lines: Sequence[Line]) -> TextWithoutArmor:
    """Remove the armor and undo the dash-escaping.

    >>> undressed([Line("-----BEGIN PGP SIGNED MESSAGE-----"), Line("Hash: SHA256"), Line(""), Line("bid 4"),
    ...            Line("-----BEGIN PGP SIGNATURE-----"), Line("iQEz"), Line("-----END PGP SIGNATURE-----")]).lines
    [Line(text='bid 4', depth=0)]
    """
    found = TextWithoutArmor(list(lines), False)
    for _ in range(_MOST_AROUND):
        if not any(map(_mark, found.lines)):
            break
        inner = _remove_outermost(found.lines)
        found = TextWithoutArmor(inner.lines, found.encrypted or inner.encrypted)
    return found


def _mark(line: Line) -> re.Match[str] | None:
    return _ARMOR_MARK.match(line.text[:100]) if line.depth == 0 else None


def _remove_outermost(lines: Sequence[Line]) -> TextWithoutArmor:
    kept: list[Line] = []
    encrypted = signed = in_head = in_block = False
    for line in lines:
        if line == PASSAGE_ENDS:
            signed = in_head = in_block = False
        mark = _mark(line)
        if mark:
            begins, kind = mark.group(1) == "BEGIN", mark.group(2)
            encrypted = encrypted or (begins and kind == "MESSAGE")
            signed = in_head = begins and kind == "SIGNED MESSAGE"
            in_block = begins and not signed
        elif in_head:
            in_head = bool(_ARMOR_FIELD.match(line.text))
            if not in_head and line.text.strip():
                kept.append(line)
        elif not in_block or line.depth != 0:
            text = line.text.removeprefix("- ") if signed and line.depth == 0 else line.text
            kept.append(Line(text, line.depth))
    return TextWithoutArmor(kept, encrypted)
