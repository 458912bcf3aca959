"""The bytes of one part, its transfer encoding undone as far as it was kept (RFC 2045 section 6).

Programs on the way break encodings: a list writes its footer in clear below a base64 text, a gateway decodes a part and
leaves the label, a label is misspelt. The standard parser decodes such a part into noise; a person would read it.
"""

from __future__ import annotations

import base64
import binascii
import re
import string
from email.message import Message

_FIELD = "content-transfer-encoding"
_BASE64_ROW = re.compile(r"[A-Za-z0-9+/]*={0,2}\s*\Z")
_PADDED_BREAK = re.compile(rb"=[ \t]{1,200}\r?\n")
"""A soft line break with spaces that a server put behind it (RFC 2045 section 6.7, rule 3)."""
_NO_LETTERS = bytes(set(range(256)) - set(string.ascii_letters.encode() + string.digits.encode() + b"+/"))
_BROKEN_FROM = 32
_NOT_TEXT = re.compile(rb"[\x01-\x08\x0e-\x1f\x7f]")
_KNOWN = {"base64": "base64", "b64": "base64", "quoted-printable": "quoted-printable", "quotedprintable":
          "quoted-printable", "qp": "quoted-printable", "x-uuencode": "x-uuencode", "uuencode": "x-uuencode",
          "x-uue": "x-uuencode", "uue": "x-uuencode"}  # fmt: skip


def content(part: Message, most: int) -> bytes:
    """At most about `most` bytes of what the part holds; nothing for a part that holds other parts.

    >>> from email import message_from_bytes
    >>> content(message_from_bytes(b"Content-Transfer-Encoding: base64\\n\\nYmlkIDQK\\n-- \\nThe list\\n"), 100)
    b'bid 4\\n'
    """
    if part.is_multipart():
        return b""
    field = re.sub(r"\([^()]*\)", " ", str(part.get(_FIELD, ""))[:400])
    label = re.sub(r"[\"'\s;].*\Z", "", field.strip().lower().lstrip("\"'"), flags=re.DOTALL)
    encoding = _KNOWN.get(label, "8bit")
    coded = _payload(part, "8bit")
    if encoding == "base64":
        return _from_base64(coded, most)
    if encoding == "quoted-printable":
        return binascii.a2b_qp(_PADDED_BREAK.sub(b"=\n", coded))[:most]
    if encoding == "x-uuencode":
        return _payload(part, encoding)[:most]
    return coded[:most]


def _payload(part: Message, encoding: str) -> bytes:
    """What the standard parser makes of the part if it is said to be encoded so."""
    declared = part.get_all(_FIELD, [])
    del part[_FIELD]
    part[_FIELD] = encoding
    payload = part.get_payload(decode=True)
    del part[_FIELD]
    for value in declared:
        part[_FIELD] = value
    return payload if isinstance(payload, bytes) else b""


def _from_base64(raw: bytes, most: int) -> bytes:
    rows: list[str] = []
    size = 0
    for row in raw.decode("latin-1").splitlines():
        if not _BASE64_ROW.match(row.strip()):
            break
        rows.append(row.strip())
        size += len(row)
        if size > most * 4 // 3 + 4:
            break
    coded = "".join(rows)
    if not coded:
        return _from_broken_base64(raw[: most * 2]) or raw[:most]
    decoded = b"".join(_group(letters) for letters in coded.split("="))
    in_clear = len(coded) < 40 and _NOT_TEXT.search(decoded) and not _NOT_TEXT.search(raw)
    return raw[:most] if in_clear else decoded[:most]


def _group(letters: str) -> bytes:
    """What stands between two paddings, which some programs write at every line; a letter too many is dropped."""
    letters = letters[:-1] if len(letters) % 4 == 1 else letters
    return base64.b64decode(letters + "=" * (-len(letters) % 4))


def _from_broken_base64(raw: bytes) -> bytes:
    """Base64 with other signs among its letters, which are not to be minded (RFC 2045 section 6.8), if that makes a
    text; else nothing."""
    letters = raw.translate(None, _NO_LETTERS)
    if len(letters) < _BROKEN_FROM and b" " in raw.strip():
        return b""
    decoded = _group(letters.decode("ascii"))
    try:
        decoded.decode("utf-8")
    except UnicodeDecodeError:
        return b""
    return b"" if _NOT_TEXT.search(decoded) else decoded
