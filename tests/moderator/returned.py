"""Mail that comes back to Mentat: delivery reports, and answers from programs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tests.moderator.table import Sent

_serials: Iterator[int] = itertools.count()


def bounce_of(letter: Sent, status: str = "5.1.1", action: str = "failed", to: str = "", returned: str = "") -> bytes:
    """Return a delivery report (RFC 3464) about a letter. ``returned`` is the part of the letter that it contains."""
    to = to or letter.envelope_from
    return (
        f"Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.example\r\nTo: {to}\r\n"
        f"Subject: Undelivered Mail Returned to Sender\r\nMessage-ID: <bounce.{next(_serials)}@mx.example>\r\n"
        'MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: text/plain\r\n\r\nsorry\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n"
        f"Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; {letter.recipient}\r\nAction: {action}\r\n"
        f"Status: {status}\r\n\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\n{returned}\r\n--b--\r\n"
    ).encode()


def answer_of_program(letter: Sent, subject: str, text: str, **fields: str) -> bytes:
    """Return what a vacation program or a filter sends to a letter's envelope sender."""
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    return (
        f"From: {letter.recipient}\r\nTo: {letter.envelope_from}\r\nSubject: {subject}\r\n"
        f"Message-ID: <robot.{next(_serials)}@players.example>\r\n{more}\r\n{text}\r\n"
    ).encode()
