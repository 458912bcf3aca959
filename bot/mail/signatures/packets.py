"""OpenPGP packets and their armor, as far as a signature or a public key is made of them (RFC 9580 sections 4 and 6).

Everything here is bounded by the length of what it is given, and raises ValueError for what is no OpenPGP. Nothing is
unpacked: neither a signature nor a key has a reason to be compressed.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import NamedTuple

SIGNATURE, PUBLIC_KEY, USER_ID, PUBLIC_SUBKEY = 2, 6, 13, 14
MOST_PACKETS = 400

_BLOCK = re.compile(
    rb"-----BEGIN PGP (?:SIGNATURE|PUBLIC KEY BLOCK|MESSAGE)-----[ \t]*\r?\n(.*?)(?:\n[ \t]*-----END PGP|\Z)", re.DOTALL
)
_FIELD = re.compile(rb"[A-Za-z]{2,20}:")


class Packet(NamedTuple):
    tag: int
    body: bytes


def packets(data: bytes) -> list[Packet]:
    """The packets in these bytes, armored or not. ValueError for anything else, and for nothing.

    >>> packets(bytes([0xCD, 3]) + b"Leo")
    [Packet(tag=13, body=b'Leo')]
    """
    binary = b"".join(map(_unarmored, _BLOCK.findall(data))) if b"-----BEGIN PGP " in data else data
    found = []
    position = 0
    while position < len(binary):
        packet, position = _packet(binary, position)
        found.append(packet)
        if len(found) > MOST_PACKETS:
            raise ValueError("too many packets")
    if not found:
        raise ValueError("no packet")
    return found


def octets(data: bytes, start: int, count: int) -> bytes:
    """So many octets, all of them there."""
    piece = data[start : start + count]
    if count < 0 or len(piece) < count:
        raise ValueError("a packet ends too early")
    return piece


def number(data: bytes, start: int, count: int) -> int:
    return int.from_bytes(octets(data, start, count), "big")


def integers(data: bytes, how_many: int) -> list[bytes]:
    """Multiprecision integers that stand one after the other (section 3.2)."""
    found, position = [], 0
    for _ in range(how_many):
        size = (number(data, position, 2) + 7) // 8
        found.append(octets(data, position + 2, size))
        position += 2 + size
    return found


def subpackets(area: bytes) -> Iterator[tuple[int, bytes]]:
    """The type and body of each subpacket of a signature (section 5.2.3.7)."""
    position = 0
    while position < len(area):
        length, position = _length(area, position)
        body = octets(area, position, length)
        position += length
        if body:
            yield body[0] & 0x7F, body[1:]


def _packet(data: bytes, position: int) -> tuple[Packet, int]:
    first = data[position]
    position += 1
    if not first & 0x80:
        raise ValueError("no packet begins here")
    if first & 0x40:
        tag = first & 0x3F
        if 224 <= number(data, position, 1) < 255:
            raise ValueError("neither a signature nor a key comes in pieces")
        length, position = _length(data, position)
    else:
        tag, kind = first >> 2 & 0x0F, first & 3
        size = (1, 2, 4, 0)[kind]
        length = number(data, position, size) if size else len(data) - position
        position += size
    return Packet(tag, octets(data, position, length)), position + length


def _length(data: bytes, position: int) -> tuple[int, int]:
    """A length of one, two, or five octets, and where it ends."""
    first = number(data, position, 1)
    if first < 192:
        return first, position + 1
    if first < 255:
        return (first - 192 << 8) + number(data, position + 1, 1) + 192, position + 2
    return number(data, position + 1, 4), position + 5


def _unarmored(block: bytes) -> bytes:
    """What base64 says between the fields of an armor and its checksum, which tells nothing (section 6.1)."""
    rows = [row.strip() for row in block.splitlines()]
    while rows and (not rows[0] or _FIELD.match(rows[0])):
        rows.pop(0)
    coded = b"".join(row for row in rows if not row.startswith(b"="))
    return base64.b64decode(coded + b"=" * (-len(coded) % 4), validate=True)
