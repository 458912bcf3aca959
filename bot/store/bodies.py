"""Letters as they are kept: what they say in plain, and their pictures apart.

A letter is written so that seven bits carry it: texts as quoted-printable, pictures as base64. Kept like that, no two
letters look alike to what packs them. So the texts are kept decoded, between two signs that no letter holds otherwise,
and a picture leaves a third sign in its place. Whatever would not come out again to the byte stays as it is: a letter
may be sent once more at any time, and is then the same.
"""

from __future__ import annotations

import re
from base64 import encodebytes
from binascii import Error, a2b_base64, a2b_qp, b2a_qp
from collections.abc import Mapping, Sequence

_PICTURE, _BEGIN, _END = b"\x01", b"\x02", b"\x03"
_SIGNS = re.compile(rb"[\x01-\x03]")
_PNG = re.compile(rb"iVBORw0KGgo[A-Za-z0-9+/=\r\n]*\r\n(?=\r\n--)")
_TEXT = re.compile(rb"(: quoted-printable\r\n\r\n)([^\r]*+(?:\r(?!\n--=_mentat_)[^\r]*+)*+)")
_FIELDS = re.compile(rb"\r\n(?![ \t])")
_NAMES = re.compile(rb"(?:message-id|in-reply-to|references):", re.IGNORECASE)
_KEPT_TEXT = re.compile(rb"\x02([^\x03]*)\x03")


def take_apart(letter: bytes) -> tuple[bytes, tuple[bytes, ...]]:
    """The letter as it is kept, and its pictures."""
    if _SIGNS.search(letter):
        return letter, ()
    pngs: list[bytes] = []

    def without(part: re.Match[bytes]) -> bytes:
        try:
            png = a2b_base64(part[0])
        except Error:
            return part[0]
        if _as_base64(png) != part[0]:
            return part[0]
        pngs.append(png)
        return _PICTURE

    return _TEXT.sub(_decoded, _PNG.sub(without, letter)), tuple(pngs)


def with_tokens(kept: bytes, tokens: Mapping[str, str]) -> bytes:
    """A letter as it is kept with other reply and bounce tokens, where its reader is to answer. What names it and the
    letters before it (Message-ID, In-Reply-To, References) stays, or it would be another letter.

    >>> with_tokens(b"Reply-To: a+old@x.example\\r\\n\\r\\nmailto:a%2Bold@x.example", {"old": "new"})
    b'Reply-To: a+new@x.example\\r\\n\\r\\nmailto:a%2Bnew@x.example'
    """
    if not any(old.encode() in kept for old in tokens):
        return kept
    head, blank, body = kept.partition(b"\r\n\r\n")
    fields = [field if _NAMES.match(field) else _replaced(field, tokens) for field in _FIELDS.split(head)]
    return b"\r\n".join(fields) + blank + _replaced(body, tokens)


def _replaced(part: bytes, tokens: Mapping[str, str]) -> bytes:
    for old, new in tokens.items():
        part = part.replace(old.encode(), new.encode())
    return part


def put_together(kept: bytes, pngs: Sequence[bytes]) -> bytes:
    """The letter as it was written. ``pngs`` are its pictures; without any their signs stay."""
    left = iter(pngs)
    letter = _KEPT_TEXT.sub(lambda part: _as_quoted_printable(part[1]), kept)
    return re.sub(_PICTURE, lambda _: _as_base64(next(left)), letter) if pngs else letter


def _decoded(part: re.Match[bytes]) -> bytes:
    text = a2b_qp(part[2].replace(b"\r\n", b"\n"))
    same = _as_quoted_printable(text) == part[2] and not _SIGNS.search(text)
    return part[1] + _BEGIN + text + _END if same else part[0]


def _as_quoted_printable(text: bytes) -> bytes:
    """A text as it stands in a letter (``bot.mail.outgoing``)."""
    return b2a_qp(text, istext=True).replace(b"\n", b"\r\n")


def _as_base64(png: bytes) -> bytes:
    """A picture as it stands in a letter."""
    return encodebytes(png).replace(b"\n", b"\r\n")
