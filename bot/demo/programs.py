"""How mail programs write an answer: the same few orders as six programs would send them.

Each takes the letter that is answered and the player's lines and gives a message as that program would make it: with
the letter quoted below, above, or not at all, in text, in HTML, or both, in the transfer encoding that the program
likes.
"""

from __future__ import annotations

import base64
import html
import quopri
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime


@dataclass(frozen=True, slots=True)
class Original:
    """The letter that is answered, as a mail program shows it."""

    subject: str
    sender: str
    reply_to: str
    message_id: str
    references: str
    date: str
    text: str


@dataclass(frozen=True, slots=True)
class Writer:
    """Who answers, and the number of their answer, which makes the Message-ID."""

    name: str
    address: str
    number: int


Program = Callable[[Original, Writer, Sequence[str], datetime], bytes]


def gmail(original: Original, writer: Writer, lines: Sequence[str], now: datetime) -> bytes:
    """Above the quote, in text and HTML, the quote in a `gmail_quote` container."""
    said = f"On {original.date}, Mentat <{original.sender}> wrote:"
    text = "\n".join([*lines, "", said, "", *_quoted(original.text)])
    body = "".join(f"<div>{html.escape(line)}</div>" for line in lines)
    quote = html.escape(original.text).replace("\n", "<br>\n")
    page = (
        f'<div dir="ltr">{body}</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">'
        f'{html.escape(said)}<br></div><blockquote class="gmail_quote">{quote}</blockquote></div>'
    )
    return _alternative(original, writer, now, text, page, "CA")


def outlook(original: Original, writer: Writer, lines: Sequence[str], now: datetime) -> bytes:
    """Above a header block, HTML alone, the text in base64."""
    body = "".join(f'<p class="MsoNormal">{html.escape(line)}<o:p></o:p></p>' for line in lines)
    head = (
        f"<b>From:</b> Mentat &lt;{original.sender}&gt;<br><b>Sent:</b> {html.escape(original.date)}<br>"
        f"<b>To:</b> {writer.address}<br><b>Subject:</b> {html.escape(original.subject)}"
    )
    quote = html.escape(original.text).replace("\n", "<br>\n")
    page = (
        f"<html><head><style>p.MsoNormal {{margin:0}}</style></head><body>{body}"
        f'<div id="divRplyFwdMsg"><hr>{head}</div><div>{quote}</div></body></html>'
    )
    data = base64.encodebytes(page.encode()).decode("ascii")
    return _message(original, writer, now, "text/html; charset=utf-8", "base64", data, "AM0PR")


def iphone(original: Original, writer: Writer, lines: Sequence[str], now: datetime) -> bytes:
    """Above the quote, with the footer of a telephone, quoted-printable."""
    text = "\n".join(
        [*lines, "", "Sent from my iPhone", "", f"> On {original.date}, Mentat <{original.sender}> wrote:", "> "]
        + [f"> \ufeff{line}" if number == 0 else f"> {line}" for number, line in enumerate(original.text.split("\n"))]
    )
    data = quopri.encodestring(text.encode()).decode("ascii")
    return _message(original, writer, now, "text/plain; charset=utf-8", "quoted-printable", data, "9C1B")


def thunderbird(original: Original, writer: Writer, lines: Sequence[str], now: datetime) -> bytes:
    """Inside the quoted form: the box of a line is ticked where it stands; what is not in the form stands below it."""
    left = list(lines)
    quoted = []
    for line in original.text.split("\n"):
        order = line.removeprefix("[ ] ")
        if order != line and order in left:
            left.remove(order)
            line = f"[x] {order}"
        quoted.append(f"> {line}")
    said = f"Am {original.date} schrieb Mentat <{original.sender}>:"
    text = "\n".join([said, *quoted, "", *left, ""])
    return _message(original, writer, now, "text/plain; charset=utf-8", "8bit", text, "f3a1")


def flowed(original: Original, writer: Writer, lines: Sequence[str], now: datetime) -> bytes:
    """Text alone, format=flowed (RFC 3676), nothing quoted, a signature."""
    text = "\n".join([*lines, "", "-- ", writer.name, "Siridar-Governor, retired", ""])
    return _message(original, writer, now, "text/plain; charset=us-ascii; format=flowed", "7bit", text, "fl")


def webmail(original: Original, writer: Writer, lines: Sequence[str], now: datetime) -> bytes:
    """A bulleted list above a bottom quote, latin-1."""
    listed = [f"- {line}" for line in lines]
    head = ["----- Original Message -----", f"From: {original.sender}", f"Subject: {original.subject}", ""]
    text = "\n".join(["Hello,", "", *listed, "", *head, *_quoted(original.text)])
    return _message(original, writer, now, "text/plain; charset=iso-8859-1", "8bit", text, "wm", "latin-1")


PROGRAMS: tuple[Program, ...] = (gmail, outlook, iphone, thunderbird, flowed, webmail)


def _quoted(text: str) -> list[str]:
    return [f"> {line}" if line else ">" for line in text.split("\n")]


def _alternative(original: Original, writer: Writer, now: datetime, text: str, page: str, mark: str) -> bytes:
    boundary = f"0000000000{writer.number:06d}"
    parts = "".join(
        f'--{boundary}\r\nContent-Type: {kind}; charset="UTF-8"\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{body}\r\n'
        for kind, body in (("text/plain", text), ("text/html", page))
    )
    kind = f'multipart/alternative; boundary="{boundary}"'
    return _message(original, writer, now, kind, "8bit", f"{parts}--{boundary}--\r\n", mark)


def _message(
    original: Original, writer: Writer, now: datetime, kind: str, encoding: str, body: str, mark: str,
    charset: str = "utf-8",
) -> bytes:  # fmt: skip
    host = writer.address.rpartition("@")[2]
    answered = original.subject if original.subject.startswith("Re: ") else f"Re: {original.subject}"
    head = [
        f"From: {writer.name} <{writer.address}>",
        f"To: Mentat <{original.reply_to}>",
        f"Subject: {answered}",
        f"Date: {format_datetime(now)}",
        f"Message-ID: <{mark}.{writer.number}.{writer.address.partition('@')[0]}@{host}>",
        f"In-Reply-To: {original.message_id}",
        f"References: {original.references} {original.message_id}".rstrip(),
        "MIME-Version: 1.0",
        f"Content-Type: {kind}",
        f"Content-Transfer-Encoding: {encoding}",
    ]
    text = "\n".join([*head, "", body])
    return text.replace("\r\n", "\n").replace("\n", "\r\n").encode(charset, "replace")
