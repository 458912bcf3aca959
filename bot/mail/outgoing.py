"""Outgoing letters: a `Letter` is turned into the same bytes each time it is built.

The outbox may have to build and send a letter again after a crash, so letters do not depend on a clock or a random
number: the caller passes in the date and message id, and boundaries are derived from the message id. Every letter says
that a program wrote it (RFC 3834), names its game (RFC 2919), and has a field `X-Mentat`, which identifies our own mail
when it comes back. Text from outside cannot add a header field, because control characters are refused in every field.

Mentat also writes to itself to test the route of its mail: `mentat doctor` does so, and so does the canary. `X-Mentat`
then contains the kind of test and a code that nobody can guess. When such a mail arrives, only this field identifies
it, whatever else was changed on the way (`bot.mail.disposition`).
"""

from __future__ import annotations

import hashlib
import re
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.header import Header
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, formataddr
from functools import lru_cache
from typing import Literal, NamedTuple

from bot.mail.message import Incoming

LONGEST_LINE = 76  # columns before a header field is folded
_CONTROLS = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029]")
_NEWLINE = re.compile(r"\r\n?")
_FILE_NAME = re.compile(r"[A-Za-z0-9._-]+")
_FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_RESERVED = frozenset(
    ("from", "to", "cc", "bcc", "subject", "date", "message-id", "reply-to", "mime-version", "content-type")
)


class LetterError(ValueError):
    """A letter cannot be written, because a field contains a line break or an address is malformed."""


class Image(NamedTuple):
    """A picture in the HTML of a letter, which `<img src="cid:…">` shows there."""

    cid: str
    png: bytes
    filename: str


class Attachment(NamedTuple):
    filename: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Letter:
    """One letter to one person. Message ids have no angle brackets. `date` must have a time zone."""

    to: str
    subject: str
    text: str
    sender: str
    message_id: str
    date: datetime
    game: str
    """The game's id, for List-Id and X-Mentat; empty for letters about no game."""
    to_name: str = ""
    sender_name: str = "Mentat"
    reply_to: str = ""
    """The plus address with the reader's token, or empty if replies should go to the sender."""
    html: str | None = None
    images: Sequence[Image] = ()
    attachments: Sequence[Attachment] = ()
    in_reply_to: str = ""
    references: Sequence[str] = ()
    auto_submitted: Literal["auto-generated", "auto-replied"] = "auto-generated"
    """`auto-replied` for an answer to a mail from the reader (RFC 3834 section 5)."""
    unsubscribe: str = ""
    """The `mailto:` URL with which the reader unsubscribes from these letters (RFC 2369). One-click unsubscribing (RFC
    8058) would need a web server."""
    extra_headers: Mapping[str, str] = field(default_factory=dict)


def build_letter(letter: Letter) -> bytes:
    """Return the letter as bytes with CRLF line ends. Raise `LetterError`, which names the field, if the letter cannot
    be written.

    The letter consists of plain text, or of text and HTML as alternatives. Pictures belong to the HTML; if there is no
    HTML, they follow the text. Attachments come last.
    """
    if letter.date.tzinfo is None:
        raise LetterError("the date of a letter needs a time zone")
    part = _text_part("plain", letter.text)
    if letter.html is None and letter.images:
        part = _together("mixed", letter, part, *(_image_part(image, "attachment") for image in letter.images))
    elif letter.html is not None:
        page = _text_part("html", letter.html)
        if letter.images:
            page = _together("related", letter, page, *(_image_part(image, "inline") for image in letter.images))
        part = _together("alternative", letter, part, page)
    if letter.attachments:
        part = _together("mixed", letter, part, *map(_file_part, letter.attachments))
    head = [*_fields(letter), ("MIME-Version", "1.0"), *part.fields]
    return _Part(head, part.content).as_bytes()


class _Part(NamedTuple):
    """A MIME part (RFC 2045): its header fields and its encoded content. The message classes of the standard library
    are not used, because they parse each field again when it is set, which took a third of the time for building a
    mail."""

    fields: Sequence[tuple[str, str]]
    content: bytes

    def as_bytes(self) -> bytes:
        head = "".join(f"{name}: {value}\r\n" for name, value in self.fields)
        return head.encode("ascii") + b"\r\n" + self.content


def _text_part(subtype: str, text: str) -> _Part:
    """Encode text: short lines of plain ASCII as 7bit, everything else as quoted-printable, which stays readable."""
    lines = _NEWLINE.sub("\n", text if text.endswith("\n") else text + "\n")
    plain = lines.isascii() and max(map(len, lines.split("\n"))) <= 900
    data = lines.encode("utf-8", "replace")
    coded = data.replace(b"\n", b"\r\n") if plain else as_quoted_printable(data)
    encoding = "7bit" if plain else "quoted-printable"
    fields = [("Content-Type", f'text/{subtype}; charset="utf-8"'), ("Content-Transfer-Encoding", encoding)]
    return _Part(fields, coded)


@lru_cache(maxsize=2)  # the store encodes a letter's texts again, to check that it can restore them
def as_quoted_printable(text: bytes) -> bytes:
    return b2a_qp(text, istext=True).replace(b"\n", b"\r\n")


def _image_part(image: Image, disposition: Literal["inline", "attachment"]) -> _Part:
    part = _coded("image/png", disposition, image.filename, image.png)
    if disposition == "inline":
        return _Part([*part.fields, ("Content-ID", f"<{_one_line('cid', image.cid)}>")], part.content)
    return part


