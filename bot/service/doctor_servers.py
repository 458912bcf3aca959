"""The checks of the mail servers by `mentat doctor`.

- the connection to a server, step by step: its name, its port, its certificate
- the mailbox: the login, the folders, the server's capabilities, and how Mentat manages without missing ones
- sending: the SMTP server and the login there, or the folder into which letters are written
"""

from __future__ import annotations

import contextlib
import imaplib
import ipaddress
import os
import re
import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.config import Settings
from bot.config.values import Security
from bot.mail.imap import ImapServer, abandon_client, find_folders, log_in, said
from bot.mail.mailbox import MailboxUnavailable
from bot.mail.transport import SendDeferred, SmtpTransport, tls_trouble, valid_until
from bot.monitoring import checks
from bot.monitoring.checks import Finding, State
from bot.service.machine import utc_now
from bot.service.mail_servers import imap_server, smtp_server

_NEARLY_FULL, _FULL = 85, 97
"""The percentages of its quota from which a mailbox counts as nearly full, or as full."""
_INSTEAD = {
    "IDLE": "Mentat checks the mailbox every {seconds:g} seconds, because the server announces no mail",
    "MOVE": "messages are copied to their folder and then marked as deleted in the inbox, instead of being moved",
    "UIDPLUS": "messages marked as deleted stay in the inbox until you remove them with a mail program: "
    "Mentat does not, because it would also remove messages that others have marked",
}


def examine_mailbox(settings: Settings) -> Iterator[Finding]:
    if settings.mailbox.kind == "maildir":
        yield _maildir(settings)
        return
    server = imap_server(settings)
    endpoint = Server("mailbox", server.host, server.port, server.security, server.timeout, server.tls_context)
    for finding in reach(endpoint):
        yield finding
        if finding.state == "wrong":
            return
    try:
        client = log_in(server)
    except MailboxUnavailable as problem:
        told, advice = split_advice(str(problem))
        yield Finding("mailbox: login", "wrong", told, advice)
        return
    try:
        if server.security == "starttls" and isinstance(client.socket(), ssl.SSLSocket):
            yield certificate(endpoint, client.socket())
        yield Finding("mailbox: login", "well", f"{server.user} can log in")
        yield from _folders(client, server)
        yield from _abilities(client, settings)
    except Exception as error:  # the library raises many kinds of errors on malformed responses
        told = f"the connection broke ({said(error, server)})"
        yield Finding("mailbox: folders", "wrong", told, "Try again; if this continues, ask the provider.")
    finally:
        with contextlib.suppress(Exception):
            client.logout()
        abandon_client(client)


def _folders(client: Any, server: ImapServer) -> Iterator[Finding]:
    folders = find_folders(client, server)
    missing = [name for name, written in folders.items() if not client.folder_exists(written)]
    if missing:
        told = f"there is no folder {' and no folder '.join(missing)}, and it cannot be created"
        advice = "Create it in a mail program, or name another one in [mailbox] folder, processed, shunted."
        yield Finding("mailbox: folders", "wrong", told, advice)
        return
    try:
        selected = client.select_folder(folders[server.folder])
    except imaplib.IMAP4.readonly:
        told = f"mail in {server.folder} can be read, but not moved away after processing"
        advice = "Let the provider give this login the right to delete there, or name another folder."
        yield Finding("mailbox: folders", "wrong", told, advice)
        return
    waiting = int(selected.get(b"EXISTS", 0))
    yield from _quota(client)
    told = f"{', '.join(folders)} exist; {waiting} message{'' if waiting == 1 else 's'} in {server.folder}"
    yield Finding("mailbox: folders", "well", told, facts={"messages": waiting})


