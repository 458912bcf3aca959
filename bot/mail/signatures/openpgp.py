"""What OpenPGP signatures show of the digest that was signed (RFC 9580 sections 4, 5.2 and 6): its left 16 bits.

So a text that was changed is seen without any key. More is not asked: the only key at hand would be one that the mail
itself carries, for which nobody vouches. Packets are read here because libraries for OpenPGP verify as a whole: they do
not tell a wrong signature from a missing key.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from io import BytesIO

from bot.mail.signatures.digest import Shown

_SIGNATURE = 2
_BLOCK = re.compile(rb"-----BEGIN PGP (?:SIGNATURE|MESSAGE)-----[ \t]*\r?\n(.*?)(?:\n[ \t]*-----END PGP|\Z)", re.DOTALL)
_FIELD_OR_CHECKSUM = re.compile(rb"[A-Za-z]{2,20}:|=")
_HASHES = {1: "md5", 2: "sha1", 3: "ripemd160", 8: "sha256", 9: "sha384", 10: "sha512", 11: "sha224", 12: "sha3_256",
           14: "sha3_512"}  # fmt: skip
_OF_A_DOCUMENT = (0x00, 0x01)


def signatures(block: bytes) -> Iterator[Shown | None]:
    """The signatures of a block, armored or not; None for one of a kind not known. Errors of many kinds for what is no
    such block, or ends too early.

    >>> (shown,) = signatures(bytes.fromhex("c20d 04000108 0000 0000 abcd 0007fe"))
    >>> shown.hash_name, shown.digest
    ('sha256', b'\\xab\\xcd')
    """
    data = b"".join(map(_unarmored, _BLOCK.findall(block))) if b"-----BEGIN PGP " in block else block
    for tag, body in _packets(data):
        if tag == _SIGNATURE:
            yield _shown(body)


def _unarmored(block: bytes) -> bytes:
    """What base64 says between the fields of an armor and its checksum, which tells nothing (section 6.1)."""
    rows = [row.strip() for row in block.splitlines()]
    coded = b"".join(row for row in rows if not _FIELD_OR_CHECKSUM.match(row))
    return base64.b64decode(coded + b"=" * (-len(coded) % 4), validate=True)


def _packets(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Tags and bodies of packets; a signature is none of those whose length is not told at once."""
    stream = BytesIO(data)
    while head := stream.read(1):
        first = head[0]
        if first & 0xC0 == 0xC0:
            tag, length = first & 0x3F, _number(stream, 1)
            if length == 255:
                length = _number(stream, 4)
            elif length >= 192:
                length = (length - 192 << 8) + _number(stream, 1) + 192
        elif first & 0x80:
            tag, length = first >> 2 & 0x0F, _number(stream, (1, 2, 4)[first & 3])
        else:
            raise ValueError("no packet begins here")
        yield tag, _octets(stream, length)


def _octets(stream: BytesIO, count: int) -> bytes:
    octets = stream.read(count)
    if len(octets) < count:
        raise ValueError("a packet ends too early")
    return octets


def _number(stream: BytesIO, size: int) -> int:
    return int.from_bytes(_octets(stream, size))


def _shown(body: bytes) -> Shown | None:
    version = body[0]
    if version not in (4, 6):
        return None
    size = 2 if version == 4 else 4
    end = 4 + size + int.from_bytes(body[4 : 4 + size])
    rest = end + size + int.from_bytes(body[end : end + size])  # behind what is not hashed
    left_bits = body[rest : rest + 2]
    if len(left_bits) < 2:
        raise ValueError("a signature ends before its digest")
    name = _HASHES.get(body[3])
    if not name or body[1] not in _OF_A_DOCUMENT:
        return None
    salt = body[rest + 3 : rest + 3 + body[rest + 2]] if version == 6 else b""
    return Shown(name, left_bits, salt, body[:end] + bytes([version, 0xFF]) + end.to_bytes(4))
