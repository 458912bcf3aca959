"""Mail signed with DKIM by a test key, and the DNS that publishes the key."""

from __future__ import annotations

import base64
import random
from functools import cache

import dkim

from bot.mail.authentication import CannotAsk

SELECTOR = "spice"
_SEQUENCE = 0x30


def signed(raw: bytes, domain: str, **options: object) -> bytes:
    """Return the message with a signature of this domain above it."""
    private, _ = _key_pair()
    header: bytes = dkim.sign(raw, SELECTOR.encode(), domain.encode(), private, **options)
    return header + raw


class Zone:
    """A DNS that knows the keys of some domains and remembers its queries."""

    def __init__(self, *domains: str, away: bool = False) -> None:
        self.asked: list[str] = []
        self._names = {f"{SELECTOR}._domainkey.{domain}." for domain in domains}
        self._away = away

    def __call__(self, name: bytes) -> bytes | None:
        self.asked.append(name.decode())
        if self._away:
            raise CannotAsk("no server answers")
        return b"v=DKIM1; k=rsa; p=" + _key_pair()[1] if name.decode() in self._names else None


@cache
def _key_pair() -> tuple[bytes, bytes]:
    """Return a private key as PEM and its public key in DKIM form. They are always the same, and are used only here."""
    numbers = random.Random(1965)
    p, q, e = _prime(numbers), _prime(numbers), 65537
    n, d = p * q, pow(e, -1, (p - 1) * (q - 1))
    crt = (d % (p - 1), d % (q - 1), pow(q, -1, p))
    private = der(_SEQUENCE, *map(_integer, (0, n, e, d, p, q, *crt)))
    rsa = der(_SEQUENCE, der(0x06, bytes.fromhex("2a864886f70d010101")), der(0x05))  # rsaEncryption (RFC 8017), NULL
    public = der(_SEQUENCE, rsa, der(0x03, b"\0", der(_SEQUENCE, _integer(n), _integer(e))))
    rows = base64.encodebytes(private).replace(b"\n", b"").decode()
    lines = [rows[place : place + 64] for place in range(0, len(rows), 64)]
    pem = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----", ""])
    return pem.encode(), base64.b64encode(public)


def der(tag: int, *contents: bytes) -> bytes:
    """Return a DER element (X.690) that contains these elements in order."""
    content = b"".join(contents)
    size = len(content).to_bytes(4, "big").lstrip(b"\0")
    length = bytes([len(content)]) if len(content) < 0x80 else bytes([0x80 + len(size)]) + size
    return bytes([tag]) + length + content


def _integer(value: int) -> bytes:
    return der(0x02, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def _prime(numbers: random.Random, bits: int = 512) -> int:
    while True:
        candidate = numbers.getrandbits(bits) | 1 | 3 << (bits - 2)
        if all(pow(base, candidate - 1, candidate) == 1 for base in (2, 3, 5, 7, 11)):
            return candidate
