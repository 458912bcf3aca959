"""Mail signed with DKIM by a key of our own, and the DNS in which that key stands: for tests alone."""

from __future__ import annotations

import base64
import random
from functools import cache

import dkim
from asn1crypto import keys, pem

from bot.mail.authentication import CannotAsk

SELECTOR = "spice"


def signed(raw: bytes, domain: str, **options: object) -> bytes:
    """The message with a signature of this domain above it."""
    private, _ = _key_pair()
    header: bytes = dkim.sign(raw, SELECTOR.encode(), domain.encode(), private, **options)
    return header + raw


class Zone:
    """A DNS that knows the keys of some domains and remembers what it was asked."""

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
    """A private key as PEM and its public half as DKIM has it; the same each time, and worth nothing elsewhere."""
    numbers = random.Random(1965)
    p, q, e = _prime(numbers), _prime(numbers), 65537
    n, d = p * q, pow(e, -1, (p - 1) * (q - 1))
    private = keys.RSAPrivateKey(
        {"version": "two-prime", "modulus": n, "public_exponent": e, "private_exponent": d, "prime1": p, "prime2": q,
         "exponent1": d % (p - 1), "exponent2": d % (q - 1), "coefficient": pow(q, -1, p)}
    )  # fmt: skip
    public = keys.PublicKeyInfo.wrap(keys.RSAPublicKey({"modulus": n, "public_exponent": e}), "rsa")
    return pem.armor("RSA PRIVATE KEY", private.dump()), base64.b64encode(public.dump())


def _prime(numbers: random.Random, bits: int = 512) -> int:
    while True:
        candidate = numbers.getrandbits(bits) | 1 | 3 << (bits - 2)
        if all(pow(base, candidate - 1, candidate) == 1 for base in (2, 3, 5, 7, 11)):
            return candidate
