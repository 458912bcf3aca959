"""Whether an OpenPGP signature fits a text (RFC 9580 sections 4, 5.2 and 6).

A signature shows the left 16 bits of the digest that was signed, so a text that was changed is seen without any key.
More is not asked: the only key at hand would be one that the mail itself carries, for which nobody vouches. Packets are
read here because libraries for OpenPGP verify as a whole, and tell a wrong signature from a missing key by no sign.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from bot.mail.signatures.outcome import ORDER, Outcome, Work

MAX_SIGNATURE = 100_000
"""Bytes of all the signatures of one text: the largest there are, of keys safe from quantum computers, have 50,000."""
MOST_SIGNATURES = 5

_SIGNATURE = 2
_BLOCK = re.compile(rb"-----BEGIN PGP (?:SIGNATURE|MESSAGE)-----[ \t]*\r?\n(.*?)(?:\n[ \t]*-----END PGP|\Z)", re.DOTALL)
_FIELD = re.compile(rb"[A-Za-z]{2,20}:")
_HASHES = {1: "md5", 2: "sha1", 3: "ripemd160", 8: "sha256", 9: "sha384", 10: "sha512", 11: "sha224", 12: "sha3_256",
           14: "sha3_512"}  # fmt: skip
_OF_A_DOCUMENT = (0x00, 0x01)


class Signature(NamedTuple):
    """A signature: `before` and `after` are hashed around the text, `left_bits` begin the digest."""

    hash_name: str
    before: bytes
    after: bytes
    left_bits: bytes

    def fits(self, text: bytes) -> bool:
        digest = hashlib.new(self.hash_name, self.before + text + self.after, usedforsecurity=False).digest()
        return digest.startswith(self.left_bits)


def check(block: bytes, texts: Collection[bytes], work: Work) -> Outcome:
    """How a signature block fits a text, given in each of the forms in which it may have been signed.

    >>> check(b"-----BEGIN PGP SIGNATURE-----\\n\\nbid 9\\n-----END PGP SIGNATURE-----", [b"bid 4"], Work())
    'damaged'
    """
    if len(block) > MAX_SIGNATURE:
        return "unproved"
    try:
        found = [_read(body) for _, body in zip(range(MOST_SIGNATURES), _signatures(block), strict=False)]
    except ValueError:
        return "damaged"
    return min((_fits(signature, texts, work) for signature in found), key=ORDER.index, default="damaged")


def _fits(signature: Signature | None, texts: Collection[bytes], work: Work) -> Outcome:
    if signature is None or signature.hash_name not in hashlib.algorithms_available:
        return "unproved"
    for text in texts:
        if not work.allows(len(text)):
            return "unproved"
        if signature.fits(text):
            return "fits"
    return "changed"


def _read(body: bytes) -> Signature | None:
    """A signature packet; None for a version, a kind or a digest that is not known. ValueError for a broken one."""
    version = _number(body, 0, 1)
    if version == 3:
        return _known(body[2], body[16], b"", body[2:7], _octets(body, 17, 2))
    if version not in (4, 6):
        return None
    size = 2 if version == 4 else 4
    end = 4 + size + _number(body, 4, size)
    rest = end + size + _number(body, end, size)  # behind what is not hashed
    salt = _octets(body, rest + 3, _number(body, rest + 2, 1)) if version == 6 else b""
    signed = _octets(body, 0, end)
    after = signed + bytes([version, 0xFF]) + len(signed).to_bytes(4, "big")
    return _known(body[1], body[3], salt, after, _octets(body, rest, 2))


def _known(kind: int, hash_algorithm: int, before: bytes, after: bytes, left_bits: bytes) -> Signature | None:
    name = _HASHES.get(hash_algorithm)
    return Signature(name, before, after, left_bits) if name and kind in _OF_A_DOCUMENT else None


def _signatures(block: bytes) -> Iterator[bytes]:
    """The bodies of the signature packets in a block, armored or not. ValueError for anything else."""
    data = b"".join(map(_unarmored, _BLOCK.findall(block))) if b"-----BEGIN PGP " in block else block
    position = 0
    while position < len(data):
        first = data[position]
        if first & 0xC0 == 0xC0:
            tag = first & 0x3F
            length, position = _length(data, position + 1)
        elif first & 0x80:
            tag, size = first >> 2 & 0x0F, (1, 2, 4, 0)[first & 3]
            length = _number(data, position + 1, size) if size else len(data) - position - 1
            position += 1 + size
        else:
            raise ValueError("no packet begins here")
        body = _octets(data, position, length)
        position += length
        if tag == _SIGNATURE:
            yield body


def _length(data: bytes, position: int) -> tuple[int, int]:
    """A length of one, two, or five octets, and where it ends; a signature does not come in pieces."""
    first = _number(data, position, 1)
    if first < 192:
        return first, position + 1
    if first < 224:
        return (first - 192 << 8) + _number(data, position + 1, 1) + 192, position + 2
    if first < 255:
        raise ValueError("a packet in pieces")
    return _number(data, position + 1, 4), position + 5


def _octets(data: bytes, start: int, count: int) -> bytes:
    piece = data[start : start + count]
    if len(piece) < count:
        raise ValueError("a packet ends too early")
    return piece


def _number(data: bytes, start: int, count: int) -> int:
    return int.from_bytes(_octets(data, start, count), "big")


def _unarmored(block: bytes) -> bytes:
    """What base64 says between the fields of an armor and its checksum, which tells nothing (section 6.1)."""
    rows = [row.strip() for row in block.splitlines()]
    while rows and (not rows[0] or _FIELD.match(rows[0])):
        rows.pop(0)
    coded = b"".join(row for row in rows if not row.startswith(b"="))
    return base64.b64decode(coded + b"=" * (-len(coded) % 4), validate=True)
