"""Texts that OpenPGP signed in clear (RFC 9580 section 7): where they stand in a body, and what of them was signed."""

from __future__ import annotations

import re
from typing import NamedTuple

_BEGIN = re.compile(rb"\s*-----BEGIN PGP SIGNED MESSAGE-----\s*\Z")
_SIGNATURE = re.compile(rb"\s*-----BEGIN PGP SIGNATURE-----\s*\Z")
_END = re.compile(rb"\s*-----END PGP SIGNATURE-----\s*\Z")
_FIELD = re.compile(rb"[A-Za-z]{2,20}:")
_MOST_MARK = 100


class ClearSigned(NamedTuple):
    """The rows of a text, dash escapes undone and without the spaces at their ends, and its armored signature."""

    rows: tuple[bytes, ...]
    signature: bytes

    @property
    def text(self) -> bytes:
        """As it was signed."""
        return b"\r\n".join(self.rows)

    @property
    def unstuffed(self) -> bytes:
        """As it was signed, if a program made it `format=flowed` afterwards (RFC 3676 section 4.4)."""
        return b"\r\n".join(row.removeprefix(b" ") for row in self.rows)


def clear_signed(body: bytes) -> list[ClearSigned]:
    """The signed texts of a body that are not quoted, in their order. One whose signature never comes has none.

    >>> clear_signed(b"-----BEGIN PGP SIGNED MESSAGE-----\\n\\n- - a \\n-----BEGIN PGP SIGNATURE-----\\nx")
    [ClearSigned(rows=(b'- a',), signature=b'-----BEGIN PGP SIGNATURE-----\\nx')]
    """
    found: list[ClearSigned] = []
    rows = iter(re.split(rb"\r\n|\n|\r", body))
    for row in rows:
        if _is(_BEGIN, row):
            for field in rows:
                if not _FIELD.match(field):
                    break
            signed: list[bytes] = []
            signature: list[bytes] = []
            for line in rows:
                if signature or _is(_SIGNATURE, line):
                    signature.append(line)
                    if _is(_END, line):
                        break
                else:
                    signed.append(line.removeprefix(b"- ").rstrip(b" \t"))
            found.append(ClearSigned(tuple(signed), b"\n".join(signature)))
    return found


def _is(mark: re.Pattern[bytes], row: bytes) -> bool:
    return b"-----" in row[:_MOST_MARK] and bool(mark.match(row[:_MOST_MARK]))
