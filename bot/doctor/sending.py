"""The way out: the SMTP server and its login, or the folder for letters."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from bot.config import Settings
from bot.doctor.reach import Server, reach, split_advice
from bot.mail.servers.transport import SendDeferred, SmtpTransport
from bot.monitoring.finding import Finding
from bot.service.mail_servers import smtp_server


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at the way out that the settings name; nothing is sent."""
    if settings.smtp.kind == "directory":
        yield _directory(settings.smtp.directory)
        return
    server = smtp_server(settings)
    for finding in reach(Server("smtp", server.host, server.port, server.security, server.timeout, server.tls_context)):
        yield finding
        if finding.state == "wrong":
            return
    transport = SmtpTransport(server)
    try:
        transport.log_in()
    except SendDeferred as problem:
        told, advice = split_advice(str(problem))
        yield Finding("smtp: login", "wrong", told, advice)
        return
    finally:
        transport.close()
    told = f"{server.user} is let in" if server.user else "the server takes mail without a login"
    yield Finding("smtp: login", "well", told)


def _directory(path: Path) -> Finding:
    place = path if path.exists() else path.parent
    if (path.exists() and not path.is_dir()) or not os.access(place, os.W_OK | os.X_OK):
        return Finding(
            "smtp", "wrong", f"no letters can be written into {path}", "Check [smtp] directory and its owner."
        )
    advice = 'Set [smtp] kind = "smtp" when players are to get them.'
    return Finding("smtp", "note", f"letters are written into {path} and sent to nobody", advice)
