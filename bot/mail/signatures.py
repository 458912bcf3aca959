"""What signatures mean for the words of a mail: what is signed is opened and read, what is encrypted stays closed.

S/MIME signed in one piece (RFC 8551 section 3.5.2) packs the text, and keeps no secret: the whole part is inside a CMS
structure and is unwrapped.

OpenPGP in clear (RFC 9580 sections 6 and 7) wraps the text in marks and puts `- ` before lines that begin with a dash;
both are undone, also where two have signed, one around the other. Of what is encrypted its sender is told. No signature
is checked: who sent a mail is proved by its token, its address and DKIM (`bot.mail.authentication`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from bot.mail.lines import Line

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


_ARMOR_MARK = re.compile(r"^\s*-{5}(BEGIN|END) PGP ([A-Z ]{3,40}?)-{5}\s*$")
_ARMOR_FIELD = re.compile(r"^[A-Za-z]{2,20}: ")


_MOST_AROUND = 3
"""So many signatures around one another are undone."""


class TextWithoutArmor(NamedTuple):
    """The lines without any armor; `encrypted` says whether there was a block that cannot be read."""

    lines: list[Line]
    encrypted: bool


def undressed(lines: Sequence[Line]) -> TextWithoutArmor:
    """
    >>> undressed([Line("-----BEGIN PGP SIGNED MESSAGE-----"), Line("Hash: SHA256"), Line(""), Line("bid 4"),
    ...            Line("-----BEGIN PGP SIGNATURE-----"), Line("iQEz"), Line("-----END PGP SIGNATURE-----")]).lines
    [Line(text='bid 4', depth=0)]
    """
    found = _remove_outermost(lines)
    for _ in range(_MOST_AROUND - 1):
        if not any(map(_mark, found.lines)):
            break
        inner = _remove_outermost(found.lines)
        found = TextWithoutArmor(inner.lines, found.encrypted or inner.encrypted)
    return found


def _mark(line: Line) -> re.Match[str] | None:
    return _ARMOR_MARK.match(line.text[:100]) if line.depth == 0 else None


def _remove_outermost(lines: Sequence[Line]) -> TextWithoutArmor:
    kept: list[Line] = []
    encrypted = signed = in_head = in_block = False
    for line in lines:
        mark = _mark(line)
        if mark:
            begins, kind = mark.group(1) == "BEGIN", mark.group(2)
            encrypted = encrypted or (begins and kind == "MESSAGE")
            signed = in_head = begins and kind == "SIGNED MESSAGE"
            in_block = begins and not signed
        elif in_head:
            in_head = bool(_ARMOR_FIELD.match(line.text))
            if not in_head and line.text.strip():
                kept.append(line)
        elif not in_block or line.depth != 0:
            text = line.text.removeprefix("- ") if signed and line.depth == 0 else line.text
            kept.append(Line(text, line.depth))
    return TextWithoutArmor(kept, encrypted)
