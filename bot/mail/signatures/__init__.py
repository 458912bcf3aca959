"""Whether the signatures of a mail fit its text: `check(raw, text)`.

What is signed, and by what: a part with a detached signature of OpenPGP (RFC 3156) or S/MIME (RFC 8551) beside it, a
text that OpenPGP signed in clear (RFC 9580 section 7), a part inside an S/MIME structure. Nothing here says who wrote a
mail, and no key is asked for; what is found out, by the digest that a signature shows, is that a text was changed on
its way.

Whoever reads the mail wants to know of a signature that fails, and of no other. So each text is tried in the few forms
in which programs are known to sign it, and what cannot be decided counts as no failure. The work for one mail is
bounded: of what is large or many the rest stays unproved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from email.message import Message
from itertools import islice

from bot.mail.mime.head import mended
from bot.mail.mime.parts import charset_of, content_type_of
from bot.mail.mime.sealed import SIGNED_TYPES, signed_content
from bot.mail.mime.transfer import content
from bot.mail.mime.weighing import MAX_BYTES, objection, parsed
from bot.mail.signatures import openpgp, smime
from bot.mail.signatures.clear import clear_signed
from bot.mail.signatures.digest import Outcome, Shown, outcome

__all__ = ["Checked", "Outcome", "check"]

MOST_SIGNED = 8
"""Signed texts of one mail that are looked at."""
MOST_SIGNATURES = 3
"""Signatures of one text that are looked at."""
MAX_TEXT = 1_000_000
"""Bytes of a signed text."""
MAX_SIGNATURE = 200_000
"""Bytes of a signature beside its text: with all its certificates, or safe from quantum computers."""

_HINTS = (b"multipart/signed", b"/pkcs7-mime", b"/x-pkcs7-mime")
_IN_CLEAR = b"pgp signed message"
"""A mail without one of the hints in its source, or this in its text, all in lower case, has no signature."""
_BESIDE = {
    "application/pgp-signature": ("OpenPGP", openpgp.signatures),
    "application/pkcs7-signature": ("S/MIME", smime.signatures),
    "application/x-pkcs7-signature": ("S/MIME", smime.signatures),
}


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


def check(raw: bytes, text: str) -> tuple[Checked, ...]:
    """What is found of each signature of a mail that `bot.mail.mime.message` has weighed and parsed. Never raises.

    `text` is the plain text that was found in it.

    >>> check(b"From: baron@example.org\\n\\nbid 4\\n", "bid 4\\n")
    ()
    """
    source = raw.lower()
    if not any(hint in source for hint in _HINTS) and _IN_CLEAR not in text.lower().encode("utf-8", "replace"):
        return ()
    try:
        return tuple(islice(_in_message(raw), MOST_SIGNED))
    except Exception:  # the promise of this function: what cannot be looked at is not said to fail
        return ()


def _in_message(raw: bytes) -> Iterator[Checked]:
    whole = mended(raw)
    for part in _parts(parsed(whole)):
        kind = content_type_of(part)
        if kind == "multipart/signed":
            yield from _beside(part, whole)
        elif kind in SIGNED_TYPES:
            yield from _inside(part)
        elif kind == "text/plain":
            yield from _in_clear(part)


def _parts(part: Message) -> Iterator[Message]:
    """A part and all parts in it, but nothing of an enclosed message."""
    yield part
    if part.get_content_maintype() == "multipart":
        for child in _children(part):
            yield from _parts(child)


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def _beside(part: Message, message: bytes) -> Iterator[Checked]:
    """The first part of these, and the signature among the others. Lists put their footer there, too."""
    children = _children(part)
    for child in children[1:]:
        if content_type_of(child) in _BESIDE:
            standard, signatures = _BESIDE[content_type_of(child)]
            signed, sealed = _first(part, len(children), message), content(child, MAX_SIGNATURE + 1)
            looked_at = 0 < len(signed) <= MAX_TEXT and len(sealed) <= MAX_SIGNATURE
            yield Checked(standard, _outcome(signatures, sealed, _forms(signed)) if looked_at else "unproved")


def _inside(part: Message) -> Iterator[Checked]:
    sealed = content(part, MAX_BYTES)
    inside = signed_content(sealed)
    if inside is not None:
        yield Checked("S/MIME", _outcome(smime.signatures, sealed, [inside]))
        if not objection(inside, MAX_BYTES):
            yield from _in_message(inside)


def _in_clear(part: Message) -> Iterator[Checked]:
    for text, signature in clear_signed(content(part, MAX_TEXT)):
        forms = [text, _in_utf8(text, charset_of(part))]
        if str(part.get_param("format")).lower() == "flowed":  # made so after it was signed (RFC 3676 section 4.4)
            forms.append(re.sub(rb"(?m)^ ", b"", text))
        told = _outcome(openpgp.signatures, signature, forms)
        yield Checked("OpenPGP", told, text.decode("utf-8", "replace"))


def _outcome(read: Callable[[bytes], Iterator[Shown | None]], sealed: bytes, texts: Collection[bytes]) -> Outcome:
    try:
        signatures = list(islice(read(sealed), MOST_SIGNATURES))
    except Exception:  # decoders raise many kinds on bytes that are no signature
        return "damaged"
    return outcome(signatures, texts) if signatures else "damaged"


def _first(part: Message, count: int, message: bytes) -> bytes:
    """The first of the `count` parts of a multipart as the very bytes that were sent, but with LF at the end of lines;
    nothing where its delimiters stand elsewhere, too. They own the line end before them (RFC 2046 section 5.1.1)."""
    boundary = re.escape(part.get_boundary("").encode("utf-8", "surrogateescape"))
    message = message.replace(b"\r\n", b"\n") if b"\n" in message else message.replace(b"\r", b"\n")
    pieces = re.split(rb"\n--" + boundary + rb"(?:--)?[ \t]*(?=\n|\Z)", message)[1:]
    return pieces[0][1:] if len(pieces) in (count, count + 1) else b""


def _forms(part: bytes) -> list[bytes]:
    """A part as it should be signed, with CRLF at the end of each line but the last, and as programs also sign it."""
    canonical = part.replace(b"\n", b"\r\n")
    stripped = b"\r\n".join(row.rstrip(b" \t") for row in part.split(b"\n"))
    return list(dict.fromkeys([canonical, canonical + b"\r\n", stripped, part]))


def _in_utf8(text: bytes, charset: str) -> bytes:
    """The text in UTF-8, in which it may have been signed if it came in another charset."""
    try:
        return text.decode(charset).encode("utf-8")
    except (LookupError, UnicodeError):
        return text
