"""What S/MIME signatures show of the digest that was signed (RFC 8551, and RFC 5652 section 5 for the structure).

It is one of the signed attributes, and these must be what the certificate that came along signed, as far as that is of
a usual kind. Whose certificate it is nobody looks at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bot.mail.signatures.digest import Shown

MOST_CERTIFICATES = 20


def signatures(sealed: bytes) -> Iterator[Shown | None]:
    """The signatures of a signed-data structure; None for one that shows no digest, as it is without attributes, and
    for a structure without any. Errors of many kinds for what is no structure."""
    from asn1crypto import cms  # seldom needed, and large

    info = cms.ContentInfo.load(sealed)
    if info["content_type"].native != "signed_data" or not info["content"]["signer_infos"]:
        yield None
        return
    for signer in info["content"]["signer_infos"]:
        yield _shown(signer, info["content"]["certificates"])


def _shown(signer: Any, certificates: Any) -> Shown | None:
    try:
        name = signer["digest_algorithm"]["algorithm"].native
        attributes = {each["type"].native: each["values"] for each in signer["signed_attrs"]}
        digest = attributes["message_digest"][0].native
    except Exception:  # attributes that are missing, or not what they say
        return None
    return Shown(name, digest, forged=_is_forged(signer, name, certificates))


def _is_forged(signer: Any, name: str, certificates: Any) -> bool:
    """Whether the certificate that came along did not sign these attributes; False where that cannot be told."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, padding
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    try:
        serial = signer["sid"].chosen["serial_number"].native
        known = [each.chosen for each in list(certificates)[:MOST_CERTIFICATES] if each.name == "certificate"]
        (key,) = (each.public_key for each in known if each.serial_number == serial)
        used = getattr(hashes, name.upper())()
        methods = {
            "rsassa_pkcs1v15": (padding.PKCS1v15(), used),
            f"{name}_rsa": (padding.PKCS1v15(), used),
            f"{name}_ecdsa": (ec.ECDSA(used),),
        }
        method = methods[signer["signature_algorithm"]["algorithm"].native]
        public_key: Any = load_der_public_key(key.dump())
        public_key.verify(signer["signature"].native, signer["signed_attrs"].untag().dump(), *method)
    except InvalidSignature:
        return True
    except Exception:  # a certificate, a key or an algorithm of a kind not known
        return False
    return False
