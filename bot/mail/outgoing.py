"""Letters out: one `Letter` becomes the same bytes each time it is built.

The outbox may build and send a letter again after a crash, so nothing here reads a clock or a random number: date and
message id are the caller's, boundaries follow from the message id. Every letter says that a program wrote it
(RFC 3834), names its game (RFC 2919), and carries `X-Mentat`, by which our own mail is known when it comes back.
Text from outside cannot add a header: control characters in any field are refused.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email import policy
from email.header import Header
from email.message import EmailMessage, MIMEPart
from email.utils import format_datetime, formataddr
from typing import Literal, NamedTuple

# Fields with words of people are folded here, not by the standard library, which in some versions adds spaces.
_POLICY = policy.SMTP.clone(max_line_length=78, refold_source="none")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f\u0085\u2028\u2029]")
_FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_RESERVED = frozenset(
    ("from", "to", "cc", "bcc", "subject", "date", "message-id", "reply-to", "mime-version", "content-type")
)


class LetterError(ValueError):
    """A letter that cannot be written: a field with a line break, an address that is none."""


class Image(NamedTuple):
    """A picture in the HTML of a letter, shown there by `<img src="cid:…">`."""

    cid: str
    png: bytes
    filename: str


@dataclass(frozen=True, slots=True)
class Letter:
    """One mail to one person. Message ids are given without angle brackets; `date` must know its time zone."""

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
    """The plus address with the reader's token; empty: the sender."""
    html: str | None = None
    images: Sequence[Image] = ()
    in_reply_to: str = ""
    references: Sequence[str] = ()
    auto_submitted: Literal["auto-generated", "auto-replied"] = "auto-generated"
    """`auto-replied` for an answer to a mail that the reader sent (RFC 3834 section 5)."""
    extra_headers: Mapping[str, str] = field(default_factory=dict)


def build(letter: Letter) -> bytes:
    """The letter as bytes with CRLF line ends. Raises `LetterError`, which names the field.

    Plain text alone, or text and HTML as alternatives; pictures go with the HTML, or follow the text without one.
    """
    if letter.date.tzinfo is None:
        raise LetterError("the date of a letter needs a time zone")
    message = EmailMessage(policy=_POLICY)
    _write_fields(message, letter)
    message.set_content(_body(letter.text), subtype="plain", charset="utf-8", cte=_encoding(letter.text))
    if letter.html is not None:
        message.add_alternative(_body(letter.html), subtype="html", charset="utf-8", cte=_encoding(letter.html))
    carrier = _html_part(message)
    for image in letter.images:
        if carrier is not None:
            carrier.add_related(
                image.png, "image", "png", cid=f"<{_one_line('cid', image.cid)}>", filename=image.filename,
                disposition="inline",
            )  # fmt: skip
        else:
            message.add_attachment(image.png, "image", "png", filename=image.filename)
    _fix_boundaries(message, letter.message_id)
    return message.as_bytes(policy=_POLICY)


def _write_fields(message: EmailMessage, letter: Letter) -> None:
    host = letter.sender.rpartition("@")[2]
    message.set_raw("From", _mailbox("sender", letter.sender_name, letter.sender))
    message.set_raw("To", _mailbox("to", letter.to_name, letter.to))
    message.set_raw("Reply-To", _mailbox("reply_to", letter.sender_name, letter.reply_to or letter.sender))
    message.set_raw("Subject", _folded("Subject", _one_line("subject", letter.subject)))
    message["Date"] = format_datetime(letter.date)
    message["Message-ID"] = _identifier("message_id", letter.message_id)
    if letter.in_reply_to:
        message["In-Reply-To"] = _identifier("in_reply_to", letter.in_reply_to)
    if letter.references:
        message["References"] = " ".join(_identifier("references", known) for known in letter.references)
    message["Auto-Submitted"] = letter.auto_submitted
    message["X-Auto-Response-Suppress"] = "All"
    message["X-Mentat"] = f"game={_one_line('game', letter.game)}" if letter.game else "service"
    if letter.game:
        list_id = re.sub(r"[^a-z0-9-]+", "-", letter.game.lower()).strip("-") or "game"
        message["List-Id"] = f"<{list_id}.{_one_line('sender', host)}>"
    for name, value in letter.extra_headers.items():
        if not _FIELD_NAME.fullmatch(name) or name.lower() in _RESERVED:
            raise LetterError(f"{name!r} cannot be an extra header of a letter")
        message[name] = _one_line(name, value)


def _mailbox(name: str, display: str, address: str) -> str:
    local, at, host = _one_line(name, address).rpartition("@")
    if not (local and at and host and address.isascii()) or re.search(r"[\s<>,;:\"()\[\]\\]", address):
        raise LetterError(f"{name}: {address!r} is not a mail address")
    return formataddr((_one_line(f"{name}_name", display)[:100], address))


def _folded(name: str, value: str) -> str:
    charset = "us-ascii" if value.isascii() else "utf-8"
    return Header(value, charset, maxlinelen=76, header_name=name).encode(linesep="\r\n")


def _identifier(name: str, value: str) -> str:
    if not re.fullmatch(r"[^\s<>@]+@[^\s<>@]+", _one_line(name, value)):
        raise LetterError(f"{name}: {value!r} is not a message id like 'serial@host'")
    return f"<{value}>"


def _one_line(name: str, value: str) -> str:
    if _CONTROLS.search(value):
        raise LetterError(f"{name}: a header cannot hold line breaks or control characters")
    return value


def _body(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def _encoding(text: str) -> str:
    """Plain ASCII with short lines travels as it is; everything else as quoted-printable, which stays readable."""
    return "7bit" if text.isascii() and max(map(len, text.splitlines()), default=0) <= 900 else "quoted-printable"


def _html_part(message: EmailMessage) -> MIMEPart | None:
    for part in message.walk():
        if part.get_content_type() == "text/html" and isinstance(part, MIMEPart):
            return part
    return None


def _fix_boundaries(message: EmailMessage, message_id: str) -> None:
    for number, part in enumerate(message.walk()):
        if part.is_multipart():
            digest = hashlib.sha256(f"{message_id}\0{number}".encode()).hexdigest()[:24]
            part.set_boundary(f"=_mentat_{digest}")
