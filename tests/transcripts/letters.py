"""Letters as pieces of a transcript: their header fields, their text, and a short form of their HTML.

The HTML keeps what a reader sees or clicks: tags, classes, links and words. A style is shown as a short digest. So a
different colour is visible but does not fill the transcript.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from email.policy import compat32

from tests.transcripts.transcript import Piece

HEAD = (
    "From", "Reply-To", "To", "Cc", "Date", "Message-ID", "In-Reply-To", "References", "Auto-Submitted",
    "X-Auto-Response-Suppress", "Precedence", "List-Id", "List-Unsubscribe", "List-Help", "List-Post", "X-Mentat",
)  # fmt: skip
_STYLE = re.compile(r' style="([^"]*)"')
_SHEET = re.compile(r"<style>.*?</style>", re.DOTALL)
_PICTURE = re.compile(r"data:image/[a-z+]+;base64,[A-Za-z0-9+/=]+")
_HASH = re.compile(
    r"\b[0-9a-f]{16}(?:\s+[0-9a-f]{16}){3}\b|\b[0-9a-f]{64}\b|\b[0-9a-f]{24}\b"
    r"|(?:(?<=: )|(?<=ends with\s))[0-9a-f]{16}(?![0-9a-f])"
)
_GZIP = b"\x1f\x8b"
_BREAK = re.compile(r"(?<=>)(?=<(?:tr|td|div|p|h[1-6]|table|a|ul|ol|li|img|hr|input|label)[\s>])")


def letter_piece(raw: bytes, envelope_from: str = "", to: str = "") -> Piece:
    """Return the piece for a mail as it was sent. ``to`` is the recipient, if the header does not name one."""
    message = message_from_bytes(raw, policy=compat32)
    lines = [f"Envelope-From: {envelope_from}"] if envelope_from else []
    lines += [f"{name}: {_words(value)}" for name in HEAD for value in message.get_all(name, ())]
    lines += [f"Other fields: {', '.join(other)}"] if (other := _others(message)) else []
    return Piece(
        f"to {to or _words(message['To'] or '')}: {_words(message['Subject'] or '(no subject)')}",
        "\n".join([*lines, "", *_parts(message)]).rstrip("\n"),
    )


def page_in_short(page: str) -> str:
    """Return an HTML page line by line, with digests for styles and pictures.

    >>> page_in_short('<div><p style="margin:0">one</p><p>two</p></div>')
    '<div>\\n<p ~ab79>one</p>\\n<p>two</p></div>'
    """
    page = _SHEET.sub(lambda found: f"<style ~{_digest(found[0])}>", page)
    page = _STYLE.sub(lambda found: f" ~{_digest(found[1])}", page)
    page = _PICTURE.sub(lambda found: f"picture ~{_digest(found[0])}", page)
    return _BREAK.sub("\n", without_hashes(page))


def _parts(message: Message) -> Iterator[str]:
    for part in message.walk():
        if part.is_multipart():
            continue
        content, kind = part.get_payload(decode=True), part.get_content_type()
        assert isinstance(content, bytes)
        name = part.get_filename()
        if name or not kind.startswith("text/"):
            where = part.get("Content-ID") or part.get_content_disposition() or ""
            yield " ".join(("[", kind, name or "", where, *_size(kind, content), "]"))
            continue
        text = content.decode(part.get_content_charset() or "utf-8", "replace").replace("\r\n", "\n")
        yield page_in_short(text) if kind == "text/html" else without_hashes(text)


def _size(kind: str, content: bytes) -> tuple[str, ...]:
    """Return a picture's dimensions, because other zlib versions compress it to other bytes. Return nothing for a
    packed record, which is full of hashes."""
    if kind == "image/png":
        return ("{} x {}".format(*struct.unpack(">II", content[16:24])),)
    return () if content.startswith(_GZIP) else (f"~{_digest(content)}",)


def without_hashes(text: str) -> str:
    """Return a text without the digits of record hashes, which any changed event would change.

    >>> without_hashes("record so far: 0123456789abcdef")
    'record so far: (hash)'
    """
    return _HASH.sub("(hash)", text)


def _others(message: Message) -> list[str]:
    """Return the header fields that are neither shown nor standard, so that a new field is noticed."""
    shown = {name.lower() for name in (*HEAD, "Subject", "MIME-Version", "Content-Type", "Content-Transfer-Encoding")}
    return [f"{name}={_words(value)}" for name, value in message.items() if name.lower() not in shown]


def _words(value: str) -> str:
    """Return a header field as readers see it, on one line."""
    return " ".join(str(make_header(decode_header(value))).split())


def _digest(content: str | bytes) -> str:
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()[:4]
