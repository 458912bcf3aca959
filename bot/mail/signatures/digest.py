"""What a signature shows of the digest of its text, and what that says of the text."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Literal, NamedTuple

Outcome = Literal["fits", "unproved", "changed", "damaged"]
"""`fits`: this is the text that was signed, as far as its digest shows. `unproved`: nothing speaks against it, but the
digest is not shown, or is of a kind not known. `changed`: this is not the text that was signed. `damaged`: what should
be a signature is none."""


class Shown(NamedTuple):
    """How a digest begins, or the whole of it; `before` and `after` are hashed around the text. Where it was put in
    afterwards, `forged`, no text fits."""

    hash_name: str
    digest: bytes
    before: bytes = b""
    after: bytes = b""
    forged: bool = False

    def fits(self, text: bytes) -> bool:
        if self.forged:
            return False
        hashed = hashlib.new(self.hash_name, self.before + text + self.after, usedforsecurity=False)
        return hashed.digest().startswith(self.digest)


def outcome(signatures: Collection[Shown | None], texts: Collection[bytes]) -> Outcome:
    """What signatures say of a text, given in each of the forms in which it may have been signed; None stands for one
    of a kind not known. One that fits is enough: then the text is what was signed.

    >>> outcome([Shown("md5", b"no digest"), None], [b"bid 4"])
    'unproved'
    """
    known = [each for each in signatures if each and each.hash_name in hashlib.algorithms_available]
    if any(each.fits(text) for each in known for text in texts):
        return "fits"
    return "changed" if len(known) == len(signatures) else "unproved"
