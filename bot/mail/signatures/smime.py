"""Whether an S/MIME signature fits a text (RFC 8551, and RFC 5652 section 5 for the structure).

The digest of the text must be the one among the signed attributes, and these must have been signed with the key of the
certificate that came along. Nobody looks at who gave that certificate to whom, or until when: a good signature means
that the text is what was signed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from bot.mail.signatures.outcome import Outcome, Work, best

if TYPE_CHECKING:
    from asn1crypto import cms

MAX_KEY = 1_300
"""Bytes of a public key: one of 8,192 bits has 1,062."""
MOST_SIGNERS = 5
MOST_CERTIFICATES = 20

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
        kind = signed["encap_content_info"]["content_type"].native
        signers = list(signed["signer_infos"])[:MOST_SIGNERS]
    except Exception:  # the decoder raises many kinds on bytes that are no CMS
        return "damaged"
    return best([_fits(signer, kind, signed, texts, work) for signer in signers] or ["unproved"])


def _fits(signer: cms.SignerInfo, kind: str, signed: cms.SignedData, texts: Collection[bytes], work: Work) -> Outcome:
    try:
        name = signer["digest_algorithm"]["algorithm"].native
        if name not in _HASHES:
            return "unproved"
        attributes = {attribute["type"].native: attribute["values"] for attribute in signer["signed_attrs"]}
        if not attributes:
            return best([_verified(signer, signed, text, work) for text in texts if work.allows(len(text))])
        if not _is_digest_of(texts, attributes["message_digest"][0].native, name, work):
            return "changed"
        if attributes["content_type"][0].native != kind:
            return "changed"
        return _verified(signer, signed, signer["signed_attrs"].untag().dump(), work)
    except Exception:  # attributes that are missing, or not what they say; a digest for which no work is left
        return "unproved"


def _is_digest_of(texts: Collection[bytes], digest: bytes, name: str, work: Work) -> bool:
    for text in texts:
        if not work.allows(len(text)):
            raise ValueError("no work is left")
        if hashlib.new(name, text, usedforsecurity=False).digest() == digest:
            return True
    return False


def _verified(signer: cms.SignerInfo, signed: cms.SignedData, text: bytes, work: Work) -> Outcome:
    """Whether exactly these bytes were signed with the key of the signer's certificate."""
    from cryptography.exceptions import InvalidSignature

    key = _key_of(signer, signed)
    if key is None or not work.allows_a_key():
        return "unproved"
    try:
        _verify(key, signer, text)
    except InvalidSignature:
        return "changed"
    except Exception:  # an algorithm not known, or one that does not go with the key
        return "unproved"
    return "good"


def _key_of(signer: cms.SignerInfo, signed: cms.SignedData) -> bytes | None:
    """The public key in the signer's certificate; None if it did not come along, or is too large."""
    chosen = signer["sid"]
    for choice in list(signed["certificates"])[:MOST_CERTIFICATES]:
        if choice.name != "certificate":
            continue
        certificate = choice.chosen
        if chosen.name == "issuer_and_serial_number":
            same = (
                certificate.serial_number == chosen.chosen["serial_number"].native
                and certificate.issuer.dump() == chosen.chosen["issuer"].dump()
            )
        else:
            same = certificate.key_identifier == chosen.native
        if same:
            key: bytes = certificate.public_key.dump()
            return key if len(key) <= MAX_KEY else None
    return None


def _verify(public: bytes, signer: cms.SignerInfo, text: bytes) -> None:
    """InvalidSignature, or any other exception if that cannot be told."""
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, padding, rsa
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    key = load_der_public_key(public)
    signature = signer["signature"].native
    algorithm = signer["signature_algorithm"]
    if isinstance(key, rsa.RSAPublicKey):
        if algorithm.signature_algo == "rsassa_pss":
            inner = algorithm["parameters"]["mask_gen_algorithm"]["parameters"]["algorithm"].native
            pss = padding.PSS(padding.MGF1(_hash(inner)), algorithm["parameters"]["salt_length"].native)
            key.verify(signature, text, pss, _hash(algorithm.hash_algo))
        else:
            key.verify(signature, text, padding.PKCS1v15(), _hash(_signed_with(signer)))
    elif isinstance(key, ec.EllipticCurvePublicKey):
        key.verify(signature, text, ec.ECDSA(_hash(_signed_with(signer))))
    elif isinstance(key, (ed25519.Ed25519PublicKey, ed448.Ed448PublicKey)):
        key.verify(signature, text)
    else:
        raise ValueError("an algorithm that is not known")


def _signed_with(signer: cms.SignerInfo) -> str:
    """The digest of the signature: named by its algorithm or, in older programs, that of the text."""
    try:
        name: str = signer["signature_algorithm"].hash_algo
    except ValueError:
        name = signer["digest_algorithm"]["algorithm"].native
    return name


def _hash(name: str) -> Any:
    """A digest as `cryptography` names it."""
    from cryptography.hazmat.primitives import hashes

    return getattr(hashes, name.upper())()
