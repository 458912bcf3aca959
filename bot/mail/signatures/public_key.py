"""OpenPGP public keys that a mail carries, and what they say of a signature (RFC 9580 sections 5.2.3 and 5.5).

Only keys of the sender count: those that hold his address as a user id. How a key is bound to its user id is not looked
at, for nobody vouches for either.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from email.utils import parseaddr

from bot.mail.signatures.packets import PUBLIC_KEY, PUBLIC_SUBKEY, USER_ID, Packet, integers, number, octets, packets

MAX_KEY = 100_000
"""Bytes of a key with all that was certified of it."""
MAX_RSA_BITS = 8_192
"""The largest key that programs make has 4,096."""

_RSA, _ECDSA, _EDDSA, _ED25519, _ED448 = (1, 3), 19, 22, 27, 28
_ED25519_OID = bytes.fromhex("2b06010401da470f01")
_CURVES = {
    bytes.fromhex("2a8648ce3d030107"): "SECP256R1",
    bytes.fromhex("2b81040022"): "SECP384R1",
    bytes.fromhex("2b81040023"): "SECP521R1",
    bytes.fromhex("2b2403030208010107"): "BrainpoolP256R1",
    bytes.fromhex("2b240303020801010b"): "BrainpoolP384R1",
    bytes.fromhex("2b240303020801010d"): "BrainpoolP512R1",
}
_HASHES = {"sha1": "SHA1", "sha224": "SHA224", "sha256": "SHA256", "sha384": "SHA384", "sha512": "SHA512",
           "sha3_256": "SHA3_256", "sha3_512": "SHA3_512"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key or one of its subkeys; `names` are its fingerprint and its key id."""

    algorithm: int
    names: frozenset[bytes]
    material: bytes

    def signed(self, digest: bytes, hash_name: str, values: bytes) -> bool | None:
        """Whether the key signed this digest; None where that cannot be told."""
        from cryptography.exceptions import InvalidSignature

        try:
            self._verify(digest, hash_name, values)
        except InvalidSignature:
            return False
        except Exception:  # an algorithm not known, a point that is on no curve, too short a number
            return None
        return True

    def _verify(self, digest: bytes, hash_name: str, values: bytes) -> None:
        """InvalidSignature, or any other exception if that cannot be told."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, padding, rsa, utils

        if self.algorithm == _ED25519:
            ed25519.Ed25519PublicKey.from_public_bytes(self.material).verify(octets(values, 0, 64), digest)
        elif self.algorithm == _ED448:
            ed448.Ed448PublicKey.from_public_bytes(self.material).verify(octets(values, 0, 114), digest)
        elif self.algorithm == _EDDSA:
            point = self._point(_ED25519_OID).removeprefix(b"\x40")
            r, s = integers(values, 2)
            ed25519.Ed25519PublicKey.from_public_bytes(point).verify(r.rjust(32, b"\0") + s.rjust(32, b"\0"), digest)
        elif self.algorithm == _ECDSA:
            oid = self._oid()
            curve = getattr(ec, _CURVES[oid])()
            pair = [int.from_bytes(value, "big") for value in integers(values, 2)]
            method = ec.ECDSA(utils.Prehashed(getattr(hashes, _HASHES[hash_name])()))
            key = ec.EllipticCurvePublicKey.from_encoded_point(curve, self._point(oid))
            key.verify(utils.encode_dss_signature(*pair), digest, method)
        elif self.algorithm in _RSA:
            modulus, exponent = (int.from_bytes(value, "big") for value in integers(self.material, 2))
            if modulus.bit_length() > MAX_RSA_BITS or exponent.bit_length() > 64:
                raise ValueError("too large a key")
            (value,) = integers(values, 1)
            known = utils.Prehashed(getattr(hashes, _HASHES[hash_name])())
            whole = value.rjust((modulus.bit_length() + 7) // 8, b"\0")
            rsa.RSAPublicNumbers(exponent, modulus).public_key().verify(whole, digest, padding.PKCS1v15(), known)
        else:
            raise ValueError("an algorithm that is not known")

    def _oid(self) -> bytes:
        return octets(self.material, 1, number(self.material, 0, 1))

    def _point(self, oid: bytes) -> bytes:
        """The point of a key on the curve that this object identifier names."""
        if self._oid() != oid:
            raise ValueError("another curve")
        (point,) = integers(self.material[1 + len(oid) :], 1)
        return point


def keys_of(address: str, block: bytes) -> list[PublicKey]:
    """The keys in a block, armored or not, in which this address stands; none if the block cannot be read."""
    if len(block) > MAX_KEY or not address:
        return []
    try:
        found = packets(block)
        return [key for group in _certificates(found) if _is_of(address, group) for key in _keys(group)]
    except ValueError:
        return []


def _certificates(found: list[Packet]) -> list[list[Packet]]:
    """Each primary key with all that follows it."""
    groups: list[list[Packet]] = []
    for packet in found:
        if packet.tag == PUBLIC_KEY:
            groups.append([])
        if groups:
            groups[-1].append(packet)
    return groups


def _is_of(address: str, group: list[Packet]) -> bool:
    names = (packet.body[:1_000].decode("utf-8", "replace") for packet in group if packet.tag == USER_ID)
    return any(parseaddr(name)[1].lower() == address.lower() for name in names)


def _keys(group: list[Packet]) -> list[PublicKey]:
    found = (_key(packet.body) for packet in group if packet.tag in (PUBLIC_KEY, PUBLIC_SUBKEY))
    return [key for key in found if key is not None]


def _key(body: bytes) -> PublicKey | None:
    version, algorithm = number(body, 0, 1), number(body, 5, 1)
    if version == 4:
        fingerprint = hashlib.sha1(b"\x99" + len(body).to_bytes(2, "big") + body, usedforsecurity=False).digest()
        return PublicKey(algorithm, frozenset([fingerprint, fingerprint[-8:]]), body[6:])
    if version == 6:
        fingerprint = hashlib.sha256(b"\x9b" + len(body).to_bytes(4, "big") + body).digest()
        return PublicKey(algorithm, frozenset([fingerprint, fingerprint[:8]]), body[10:])
    return None
