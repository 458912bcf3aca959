"""S/MIME signed in one piece: a text that is not secret but packed (RFC 8551 section 3.5.2).

The whole part is inside a CMS structure and is unwrapped; whether the signature fits is looked at elsewhere
(`bot.mail.signatures`). What is encrypted stays closed.
"""

from __future__ import annotations

SIGNED_TYPES = ("application/pkcs7-mime", "application/x-pkcs7-mime")
MAX_SEALED = 1_000_000


def signed_content(data: bytes) -> bytes | None:
    """The mail part inside a signed-data structure; None when it is encrypted, detached, too large, or none at all."""
    if len(data) > MAX_SEALED:
        return None
    from asn1crypto import cms  # seldom needed, and large

    try:
        info = cms.ContentInfo.load(data)
        if info["content_type"].native != "signed_data":
            return None
        content = info["content"]["encap_content_info"]["content"].native
    except Exception:  # the decoder raises many kinds on bytes that are no CMS
        return None
    return content if isinstance(content, bytes) else None