def _quota(client: Any) -> Iterator[Finding]:
    """Report how full the mailbox is, if the server reports it (RFC 9208)."""
    if not client.has_capability("QUOTA"):
        return
    _, resources = client.get_quota_root("INBOX")
    shares = [(100 * int(one.usage) // int(one.limit), one.resource.lower()) for one in resources if int(one.limit)]
    percent, resource = max(shares, default=(0, "storage"))
    told, facts = f"{percent} % of the {resource} quota of this mailbox is used", {"percent": percent}
    state: State = "wrong" if percent >= _FULL else "note" if percent >= _NEARLY_FULL else "well"
    advice = "" if state == "well" else "Delete old mail in its folders, or new mail will be refused."
    yield Finding("mailbox: room", state, told, advice, facts)


def _abilities(client: Any, settings: Settings) -> Iterator[Finding]:
    has = {name: bool(client.has_capability(name)) for name in _INSTEAD}
    wanted = [name for name in has if name != "UIDPLUS" or not has["MOVE"]]
    lacking = [name for name in wanted if not has[name]]
    facts = {"capabilities": has}
    if not lacking:
        yield Finding("mailbox: abilities", "well", "the server supports everything that Mentat can use", facts=facts)
        return
    instead = "; ".join(_INSTEAD[name].format(seconds=settings.mailbox.poll_seconds) for name in lacking)
    told = f"the server has no {' and no '.join(lacking)}: {instead}"
    yield Finding("mailbox: abilities", "note", told, facts=facts)


def _maildir(settings: Settings) -> Finding:
    path = settings.mailbox.maildir
    if path.exists() and not path.is_dir():
        return Finding("mailbox", "wrong", f"{path} is not a folder", "Check [mailbox] maildir.")
    place = path if path.exists() else path.parent
    if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
        return Finding(
            "mailbox", "wrong", f"{place} cannot be read and written", "Check [mailbox] maildir and its owner."
        )
    if not path.exists():
        return Finding("mailbox", "wrong", f"there is no {path}", "Check [mailbox] maildir, or run: mentat init")
    waiting = sum(len(list((path / name).glob("[!.]*"))) for name in ("new", "cur"))
    told = f"{path} can be read and written; {waiting} message{'' if waiting == 1 else 's'} in it"
    return Finding("mailbox", "well", told, facts={"messages": waiting})


def examine_sending(settings: Settings) -> Iterator[Finding]:
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
    told = f"{server.user} can log in" if server.user else "the server accepts mail without a login"
    yield Finding("smtp: login", "well", told)


def _directory(path: Path) -> Finding:
    if not path.exists():
        return Finding("smtp", "wrong", f"there is no {path}", "Check [smtp] directory, or run: mentat init")
    if not path.is_dir() or not os.access(path, os.W_OK | os.X_OK):
        return Finding(
            "smtp", "wrong", f"no letters can be written into {path}", "Check [smtp] directory and its owner."
        )
    advice = 'Set [smtp] kind = "smtp" to send them to players.'
    return Finding("smtp", "note", f"letters are written into {path} and sent to nobody", advice)


_ADVICE = re.compile(r"(?P<told>.+?)[;:] (?P<advice>(?:check|if|name|set|get|its owner|Mentat will try again)\b.*)")


@dataclass(frozen=True, slots=True)
class Server:
    """A server in the settings. `what` is its section, "mailbox" or "smtp"."""

    what: str
    host: str
    port: int
    security: Security
    timeout: float
    tls_context: Callable[[], ssl.SSLContext]

    @property
    def section(self) -> str:
        return f"[{self.what}]"


def reach(server: Server) -> Iterator[Finding]:
    """Check the name, the port and, if the connection begins with TLS, the certificate of a server. If a step fails,
    the last finding is "wrong"."""
    about = f"{server.what}: name"
    try:
        found = socket.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError):
        told = f"no machine named {server.host} is known"
        yield Finding(about, "wrong", told, f"Check {server.section} host, and that this machine has a network.")
        return
    addresses = sorted({str(entry[4][0]) for entry in found})
    if addresses != [server.host]:
        yield Finding(about, "well", f"{server.host} is {', '.join(addresses)}", facts={"addresses": addresses})
    about = f"{server.what}: connection"
    try:
        connection = socket.create_connection((server.host, server.port), server.timeout)
    except OSError as error:
        reason = error.strerror or "no answer in time"
        told = f"nothing answers at port {server.port} of {server.host} ({reason})"
        advice = f"Check {server.section} port and security; if both are right, a firewall may be in the way."
        yield Finding(about, "wrong", told, advice)
        return
    with connection:
        yield Finding(about, "well", f"port {server.port} answers")
        if server.security == "tls":
            try:
                with server.tls_context().wrap_socket(connection, server_hostname=server.host) as safe:
                    yield certificate(server, safe)
            except OSError as error:
                why = (
                    tls_trouble(error, server.host, server.section) or f"the connection broke ({type(error).__name__})"
                )
                told, _, advice = why.partition(": ")
                yield Finding(f"{server.what}: TLS", "wrong", told, _sentence(advice))
    if server.security == "none" and not all(ipaddress.ip_address(one).is_loopback for one in addresses):
        told = f'with security = "none" the password is sent to {server.host} unencrypted'
        yield Finding(f"{server.what}: TLS", "note", told, f'Set {server.section} security to "tls".')


def certificate(server: Server, safe: Any) -> Finding:
    return checks.certificate(server.what, valid_until(safe), utc_now(), server.host)


def split_advice(sentence: str) -> tuple[str, str]:
    """Split a sentence without a full stop into the problem and the advice.

    >>> split_advice("its certificate is not for giedi: check [smtp] host")
    ('its certificate is not for giedi', 'Check [smtp] host.')
    """
    parts = _ADVICE.fullmatch(sentence)
    return (parts["told"], _sentence(parts["advice"])) if parts else (sentence, "")


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:].rstrip(".") + "." if words else ""
