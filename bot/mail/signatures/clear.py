"""Texts that OpenPGP signed in clear (RFC 9580 section 7): where they stand in a body, and what of them was signed."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CLEAR = re.compile(
    rb"^[ \t]*-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\n"
    rb"(?:[A-Za-z]{2,20}:[^\n]*\n)*[^\n]*(?:\n|\Z)"  # fields such as `Hash`, and an empty row
    rb"(.*?)\n?"
    rb"(^[ \t]*-----BEGIN PGP SIGNATURE-----[ \t]*\n.*?(?:^[ \t]*-----END PGP SIGNATURE-----|\Z)|\Z)",
    re.MULTILINE | re.DOTALL,
)


def clear_signed(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The signed texts of a body that are not quoted, in their order, each with its armored signature, and without one
    if that never comes. A text is as it was signed: dash escapes undone, no spaces at the ends of its rows.

    >>> list(clear_signed(b"-----BEGIN PGP SIGNED MESSAGE-----\\n\\n- - a \\n-----BEGIN PGP SIGNATURE-----\\nx"))
    [(b'- a', b'-----BEGIN PGP SIGNATURE-----\\nx')]
    """
    for text, signature in _CLEAR.findall(re.sub(rb"\r\n?", b"\n", body)):
        yield b"\r\n".join(row.removeprefix(b"- ").rstrip(b" \t") for row in text.split(b"\n")), signature
