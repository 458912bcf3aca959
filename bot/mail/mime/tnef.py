"""The text in a winmail.dat, which Outlook sends in place of a mail to people it takes for users of Outlook.

A TNEF stream (MS-OXTNEF) is a row of attributes, one of which may hold the body, and one the MAPI properties, which may
hold it as well (MS-OXCDATA section 2.11). Only those are looked at; a body that is there as compressed RTF alone
is not read. Everything is bounded by the length of the stream: no count in it is believed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from bot.mail.mime.charset import decode_bytes

TYPES = ("application/ms-tnef", "application/vnd.ms-tnef")
MAX_TNEF = 1_000_000

_SIGNATURE = 0x223E9F78
_BODY, _PROPERTIES = 0x800C, 0x9003
_TEXT, _HTML = 0x1000, 0x1013
_STRING, _UNICODE, _OBJECT, _BINARY = 0x001E, 0x001F, 0x000D, 0x0102
_FIXED = {0x0002: 4, 0x0003: 4, 0x0004: 4, 0x0005: 8, 0x0006: 8, 0x0007: 8, 0x000A: 4, 0x000B: 4, 0x0014: 8,
          0x0040: 8, 0x0048: 16}  # fmt: skip
_SEVERAL = 0x1000
_NAMED = 0x8000


class TnefText(NamedTuple):
    """The body of the mail, plain and HTML; empty where there is none."""

    plain: str
    html: str


def tnef_text(data: bytes) -> TnefText:
    """The text of the mail in a TNEF stream; never raises."""
    found = {_TEXT: "", _HTML: ""}
    try:
        for name, value in _attributes(data[:MAX_TNEF]):
            if name == _BODY:
                found[_TEXT] = found[_TEXT] or _text(value, "")
            elif name == _PROPERTIES:
                for identity, kind, content in _properties(value):
                    if identity in found:
                        found[identity] = _text(content, "utf-16-le" if kind == _UNICODE else "") or found[identity]
    except (struct.error, ValueError):  # the stream ends in the middle, or is none
        pass
    return TnefText(found[_TEXT], found[_HTML])


def _text(value: bytes, charset: str) -> str:
    return decode_bytes(value, charset).rstrip("\0").replace("\r\n", "\n").replace("\r", "\n")


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(name, value) of each attribute: level, name, type, length, the value, and a checksum that is not looked at."""
    if struct.unpack_from("<I", data)[0] != _SIGNATURE:
        raise ValueError("no TNEF stream")
    place = 6
    while place + 11 <= len(data):
        _, name, _, length = struct.unpack_from("<BHHI", data, place)
        yield name, data[place + 9 : place + 9 + length]
        place += 9 + length + 2


def _properties(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """(id, type, value) of each MAPI property; stops at one whose type is not known, as its length is not either.
    struct.error where they end before their number is reached."""
    (count,) = struct.unpack_from("<I", data)
    place = 4
    for _ in range(count):
        kind, identity = struct.unpack_from("<HH", data, place)
        place += 4
        if identity >= _NAMED:
            place = _after_name(data, place)
        several = kind & _SEVERAL
        kind &= ~_SEVERAL
        if kind in _FIXED:
            values = struct.unpack_from("<I", data, place)[0] if several else 1
            place += (4 if several else 0) + values * _FIXED[kind]
        elif kind in (_STRING, _UNICODE, _OBJECT, _BINARY):
            (values,) = struct.unpack_from("<I", data, place)
            place += 4
            for _ in range(values):
                (length,) = struct.unpack_from("<I", data, place)
                yield identity, kind, data[place + 4 : place + 4 + length]
                place += 4 + length + (-length % 4)
        else:
            return


def _after_name(data: bytes, place: int) -> int:
    """Where the value of a named property begins: behind its GUID, and its number or its name."""
    (named_by,) = struct.unpack_from("<I", data, place + 16)
    place += 20
    if named_by == 0:
        return place + 4
    length = int(struct.unpack_from("<I", data, place)[0])
    return place + 4 + length + (-length % 4)
