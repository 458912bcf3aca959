"""Until when the certificates of the mail servers are valid, looked up once a day where the service runs.

A certificate that has run out stops all mail at once, and its owner is not always whoever runs Mentat; so it is known
two weeks before (``bot.monitoring.checks``).
"""

from __future__ import annotations

import imaplib
import logging
import smtplib
from datetime import datetime, timedelta

from bot.config import Settings
from bot.mail.servers.imap_server import ImapServer
from bot.mail.servers.tls import Protocol, certificate_ends
from bot.mail.servers.transport import SmtpServer
from bot.monitoring.logs import about
from bot.service.mail_servers import imap_server, smtp_server
from bot.store import measurements
from bot.store.database import Engine, writing_no_game

log = logging.getLogger(__name__)
A_DAY = timedelta(days=1)


class Certificates:
    """What one process looks up. ``look`` may be called as often as one likes."""

    def __init__(self, settings: Settings, engine: Engine) -> None:
        self._settings = settings
        self._engine = engine
        self._looked: datetime | None = None

    def look(self, now: datetime) -> None:
        """Ask both servers, if that is a day ago. One that does not answer is no news of its certificate."""
        if self._looked and timedelta() <= now - self._looked < A_DAY:
            return
        self._looked = now
        for section, ends in self._ends().items():
            with writing_no_game(self._engine) as conn:
                measurements.measured(conn, "certificate", section, ends)

    def _ends(self) -> dict[str, float]:
        found = {}
        servers: list[tuple[str, Protocol, ImapServer | SmtpServer]] = []
        if self._settings.mailbox.kind == "imap":
            servers.append(("mailbox", "imap", imap_server(self._settings)))
        if self._settings.smtp.kind == "smtp":
            servers.append(("smtp", "smtp", smtp_server(self._settings)))
        for section, protocol, server in servers:
            try:
                at = (server.host, server.port, server.security)
                ends = certificate_ends(*at, server.tls_context, protocol, server.timeout)
            except (OSError, smtplib.SMTPException, imaplib.IMAP4.error) as error:
                log.info("the certificate of [%s] is not known: %s", section, type(error).__name__,
                         extra=about("certificate.unknown"))  # fmt: skip
                continue
            if ends is not None:
                found[section] = ends
        return found
