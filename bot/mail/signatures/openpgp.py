"""Whether an OpenPGP signature fits a text (RFC 9580 section 5.2).

A signature shows the left 16 bits of the digest that was signed, so that a text which was changed is seen without any
key. Where the mail carries the key of its sender the signature itself is verified too. Nobody vouches for such a key:
that a signature is good means that the text is what was signed, not who signed it.

The numbers are verified by the library `cryptography`. The packets around them are read here, because what must be told
apart (a wrong signature, a key that is missing, old, or of a kind not known) is one and the same error in the libraries
that read OpenPGP as a whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.mail.signatures.outcome import Outcome, Work, best
from bot.mail.signatures.packets import SIGNATURE, number, octets, packets, subpackets
from bot.mail.signatures.public_key import PublicKey

MAX_SIGNATURE = 100_000
"""Bytes of all the signatures of one text: the largest there are, of keys safe from quantum computers, have 50,000."""
MOST_SIGNATURES = 5

_HASHES = {1: "md5", 2: "sha1", 3: "ripemd160", 8: "sha256", 9: "sha384", 10: "sha512", 11: "sha224", 12: "sha3_256",
           14: "sha3_512"}  # fmt: skip
_OF_A_DOCUMENT = (0x00, 0x01)
_ISSUER_KEY_ID, _ISSUER_FINGERPRINT = 16, 33


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature packet of version 3, 4 or 6; `before` and `after` are hashed around the text."""

    version: int
    key_algorithm: int
    hash_name: str
    before: bytes
    after: bytes
    left_bits: bytes
    """The first two octets of the digest."""
    issuers: frozenset[bytes]
    """Key ids and fingerprints of the key that signed, as far as they are given."""
    values: bytes
    """The signature proper, as its algorithm has it."""

    def digest(self, text: bytes) -> bytes:
        return hashlib.new(self.hash_name, self.before + text + self.after, usedforsecurity=False).digest()


def check(block: bytes, texts: Collection[bytes], keys: Sequence[PublicKey], work: Work) -> Outcome:
    """How a signature block fits a text, given in each of the forms in which it may have been signed.

    >>> check(b"-----BEGIN PGP SIGNATURE-----\\n\\nbid 9\\n-----END PGP SIGNATURE-----", [b"bid 4"], [], Work())
    'damaged'
    """
    if len(block) > MAX_SIGNATURE:
        return "unproved"
    try:
        bodies = [packet.body for packet in packets(block) if packet.tag == SIGNATURE][:MOST_SIGNATURES]
        found = [_read(body) for body in bodies]
    except ValueError:
        return "damaged"
    return best([_fits(signature, texts, keys, work) for signature in found]) if found else "damaged"


def _fits(signature: Signature | None, texts: Collection[bytes], keys: Sequence[PublicKey], work: Work) -> Outcome:
    if signature is None or signature.hash_name not in hashlib.algorithms_available:
        return "unproved"
    by = [key for key in keys if signature.issuers & key.names and key.algorithm == signature.key_algorithm]
    fitting: list[Outcome] = []
    for text in texts:
        if not work.allows(len(text)):
            return "unproved"
        digest = signature.digest(text)
        if digest.startswith(signature.left_bits):
            fitting.append(_verified(signature, digest, by, work))
    return best(fitting) if fitting else "changed"


def _verified(signature: Signature, digest: bytes, keys: Sequence[PublicKey], work: Work) -> Outcome:
    answers = [key.signed(digest, signature.hash_name, signature.values) for key in keys if work.allows_a_key()]
    if True in answers:
        return "good"
    return "changed" if False in answers else "unproved"


def _read(body: bytes) -> Signature | None:
    """A signature packet; None for a version, a kind or a digest that is not known. ValueError for a broken one."""
    version = number(body, 0, 1)
    if version == 3:
        return _version_3(body)
    if version not in (4, 6):
        return None
    size = 2 if version == 4 else 4
    hashed = number(body, 4, size)
    end = 4 + size + hashed
    unhashed = number(body, end, size)
    rest = end + size + unhashed
    salt_octets = number(body, rest + 2, 1) if version == 6 else 0
    values = rest + 2 + (1 + salt_octets if version == 6 else 0)
    signed = octets(body, 0, end)
    return _known(
        version,
        body[1],
        body[2],
        body[3],
        before=octets(body, values - salt_octets, salt_octets),
        after=signed + bytes([version, 0xFF]) + len(signed).to_bytes(4, "big"),
        left_bits=octets(body, rest, 2),
        issuers=_issuers(signed[4 + size :]) | _issuers(octets(body, end + size, unhashed)),
        values=body[values:],
    )


def _version_3(body: bytes) -> Signature | None:
    octets(body, 0, 19)
    issuers = frozenset([body[7:15]])
    return _known(3, body[2], body[15], body[16], b"", body[2:7], body[17:19], issuers, body[19:])


def _known(
    version: int, kind: int, key_algorithm: int, hash_algorithm: int, before: bytes, after: bytes, left_bits: bytes,
    issuers: frozenset[bytes], values: bytes,
) -> Signature | None:  # fmt: skip
    name = _HASHES.get(hash_algorithm)
    if name is None or kind not in _OF_A_DOCUMENT:
        return None
    return Signature(version, key_algorithm, name, before, after, left_bits, issuers, values)


def _issuers(area: bytes) -> frozenset[bytes]:
    found = []
    for kind, body in subpackets(area):
        if kind == _ISSUER_KEY_ID:
            found.append(body)
        elif kind == _ISSUER_FINGERPRINT:
            found.append(body[1:])
    return frozenset(found)