def _file_part(file: Attachment) -> _Part:
    kind = "text/calendar; charset=utf-8" if file.filename.endswith(".ics") else "application/octet-stream"
    return _coded(kind, "attachment", file.filename, file.data)


def _coded(kind: str, disposition: Literal["inline", "attachment"], filename: str, data: bytes) -> _Part:
    name = _one_line("filename", filename)
    if not _FILE_NAME.fullmatch(name):
        raise LetterError(f"filename: {name!r} has characters other than letters, digits, dots and hyphens")
    fields = [
        ("Content-Type", kind),
        ("Content-Transfer-Encoding", "base64"),
        ("Content-Disposition", f'{disposition}; filename="{name}"'),
    ]
    return _Part(fields, encodebytes(data).replace(b"\n", b"\r\n"))


def _together(subtype: str, letter: Letter, *parts: _Part) -> _Part:
    boundary = f"=_mentat_{hashlib.sha256(f'{letter.message_id}|{subtype}'.encode()).hexdigest()[:24]}"
    line = boundary.encode("ascii")
    content = b"".join(b"--" + line + b"\r\n" + part.as_bytes() + b"\r\n" for part in parts)
    return _Part(
        [("Content-Type", f'multipart/{subtype};\r\n boundary="{boundary}"')], content + b"--" + line + b"--\r\n"
    )


def _fields(letter: Letter) -> Iterator[tuple[str, str]]:
    yield "From", _mailbox("sender", letter.sender_name, letter.sender)
    yield "To", _mailbox("to", letter.to_name, letter.to)
    yield "Reply-To", _mailbox("reply_to", letter.sender_name, letter.reply_to or letter.sender)
    yield "Subject", _folded("Subject", _one_line("subject", letter.subject))
    yield "Date", format_datetime(letter.date)
    yield "Message-ID", _identifier("message_id", letter.message_id)
    if letter.in_reply_to:
        yield "In-Reply-To", _identifier("in_reply_to", letter.in_reply_to)
    if letter.references:
        yield "References", "\r\n ".join(_identifier("references", known) for known in letter.references)
    yield "Auto-Submitted", letter.auto_submitted
    yield "X-Auto-Response-Suppress", "All"
    yield "X-Mentat", _folded("X-Mentat", f"game={_one_line('game', letter.game)}") if letter.game else "service"
    if letter.game:
        list_id = re.sub(r"[^a-z0-9-]+", "-", letter.game.lower()).strip("-") or "game"
        yield "List-Id", f"<{list_id}.{_one_line('sender', letter.sender.rpartition('@')[2])}>"
    if letter.unsubscribe:
        yield "List-Unsubscribe", f"<{_one_line('unsubscribe', letter.unsubscribe)}>"
    for name, value in letter.extra_headers.items():
        if not _FIELD_NAME.fullmatch(name) or name.lower() in _RESERVED:
            raise LetterError(f"{name!r} cannot be an extra header of a letter")
        yield name, _folded(name, _one_line(name, value))


def _mailbox(name: str, display: str, address: str) -> str:
    local, at, host = _one_line(name, address).rpartition("@")
    if not (local and at and host and address.isascii()) or re.search(r"[\s<>,;:\"()\[\]\\]", address):
        raise LetterError(f"{name}: {address!r} is not a mail address")
    shown = _one_line(f"{name}_name", display)[:100]
    if shown.isascii():
        return formataddr((shown, address))
    return f"{_folded('Reply-To', shown)}\r\n <{address}>"  # the longest field of the three; RFC 2047 section 2


def _folded(name: str, value: str) -> str:
    if value.isascii() and len(name) + len(": ") + len(value) <= LONGEST_LINE and value == value.strip():
        return value
    charset = "us-ascii" if value.isascii() else "utf-8"
    return Header(value, charset, maxlinelen=LONGEST_LINE, header_name=name).encode(linesep="\r\n")


def _identifier(name: str, value: str) -> str:
    if not re.fullmatch(r"[^\s<>@]+@[^\s<>@]+", _one_line(name, value)):
        raise LetterError(f"{name}: {value!r} is not a message id like 'serial@host'")
    return f"<{value.encode('ascii', 'replace').decode('ascii')}>"


def _one_line(name: str, value: str) -> str:
    if _CONTROLS.search(value):
        raise LetterError(f"{name}: a header cannot hold line breaks or control characters")
    return value


TestMail = Literal["doctor", "canary"]


@dataclass(frozen=True, slots=True)
class OwnAddresses:
    name: str
    sender: str
    address: str


def message_id_of(kind: TestMail, code: str, address: str) -> str:
    """Return the Message-ID of a test mail.

    >>> message_id_of("canary", "4f2a", "mentat@arrakis.example")
    '<canary.4f2a@arrakis.example>'
    """
    return f"<{kind}.{code}@{address.rpartition('@')[2]}>"


def mail_to_itself(
    kind: TestMail, code: str, own: OwnAddresses, to: str, subject: str, text: str, now: datetime
) -> bytes:
    message = EmailMessage(policy=SMTP)
    message["From"] = formataddr((own.name, own.sender))
    message["To"] = to
    message["Subject"] = subject
    message["Date"] = format_datetime(now)
    message["Message-ID"] = message_id_of(kind, code, own.address)
    message["Auto-Submitted"] = "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message["X-Mentat"] = f"{kind} {code}"
    message.set_content(text)
    return message.as_bytes()


def test_code_in(incoming: Incoming, kind: TestMail) -> str | None:
    said, _, code = incoming.header("x-mentat").strip().partition(" ")
    return code.strip() if said == kind and code.strip() else None
