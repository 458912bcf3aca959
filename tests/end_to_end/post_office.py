"""An SMTP server on loopback that passes each mail to Dovecot by LMTP, as a private mail host would."""

from __future__ import annotations

import socket

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from bot.lab.local_mail import SentMail
from tests.dovecot_server import Dovecot


class PostOffice:
    """A server from SMTP to LMTP that runs for the duration of a `with` block. `sent` keeps a copy of every mail."""

    host = "127.0.0.1"

    def __init__(self, dovecot: Dovecot) -> None:
        self._dovecot = dovecot
        self.imap_port = dovecot.imap_port
        with socket.create_server((self.host, 0)) as listener:
            self.smtp_port: int = listener.getsockname()[1]
        self.sent: list[SentMail] = []
        self._controller = Controller(self, hostname=self.host, port=self.smtp_port, enable_SMTPUTF8=True)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's
        assert isinstance(envelope.content, bytes)
        sender = envelope.mail_from or ""
        for recipient in envelope.rcpt_tos:
            self._dovecot.deliver(recipient, envelope.content, sender)
        self.sent.append(SentMail(sender, tuple(envelope.rcpt_tos), envelope.content))
        return "250 OK"

    def __enter__(self) -> PostOffice:
        self._controller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._controller.stop()
