"""Mails from Mentat to itself, by which it tests its own way: what `mentat doctor` sends, and the canary.

A field of their own names the kind and a code that nobody can guess; by it they are known when they come, whatever was
done to them on the way, and taken for nothing else (``bot.mail.disposition``).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, formataddr
from typing import Literal

from bot.mail.mime.message import Incoming

Kind = Literal["doctor", "canary"]


@dataclass(frozen=True, slots=True)
class Sender:
    """Who writes: the name that players see, the sender of every mail, and the address that players write to."""

    name: str
    sender: str
    address: str


def message_id_of(kind: Kind, code: str, address: str) -> str:
    """The Message-ID of such a mail.

    >>> message_id_of("canary", "4f2a", "mentat@arrakis.example")
    '<canary.4f2a@arrakis.example>'
    """
    return f"<{kind}.{code}@{address.rpartition('@')[2]}>"


def mail_to_itself(kind: Kind, code: str, own: Sender, to: str, subject: str, text: str, now: datetime) -> bytes:
    """The mail. No program is to answer it (RFC 3834)."""
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


def code_in(incoming: Incoming, kind: Kind) -> str | None:
    """The code of a mail that says it is one of these; None for any other."""
    said, _, code = incoming.header("x-mentat").strip().partition(" ")
    return code.strip() if said == kind and code.strip() else None
