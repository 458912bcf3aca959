"""Whether an S/MIME signature fits a text (RFC 8551, and RFC 5652 section 5 for the structure).

The digest of the text must be the one among the signed attributes, and these what the certificate that came along
signed, as far as that is of a usual kind. Whose certificate it is nobody looks at. A signature without attributes shows
no digest, and stays unproved.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Any

from bot.mail.signatures.outcome import ORDER, Outcome, Work

MOST_SIGNERS = 5
MOST_CERTIFICATES = 20
MAX_RSA_BITS = 8_192

_HASHES = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512")


def check(sealed: bytes, texts: Collection[bytes], work: Work) -> Outcome:
    """How the signed-data structure `sealed` fits the text beside or inside it, given in each of the forms in which it
    may have been signed.

    >>> check(b"bid 9", [b"bid 4"], Work())
    'damaged'
    """
    from asn1crypto import cms

    try:
        info = cms.ContentInfo.load(sealed)
        if info["content_type"].native != "signed_data":
            return "unproved"
        signed = info["content"]
        signers = list(signed["signer_infos"])[:MOST_SIGNERS]
    except Exception:  # the decoder raises many kinds on bytes that are no CMS
        return "damaged"
    return min(
        (_fits(signer, signed["certificates"], texts, work) for signer in signers), key=ORDER.index, default="unproved"
    )


def _fits(signer: Any, certificates: Any, texts: Collection[bytes], work: Work) -> Outcome:
    try:
        name = signer["digest_algorithm"]["algorithm"].native
        attributes = {attribute["type"].native: attribute["values"] for attribute in signer["signed_attrs"]}
        digest = attributes["message_digest"][0].native
    except Exception:  # attributes that are missing, or not what they say
        return "unproved"
    if name not in _HASHES:
        return "unproved"
    for text in texts:
        if not work.allows(len(text)):
            return "unproved"
        if hashlib.new(name, text, usedforsecurity=False).digest() == digest:
            return "changed" if _is_forged(signer, certificates) else "fits"
    return "changed"


def _is_forged(signer: Any, certificates: Any) -> bool:
    """Whether the certificate that came along did not sign these attributes; False where that cannot be told."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    try:
        serial = signer["sid"].chosen["serial_number"].native
        known = [each.chosen for each in list(certificates)[:MOST_CERTIFICATES] if each.name == "certificate"]
        (signed_by,) = (each for each in known if each.serial_number == serial)
        key, algorithm = (
            load_der_public_key(signed_by.public_key.dump()),
            signer["signature_algorithm"]["algorithm"].native,
        )
        name = signer["digest_algorithm"]["algorithm"].native
        used = getattr(hashes, name.upper())()
        text, signature = signer["signed_attrs"].untag().dump(), signer["signature"].native
        if isinstance(key, rsa.RSAPublicKey) and algorithm in ("rsassa_pkcs1v15", f"{name}_rsa"):
            if key.key_size <= MAX_RSA_BITS:
                key.verify(signature, text, padding.PKCS1v15(), used)
        elif isinstance(key, ec.EllipticCurvePublicKey) and algorithm == f"{name}_ecdsa":
            key.verify(signature, text, ec.ECDSA(used))
    except InvalidSignature:
        return True
    except Exception:  # a certificate or a key of a kind not known
        return False
    return False
