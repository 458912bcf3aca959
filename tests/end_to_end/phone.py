"""A telephone from which somebody runs a game, with an IMAP and an SMTP connection and three mail programs.

Each answer quotes the whole letter that it answers, and has a signature. It is written as flowed text with an HTML
alternative, in quoted-printable, or in Gmail's style.
"""

from __future__ import annotations

import email
import html
import itertools
import smtplib
import socket
import textwrap
from collections.abc import Sequence
from datetime import datetime
from email import policy
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any

from imapclient import IMAPClient

from bot.lab.players_by_mail import Original, Writer, gmail, iphone
from bot.service.machine import utc_now
from tests.end_to_end.mail_clients import PASSWORD, MailServers

SIGNATURE = ("-- ", "Sent from my telephone. pause", "resume on Mondays")
"""Two of these lines could be commands."""


def telephone(original: Original, writer: Writer, lines: Sequence[str], now: datetime) -> bytes:
    """Return an answer in flowed text (RFC 3676) with broken lines, a signature and the quoted letter, and as HTML."""
    said = f"On {original.date}, {original.sender} wrote:"
    quote = [f"> {line}" if line else ">" for line in original.text.split("\n")]
    flowed = [
        part + (" " if place + 1 < len(parts) else "")
        for line in lines
        for parts in [textwrap.wrap(line, 60) or [""]]
        for place, part in enumerate(parts)
    ]
    page = [f"<div>{html.escape(line) or '<br>'}</div>" for line in lines]
    signed = "<br>".join(map(html.escape, SIGNATURE))
    quoted = "<br>\n".join(map(html.escape, original.text.split("\n")))
    body = (
        f'<html><body dir="auto">{"".join(page)}<div id="signature">{signed}</div><br>'
        f'<div class="gmail_quote"><div>{html.escape(said)}</div><blockquote type="cite">{quoted}</blockquote></div>'
        "</body></html>"
    )
    mail = EmailMessage(policy=policy.SMTP)
    mail["From"], mail["To"] = f"{writer.name} <{writer.address}>", original.reply_to
    mail["Subject"] = original.subject if original.subject.startswith("Re: ") else f"Re: {original.subject}"
    mail["Date"] = format_datetime(now)
    mail["Message-ID"] = f"<telephone.{writer.number}@{writer.address.partition('@')[2]}>"
    mail["In-Reply-To"], mail["References"] = original.message_id, original.message_id
    mail.set_content("\n".join([*flowed, "", *SIGNATURE, "", said, *quote, ""]), params={"format": "flowed"})
    mail.add_alternative(body, subtype="html")
    return mail.as_bytes()


PROGRAMS = (telephone, iphone, gmail)


class Phone:
    """A person who has nothing but a telephone: they read letters and answer them."""

    def __init__(self, address: str, servers: MailServers) -> None:
        self._writer = address
        self._imap: Any = IMAPClient(servers.host, servers.imap_port, ssl=False)
        self._imap.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._imap.login(address, PASSWORD)
        self._imap.select_folder("INBOX", readonly=True)
        self._smtp = smtplib.SMTP(servers.host, servers.smtp_port)
        self._numbers = itertools.count(1)
        self._next_uid = 1
        self.letters: list[EmailMessage] = []

    def look(self) -> list[EmailMessage]:
        """Return the letters that came since the last look."""
        self._imap.noop()
        fresh = [uid for uid in self._imap.search(["UID", f"{self._next_uid}:*"]) if uid >= self._next_uid]
        bodies = self._imap.fetch(fresh, ["BODY.PEEK[]"]) if fresh else {}
        self._next_uid = max([self._next_uid, *(uid + 1 for uid in fresh)])
        new = [email.message_from_bytes(bodies[uid][b"BODY[]"], policy=policy.default) for uid in sorted(fresh)]
        self.letters += new
        return new

    def answer(self, letter: EmailMessage, *lines: str) -> None:
        """Answer a letter with these lines."""
        number = next(self._numbers)
        program = PROGRAMS[number % len(PROGRAMS)]
        original = Original(
            str(letter["Subject"]), str(letter["From"]), str(letter["Reply-To"]), str(letter["Message-ID"]), "",
            str(letter["Date"]), text_of(letter),
        )  # fmt: skip
        raw = program(original, Writer("Rey", self._writer, number), lines, utc_now())
        self._smtp.sendmail(self._writer, [original.reply_to], raw)


def text_of(letter: EmailMessage) -> str:
    """Return the text of a letter."""
    body = letter.get_body(("plain",))
    return str(body.get_content()).replace("\r\n", "\n") if body else ""


def words_of(letter: EmailMessage) -> str:
    """Return the text of a letter with single spaces."""
    return " ".join(text_of(letter).split())
