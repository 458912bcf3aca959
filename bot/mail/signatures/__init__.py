"""Whether the signatures of a mail fit its text: `check(raw)`.

What is signed, and by what: a part with a detached signature of OpenPGP (RFC 3156) or S/MIME (RFC 8551) beside it, a
text that OpenPGP signed in clear (RFC 9580 section 7), a part inside an S/MIME structure. Nothing here says who wrote a
mail, and no key is asked for; what is found out, by the digest that a signature shows, is that a text was changed on
its way.

Whoever reads the mail wants to know of a signature that fails, and of no other. So each text is tried in the few forms
in which programs are known to sign it, and what cannot be decided counts as no failure. The work for one mail is
bounded (`Work`): a signature made to be costly stays unproved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.mail.mime.head import mended
from bot.mail.mime.sealed import SIGNED_TYPES, signed_content
from bot.mail.mime.weighing import MAX_BYTES, objection
from bot.mail.signatures import openpgp, smime
from bot.mail.signatures.clear import ClearSigned, clear_signed
from bot.mail.signatures.outcome import Outcome, Work
from bot.mail.signatures.parts import Part

__all__ = ["Checked", "Outcome", "check"]

MOST_SIGNED = 8
"""Signed texts of one mail that are looked at."""
MAX_CLEAR = 1_000_000
"""Bytes of a text that may be signed in clear."""
MAX_CMS = 200_000
"""Bytes of an S/MIME signature that stands beside its text, with all its certificates."""

_HINTS = (b"multipart/signed", b"/pkcs7-mime", b"/x-pkcs7-mime", b"pgp signed message", b"base64", b"=2d")
"""A mail without one of these, in lower case, has no signature; behind the last two a text in clear may be hidden."""
_PGP = ("application/pgp-signature",)
_CMS = ("application/pkcs7-signature", "application/x-pkcs7-signature")


@dataclass(frozen=True, slots=True)
class Checked:
    """One signed text. `text` is what was signed in clear, for there the mail may hold more than that."""

    standard: str
    """`OpenPGP` or `S/MIME`."""
    outcome: Outcome
    text: str = ""

    @property
    def fails(self) -> bool:
        return self.outcome in ("changed", "damaged")


@dataclass(slots=True)
class _Found:
    """What a walk over the parts has found."""

    detached: list[tuple[str, Part, Part]] = field(default_factory=list)
    clear: list[tuple[ClearSigned, tuple[bytes, ...]]] = field(default_factory=list)
    opaque: list[tuple[bytes, bytes]] = field(default_factory=list)

    @property
    def full(self) -> bool:
        return len(self.detached) + len(self.clear) + len(self.opaque) >= MOST_SIGNED


def check(raw: bytes) -> tuple[Checked, ...]:
    """What is found of each signature of a mail that `bot.mail.mime.message` has weighed and parsed. Never raises.

    >>> check(b"From: baron@example.org\\n\\nbid 4\\n")
    ()
    """
    lower = raw.lower()
    if not any(hint in lower for hint in _HINTS):
        return ()
    try:
        return tuple(_checked(raw))
    except Exception:  # the promise of this function: what cannot be looked at is not said to fail
        return ()


def _checked(raw: bytes) -> Iterator[Checked]:
    found = _Found()
    _walk(_whole(mended(raw)), found)
    work = Work()
    for standard, signed, signature in found.detached:
        yield Checked(standard, _detached(standard, signed, signature, work))
    for text, forms in found.clear:
        outcome = openpgp.check(text.signature, dict.fromkeys(forms), work)
        yield Checked("OpenPGP", outcome, text.text.decode("utf-8", "replace"))
    for sealed, inside in found.opaque:
        yield Checked("S/MIME", smime.check(sealed, [inside], work))


def _whole(raw: bytes, depth: int = 0) -> Part:
    return Part(raw, 0, len(raw), depth)


def _walk(part: Part, found: _Found) -> None:
    """What is signed in a part; nothing of an enclosed message."""
    if found.full:
        return
    kind = part.content_type
    children = list(part.children())
    if kind == "multipart/signed":
        _beside(children, found)
    for child in children:
        _walk(child, found)
    if kind in SIGNED_TYPES:
        _inside(part, found)
    elif kind == "text/plain":
        _in_clear(part, found)


def _beside(children: list[Part], found: _Found) -> None:
    """The first of these parts, and the signature among the others. Lists put their footer there too."""
    for child in children[1:]:
        standard = {**dict.fromkeys(_PGP, "OpenPGP"), **dict.fromkeys(_CMS, "S/MIME")}.get(child.content_type)
        if standard:
            found.detached.append((standard, children[0], child))


def _inside(part: Part, found: _Found) -> None:
    sealed = part.content()
    inside = signed_content(sealed)
    if inside is None:
        return
    found.opaque.append((sealed, inside))
    if not objection(inside, MAX_BYTES):
        _walk(_whole(mended(inside), part.depth + 1), found)


def _in_clear(part: Part, found: _Found) -> None:
    body = part.content()
    if b"-----BEGIN PGP SIGNED MESSAGE-----" not in body:
        return
    for text in clear_signed(body[:MAX_CLEAR])[: MOST_SIGNED - 1]:
        forms = [text.text]
        if part.parameter("format") == "flowed":
            forms.append(text.unstuffed)
        forms += _in_utf8(text.text, part.parameter("charset"))
        found.clear.append((text, tuple(forms)))


def _in_utf8(text: bytes, charset: str) -> list[bytes]:
    """The text in UTF-8, in which it may have been signed, if it came in another charset."""
    try:
        return [text.decode(charset).encode("utf-8")] if charset and not text.isascii() else []
    except (LookupError, UnicodeError):
        return []


def _detached(standard: str, signed: Part, signature: Part, work: Work) -> Outcome:
    if not work.allows_a_text(signed.end - signed.start):
        return "unproved"
    forms = _forms(signed.whole())
    if standard == "OpenPGP":
        return openpgp.check(signature.content(), forms, work)
    sealed = signature.content()
    return smime.check(sealed, forms, work) if len(sealed) <= MAX_CMS else "unproved"


def _forms(part: bytes) -> list[bytes]:
    """A part as it should be signed, with CRLF at the end of each line but the last, and as programs also sign it."""
    canonical = re.sub(rb"\r?\n", b"\r\n", part)
    stripped = b"\r\n".join(row.rstrip(b" \t") for row in canonical.split(b"\r\n"))
    return list(dict.fromkeys([canonical, canonical + b"\r\n", stripped, canonical.replace(b"\r\n", b"\n")]))
