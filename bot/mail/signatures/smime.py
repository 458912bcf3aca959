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
    for a structure without any. Errors of many kinds for what is no structure, and where the certificate did not sign
    the attributes."""
    from asn1crypto import cms  # seldom needed, and large

    info = cms.ContentInfo.load(sealed)
    if info["content_type"].native != "signed_data" or not info["content"]["signer_infos"]:
        yield None
        return
    carried = list(info["content"]["certificates"])[:MOST_CERTIFICATES]
    certificates = [each.chosen for each in carried if each.name == "certificate"]
    for signer in info["content"]["signer_infos"]:
        attributes = {each["type"].native: each["values"] for each in signer["signed_attrs"] or ()}
        if "message_digest" in attributes:
            _verify(signer, certificates)
            yield Shown(signer["digest_algorithm"]["algorithm"].native, attributes["message_digest"][0].native)
        else:
            yield None


def _verify(signer: Any, certificates: list[Any]) -> None:
    """Raise InvalidSignature if the certificate that came along did not sign the attributes; where that cannot be told,
    do nothing."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, padding
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    try:
        serial = signer["sid"].chosen["serial_number"].native
        (key,) = (each.public_key for each in certificates if each.serial_number == serial)
        name, algorithm = (signer[field]["algorithm"].native for field in ("digest_algorithm", "signature_algorithm"))
        used = getattr(hashes, name.upper())()
        methods = {
            "rsassa_pkcs1v15": (padding.PKCS1v15(), used),
            f"{name}_rsa": (padding.PKCS1v15(), used),
            f"{name}_ecdsa": (ec.ECDSA(used),),
        }
        public_key: Any = load_der_public_key(key.dump())
        public_key.verify(signer["signature"].native, signer["signed_attrs"].untag().dump(), *methods[algorithm])
    except InvalidSignature:
        raise
    except Exception:  # a certificate, a key or an algorithm of a kind not known
        return
